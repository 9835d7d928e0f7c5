// SPDX-License-Identifier: GPL-2.0-only
// What one can do: zoom, search, keys; what stands around the graph. One function with the other .js files here: embed.sh puts them together in the order of the Makefile.
// --- What one can do
function choose(i) {
	const b = box(i);
	view.chosen = i;
	if (b && b.y < scroller.scrollTop)
		scroller.scrollTop = b.y;
	else if (b && b.y + ROW > scroller.scrollTop + height)
		scroller.scrollTop = b.y + ROW - height;
	mark();
	tell();
}

function zoom(i) {
	view.zoom = i;
	view.pointed = -1;
	$('tip').hidden = true;
	$('reset').disabled = !i;
	resize();
	choose(i);
	tellSearch();
}

function flip() {
	view.isIcicle = !view.isIcicle;
	$('icicle').setAttribute('aria-pressed', view.isIcicle);
	resize();
	scroller.scrollTop = view.isIcicle ? 0 : sheetHeight;
	choose(view.chosen);
	redraw();
}

function swap() {
	view.side = 1 - view.side;
	$('side').setAttribute('aria-pressed', view.side === BASE);
	if (!sides[view.side].total[view.zoom])
		zoom(0);
	redraw();
	tell();
}

const isShown = i => sides[view.side].total[i] > 0;

// The next frame at this depth, to the right or to the left.
function beside(i, step) {
	for (let j = i + step; j > view.zoom && j < after[view.zoom]; j += step)
		if (depth[j] === depth[i] && isShown(j))
			return j;
	return i;
}

function widestCallee(i) {
	const total = sides[view.side].total;
	let best = i;
	for (let j = i + 1; j < after[i]; j = after[j])
		if (isShown(j) && (best === i || total[j] > total[best]))
			best = j;
	// From an ancestor the way leads back to what is shown.
	return isAncestor(i) && !isAncestor(best) && best !== view.zoom ? child(i) : best;
}

function child(i) {
	let j = view.zoom;
	while (parent[j] !== i)
		j = parent[j];
	return j;
}

function nextMatch(step) {
	const end = after[view.zoom];
	for (let j = view.chosen, left = end - view.zoom; search.on && left > 0; left--) {
		j += step;
		j = j >= end || j < 0 ? view.zoom : j < view.zoom ? end - 1 : j;
		if (j && search.matches[name[j]] && isShown(j))
			return choose(j);
	}
}

// --- Search
function compile(query) {
	const isExact = $('case').getAttribute('aria-pressed') === 'true';
	if ($('regex').getAttribute('aria-pressed') === 'true') {
		const re = new RegExp(query, isExact ? '' : 'i');
		return s => re.test(s);
	}
	const wanted = isExact ? query : query.toLowerCase();
	return s => (isExact ? s : s.toLowerCase()).includes(wanted);
}

// Of nested matches the outermost alone counts.
function matchedShare(top, s) {
	const total = sides[s].total;
	let sum = 0;
	for (let i = top; i < after[top];)
		if (i && search.matches[name[i]]) {
			sum += total[i];
			i = after[i];
		} else {
			i++;
		}
	return total[top] ? sum / total[top] : 0;
}

function find(query) {
	Object.assign(search, { on: false, error: '', functions: 0, frames: 0, share: [0, 0] });
	if (query)
		try {
			search.matches = Uint8Array.from(names, compile(query));
			search.on = true;
		} catch (e) {
			search.error = e.message.replace(/^Invalid regular expression: /, '');
		}
	if (search.on) {
		search.sums = new Uint32Array(n + 1);
		for (let i = 1; i < n; i++)
			search.sums[i + 1] = search.sums[i] + search.matches[name[i]];
		search.frames = search.sums[n];
		search.functions = search.matches.reduce((a, b) => a + b, 0);
		search.share = sides.map((side, s) => matchedShare(0, s));
	}
	$('query').setAttribute('aria-invalid', !!search.error);
	tellSearch();
	redraw();
}

function tellSearch() {
	let line = '';
	if (search.error)
		line = 'not a regular expression: ' + search.error;
	else if (search.on && !search.frames)
		line = 'no match';
	else if (search.on) {
		line = 'matched: ' + percent(search.share[NOW]) + (isDiff ? ' after, ' + percent(search.share[BASE]) + ' before' : '') + ' of all';
		if (view.zoom)
			line += ', ' + percent(matchedShare(view.zoom, view.side)) + ' of the zoomed frame';
		line += ' (' + count(search.functions) + (search.functions === 1 ? ' function, ' : ' functions, ') +
			count(search.frames) + (search.frames === 1 ? ' frame)' : ' frames)');
	}
	$('found').textContent = line;
}

function searchChosen() {
	if (!view.chosen)
		return;
	$('regex').setAttribute('aria-pressed', false);
	$('case').setAttribute('aria-pressed', true);
	$('query').value = text(view.chosen);
	find($('query').value);
}

function toggle(button) {
	button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') !== 'true');
	find($('query').value);
}

// --- Keys
function queryKey(event) {
	if (event.key === 'Escape') {
		if (!$('query').value)
			scroller.focus();
		$('query').value = '';
		find('');
	} else if (event.key === 'Enter') {
		scroller.focus();
		nextMatch(1);
	}
}

const actions = new Map([
	['/', () => $('query').select()],
	['?', () => $('keys').showModal()],
	['Escape', () => zoom(0)],
	['i', flip],
	['n', () => nextMatch(1)],
	['N', () => nextMatch(-1)],
	['s', searchChosen],
	['b', () => isDiff && swap()],
]);
const moves = new Map([
	['Enter', () => zoom(view.chosen)],
	['ArrowUp', () => choose(view.isIcicle ? Math.max(parent[view.chosen], 0) : widestCallee(view.chosen))],
	['ArrowDown', () => choose(view.isIcicle ? widestCallee(view.chosen) : Math.max(parent[view.chosen], 0))],
	['ArrowLeft', () => choose(beside(view.chosen, -1))],
	['ArrowRight', () => choose(beside(view.chosen, 1))],
	['Home', () => choose(view.zoom)],
]);

function key(event) {
	if ($('keys').open)
		return;
	if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
		event.preventDefault();
		$('query').select();
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === $('query')) {
		queryKey(event);
		return;
	}
	const isFree = event.target === document.body || event.target === scroller;
	const act = actions.get(event.key) || (isFree ? moves.get(event.key) : null);
	if (act) {
		event.preventDefault();
		view.pointed = -1;
		place($('pointed'), -1);
		$('tip').hidden = true;
		act();
	}
}

// --- Above and below the graph
function rate(h) {
	const asked = h.asked_hz ? ' at ' + count(h.asked_hz) + ' Hz' : h.asked_period ? ', every ' + count(h.asked_period) : '';
	return asked + ' (' + h.achieved_hz.toFixed(1) + ' Hz achieved' + (h.fallback ? ', in place of ' + h.fallback : '') + ')';
}

function about(h, fires) {
	const date = h.start_unix_ms ? new Date(h.start_unix_ms).toISOString().slice(0, 19).replace('T', NBSP) + NBSP + 'UTC' : '';
	return [h.event + rate(h), samples(fires), h.duration_ns ? duration(h.duration_ns) : '',
		h.cpus ? h.cpus + (h.cpus === 1 ? ' CPU' : ' CPUs') : '', h.host, h.kernel ? 'Linux ' + h.kernel : '', date,
		h.version ? 'kbpfprof ' + h.version : ''].filter(part => part).join(' \u00b7 ');
}

function warnings() {
	const list = [], few = sides.map(side => side.fires[0]).filter(fires => fires < FEW);
	if (n > 1 && few.length) {
		const least = Math.min(...few);
		list.push('Few samples (' + count(least) + (isDiff && sides[BASE].fires[0] === least ? ', before' : '') +
			'): a share of 10 % is uncertain by \u00b1' + points(Z95 * Math.sqrt(0.09 / Math.max(least, 1))) +
			', and a function never seen may still hold up to ' +
			(least > 3 ? (300 / least).toPrecision(2) : '100') + ' %.');
	}
	if (data.selection)
		list.push('Only ' + data.selection.text + ': ' + samples(data.selection.left_out) + ' of the recording are left out.');
	return list;
}

const ALWAYS = /^(books|lost|not followed):/, LOSS = /^(lost: (?!0$)|not followed)/;

function books() {
	const lines = [['', data.books], ['before: ', data.base_books || []]].flatMap(([who, list]) => list.map(line => ({ who, line })));
	const notes = lines.filter(x => !ALWAYS.test(x.line)).map(x => x.who + x.line).concat(data.notes);
	$('books').replaceChildren();
	for (const { who, line } of lines.filter(x => ALWAYS.test(x.line))) {
		const span = element('span', who + line);
		span.classList.toggle('lost', LOSS.test(line));
		$('books').append($('books').firstChild ? ' \u00b7 ' : '', span);
	}
	if (data.header.command)
		notes.unshift('command: ' + data.header.command);
	$('notes').replaceChildren(...notes.map(line => element('li', line)));
}

function legend() {
	const parts = isDiff ?
		[[changeColour(1), 'more than before'], [changeColour(-1), 'less'], [grey(), 'no change beyond noise']] :
		[[tone(PALETTE.process, 0.5), 'process'], [tone(PALETTE.user, 0.5), 'user'], [tone(PALETTE.kernel, 0.5), 'kernel'],
			[grey(), 'no name']];
	parts.push([matchColour(), 'match'], [strip(), 'too narrow to draw']);
	$('legend').replaceChildren(...parts.map(([fill, words]) => {
		const patch = element('i', ''), span = element('span', '', patch, words);
		patch.style.background = fill;
		return span;
	}));
}

function header() {
	const h = data.header, list = warnings();
	$('title').textContent = (isDiff ? 'difference, ' : '') + h.tool + ' of ' + h.target;
	document.title = h.target + ' \u2013 flame graph';
	$('about').textContent = (isDiff ? 'after: ' : '') + about(h, sides[NOW].fires[0]);
	if (isDiff)
		$('before').textContent = 'before: ' + about(data.base_header, sides[BASE].fires[0]);
	if (isDiff)
		$('how').textContent = 'Red frames have more than before, blue ones less, grey ones changed by no more than chance makes of so many samples (in none of all frames, with 95 % certainty). Compared are ' +
			(data.noise.by_time ? 'weights a second of each run.' : 'shares of all samples of each side.');
	for (const id of ['before', 'side', 'how', 'key_b'])
		$(id).hidden = !isDiff;
	$('warning').textContent = list.join(' ');
	$('warning').hidden = !list.length;
	$('empty').textContent = (data.empty || []).join(' ');
	$('empty').hidden = n > 1;
	scroller.hidden = n === 1;
	$('side').setAttribute('aria-pressed', view.side === BASE);
	books();
	legend();
}
