// SPDX-License-Identifier: GPL-2.0-only
'use strict';
(() => {
// Names come from programs that may be hostile: they go to textContent and fillText() alone, and are
// no keys of objects.
const $ = id => document.getElementById(id);
const began = performance.now();
const data = JSON.parse($('data').textContent);
const NOW = 0, BASE = 1;
const KERNEL = 1, UNNAMED = 2, PROCESS = 4;
const ROW = 19, NARROW = 0.5, Z95 = 1.96, FEW = 1000;
const isDiff = !!data.base_header;
const names = data.names, kinds = data.name_kinds;

// --- The tree: frames in the order of a walk, parents first. Frame 0 is the root.
const n = data.frames + 1;
const depth = new Uint32Array(n), deepest = new Uint32Array(n);
const parent = new Int32Array(n).fill(-1), name = new Int32Array(n).fill(-1);
// The first frame that is not below this one.
const after = new Int32Array(n);

// What ends in a frame goes to its place in the columns of `values`.
function readStacks(columns) {
	const stacks = data.stacks, end = stacks.length, last = [0];
	for (let at = 0, i = 0, d = 0; at < end;) {
		d -= stacks[at++];
		for (let left = stacks[at++]; left > 0; left--) {
			depth[++i] = deepest[i] = ++d;
			parent[i] = last[d - 1];
			name[i] = stacks[at++];
			last[d] = i;
		}
		for (const column of columns)
			column[i] = stacks[at++];
	}
}

function measureTree() {
	for (let i = n - 1; i > 0; i--) {
		const up = parent[i];
		after[i] ||= i + 1;
		if (after[up] < after[i])
			after[up] = after[i];
		if (deepest[up] < deepest[i])
			deepest[up] = deepest[i];
	}
	after[0] ||= 1;
}

// From what ends in a frame to what passes it.
function sum(column) {
	for (let i = n - 1; i > 0; i--)
		column[parent[i]] += column[i];
	return column;
}

function starts(total) {
	const start = new Float64Array(n), used = new Float64Array(n);
	for (let i = 1; i < n; i++) {
		const up = parent[i];
		start[i] = used[i] = used[up];
		used[up] += total[i];
	}
	return start;
}

// By frame: samples, weight, and where it starts. With a fixed period weights are samples times unit.
function side(columns, prefix, period) {
	const column = what => columns[data.values.indexOf(prefix + what)];
	const fires = sum(column('fires')), weight = column('weight') ? sum(column('weight')) : fires;
	const total = weight[0] ? weight : fires;
	return { fires, total, start: starts(total), unit: column('weight') ? 1 : period || 1 };
}

// The part of a column that is no callee's.
function own(column, i) {
	let rest = column[i];
	for (let j = i + 1; j < after[i]; j = after[j])
		rest -= column[j];
	return rest;
}

const columns = data.values.map(() => new Float64Array(n));
readStacks(columns);
measureTree();
const sides = [side(columns, '', data.period)];
if (isDiff)
	sides.push(side(columns, 'base_', data.base_period));

const isBelow = (i, top) => i >= top && i < after[top];
const text = i => i ? names[name[i]] : 'all';
const kind = i => i ? kinds[name[i]] : 0;
const object = i => i && data.name_objects[name[i]] >= 0 ? data.objects[data.name_objects[name[i]]] : '';
const share = (i, s) => sides[s].total[0] ? sides[s].total[i] / sides[s].total[0] : 0;

// 95 % bound of a share, counted as in the table: the share's samples are a binomial part of all.
function bound(i, s) {
	const k = sides[s].fires[i], all = sides[s].fires[0];
	return k ? Z95 * share(i, s) * Math.sqrt((1 - k / all) / k) : 0;
}

// Change, and the bound of what chance makes of it, as in src/views/noise.c: the two-sample z-test.
// Values are shares of 1 or, where runs are compared by time, weight a nanosecond.
function change(i) {
	const c = data.noise, fires = [sides[NOW].fires[i], sides[BASE].fires[i]];
	const values = [NOW, BASE].map(s => sides[s].total[i] * sides[s].unit * c.unit_value[s]);
	const worth = c.fire_value.map(v => v > 0 ? 1 / v : 0), sum = worth[NOW] + worth[BASE];
	const variance = [NOW, BASE].map(s => {
		const expected = (fires[NOW] + fires[BASE]) * worth[s] / (sum || 1);
		return expected * (c.by_time ? 1 : Math.max(0, 1 - expected / c.fires[s])) * c.fire_value[s] ** 2;
	});
	const delta = values[NOW] - values[BASE], noise = c.z * Math.sqrt(variance[NOW] + variance[BASE]);
	return { values, delta, noise, isReal: Math.abs(delta) > noise };
}

let widest = 0;
const changes = isDiff ? new Float64Array(n) : null;
for (let i = 1; isDiff && i < n; i++) {
	const c = change(i);
	changes[i] = c.isReal ? c.delta : 0;
	widest = Math.max(widest, Math.abs(changes[i]));
}

// --- Words
const NBSP = '\u00a0';
const count = x => x < 1e4 ? String(x) : String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, NBSP);
const samples = x => count(x) + NBSP + (x === 1 ? 'sample' : 'samples');
// In hundredths; small ones with two digits that count.
const points = x => x > 0 && x < 0.001 ? (100 * x).toPrecision(2) : (100 * x).toFixed(1);
const percent = x => points(x) + NBSP + '%';

function changeWords(x) {
	if (!data.noise.by_time)
		return points(x) + ' points';
	return data.header.is_time ? points(x) + NBSP + '% of a CPU' : (1e9 * x).toPrecision(4) + '/s';
}

function duration(ns) {
	const [unit, size] = ns < 1e3 ? ['ns', 1] : ns < 1e6 ? ['us', 1e3] : ns < 1e9 ? ['ms', 1e6] : ['s', 1e9];
	return (size === 1 ? String(ns) : (ns / size).toFixed(1)) + NBSP + unit;
}

function amount(weight) {
	return data.header.is_time ? duration(weight) : count(weight) + NBSP + data.header.unit;
}

function element(tag, content, ...children) {
	const e = document.createElement(tag);
	e.textContent = content;
	e.append(...children);
	return e;
}

const cut = (s, length) => s.length > length ? s.slice(0, length).replace(/[\ud800-\udbff]$/, '') + '\u2026' : s;

function origin(i) {
	const k = kind(i);
	if (!i)
		return 'all that was measured';
	if (k & PROCESS)
		return 'process';
	return (object(i) ? object(i) + ', ' : '') + (k & KERNEL ? 'kernel' : 'user');
}

function sideWords(i, s) {
	const v = sides[s];
	return samples(v.fires[i]) + ', ' + amount(v.total[i] * v.unit) + ': ' + percent(share(i, s)) +
		(i ? ' \u00b1' + points(bound(i, s)) : '') + ' of all';
}

// What is known of a frame, a line each.
function describe(i) {
	const v = sides[view.side], lines = [origin(i)];
	let line = sideWords(i, view.side);
	if (i && v.total[parent[i]])
		line += ', ' + percent(v.total[i] / v.total[parent[i]]) + ' of its caller';
	if (view.zoom && i > view.zoom && isBelow(i, view.zoom))
		line += ', ' + percent(v.total[i] / v.total[view.zoom]) + ' of the zoomed frame';
	lines.push((isDiff ? sideName(view.side) + ': ' : '') + line);
	if (isDiff) {
		const c = change(i);
		lines.push(sideName(1 - view.side) + ': ' + sideWords(i, 1 - view.side));
		if (i)
			lines.push('change: ' + (c.delta < 0 ? '\u2212' : '+') + changeWords(Math.abs(c.delta)) + ', ' +
				(c.isReal ? 'more than' : 'within') + ' noise (\u00b1' + changeWords(c.noise) + ')');
	}
	const alone = own(v.total, i);
	if (alone)
		lines.push('itself: ' + samples(own(v.fires, i)) + ', ' + amount(alone * v.unit) + ', ' + percent(alone / v.total[0]));
	return lines;
}

const sideName = s => s === NOW ? 'after' : 'before';

// --- What is shown
const view = { zoom: 0, chosen: 0, pointed: -1, isIcicle: false, side: isDiff && !sides[NOW].total[0] ? BASE : NOW };
const search = { on: false, matches: null, sums: null, share: [0, 0], functions: 0, frames: 0, error: '' };
const drawn = { frames: 0, strips: 0, ms: 0 };
const dark = matchMedia('(prefers-color-scheme: dark)');
const canvas = $('canvas'), context = canvas.getContext('2d'), scroller = $('view'), sheet = $('sheet');
const FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
let width = 0, height = 0, sheetHeight = 0, columnWidth = 7;

// --- Colours: by name, so that a function looks the same in every graph.
const colours = new Map();

function hash(s) {
	let h = 2166136261;
	for (let i = 0; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 16777619);
	h = Math.imul(h ^ h >>> 15, 2246822507);
	return ((h ^ h >>> 13) >>> 0) / 4294967296;
}

// First hue, last hue, saturation, lightness when light, and when dark.
const PALETTE = { user: [14, 52, 82, 68, 31], kernel: [192, 236, 62, 74, 33], process: [88, 140, 36, 72, 29] };

function tone(p, at) {
	const l = (dark.matches ? p[4] : p[3]) + (at * 7 % 1 - 0.5) * 7;
	return 'hsl(' + (p[0] + at * (p[1] - p[0])).toFixed(1) + ',' + (dark.matches ? p[2] * 0.72 : p[2]) + '%,' + l.toFixed(1) + '%)';
}

const grey = () => dark.matches ? '#4b4f59' : '#d3d5da';
const strip = () => dark.matches ? '#5d626d' : '#b4b8c0';
const matchColour = () => dark.matches ? '#b5179e' : '#f07be6';
const ink = () => dark.matches ? '#f3f4f6' : '#15161a';

function nameColour(k, s) {
	if (k & UNNAMED)
		return grey();
	return tone(k & PROCESS ? PALETTE.process : k & KERNEL ? PALETTE.kernel : PALETTE.user, hash(s));
}

// 0: no change; -1, 1: the largest there is. By the root, or small ones would all look alike.
function changeColour(x) {
	const strength = Math.sqrt(Math.abs(x)), hue = x > 0 ? 4 : 216;
	if (!x)
		return grey();
	return dark.matches ? 'hsl(' + hue + ',' + (45 + 30 * strength) + '%,' + (24 + 20 * strength) + '%)' :
		'hsl(' + hue + ',' + (70 + 15 * strength) + '%,' + (88 - 26 * strength) + '%)';
}

function colour(i) {
	if (!i)
		return grey();
	if (isDiff)
		return changeColour(changes[i] / (widest || 1));
	let c = colours.get(name[i]);
	if (!c)
		colours.set(name[i], c = nameColour(kind(i), text(i)));
	return c;
}

// --- Geometry, in pixels of the sheet
const isAncestor = i => i < view.zoom && isBelow(view.zoom, i);
const top = d => view.isIcicle ? d * ROW : sheetHeight - (d + 1) * ROW;

function scale() {
	const total = sides[view.side].total[view.zoom];
	return total ? width / total : 0;
}

function box(i) {
	const v = sides[view.side], y = top(depth[i]);
	if (isAncestor(i) || i === view.zoom)
		return { x: 0, y, width, height: ROW };
	if (!isBelow(i, view.zoom))
		return null;
	return { x: (v.start[i] - v.start[view.zoom]) * scale(), y, width: v.total[i] * scale(), height: ROW };
}

function widestNear(up, x) {
	const v = sides[view.side], k = scale();
	let best = -1;
	for (let i = up + 1; i < after[up]; i = after[i]) {
		const left = (v.start[i] - v.start[view.zoom]) * k;
		if (v.total[i] * k < NARROW && Math.abs(left - x) < 3 && (best < 0 || v.total[i] > v.total[best]))
			best = i;
	}
	return best;
}

// The frame at a point of the sheet, -1: none. In a strip: the widest of those close by.
function hit(x, y) {
	const v = sides[view.side], k = scale();
	const row = Math.floor((view.isIcicle ? y : sheetHeight - y) / ROW);
	let i = view.zoom;
	if (row < 0 || x < 0 || x >= width)
		return -1;
	while (depth[i] > row)
		i = parent[i];
	const at = v.start[view.zoom] + x / (k || 1);
	while (depth[i] < row) {
		let child = i + 1;
		while (child < after[i] && at >= v.start[child] + v.total[child])
			child = after[child];
		if (child >= after[i] || !v.total[child])
			return -1;
		if (v.total[child] * k < NARROW)
			return depth[child] === row ? widestNear(i, x) : -1;
		i = child;
	}
	return i;
}

// --- Drawing: what can be seen and no more
const hasMatch = i => search.on && search.sums[after[i]] > search.sums[i];

// Frames too narrow to draw, which touch, as one strip.
const strips = {
	rows: [],
	add(d, x, w, isMatch) {
		const run = this.rows[d];
		drawn.strips++;
		if (run && x - run.to < NARROW) {
			run.to = x + w;
			run.isMatch ||= isMatch;
			return;
		}
		this.draw(d);
		this.rows[d] = { from: x, to: x + w, isMatch };
	},
	draw(d) {
		const run = this.rows[d];
		if (!run)
			return;
		context.fillStyle = run.isMatch ? matchColour() : strip();
		context.fillRect(run.from, top(d) - scroller.scrollTop, Math.max(run.to - run.from, NARROW), ROW - 1);
	},
	flush() {
		this.rows.forEach((run, d) => this.draw(d));
		this.rows = [];
	},
};

function label(i, x, y, w) {
	const room = Math.floor((w - 8) / columnWidth), s = text(i);
	if (room < 3)
		return;
	context.fillStyle = ink();
	context.fillText(cut(s, s.length > room ? room - 1 : room), x + 4, y + ROW / 2, w - 6);
}

function drawFrame(i, x, w, alpha) {
	const y = top(depth[i]) - scroller.scrollTop;
	const isMatch = search.on && i && search.matches[name[i]];
	context.globalAlpha = search.on && !isMatch ? Math.min(alpha, 0.5) : alpha;
	context.fillStyle = isMatch ? matchColour() : colour(i);
	context.fillRect(x, y, w > 2 ? w - 0.7 : w, ROW - 1);
	label(i, x, y, w);
	context.globalAlpha = 1;
	drawn.frames++;
}

function drawTree() {
	const v = sides[view.side], k = scale(), z = view.zoom, end = after[z], from = v.start[z];
	const first = scroller.scrollTop - ROW, last = scroller.scrollTop + height;
	for (let i = parent[z]; i >= 0; i = parent[i])
		drawFrame(i, 0, width, 0.6);
	for (let i = z; i < end;) {
		const y = top(depth[i]), w = i === z ? width : v.total[i] * k;
		if (w < NARROW) {
			if (w > 0)
				strips.add(depth[i], (v.start[i] - from) * k, w, hasMatch(i));
			i = after[i];
			continue;
		}
		if (y >= first && y <= last)
			drawFrame(i, (v.start[i] - from) * k, w, 1);
		// What it calls is further out than the edge.
		i = (view.isIcicle ? y > last : y < first) ? after[i] : i + 1;
	}
	strips.flush();
}

function draw() {
	const start = performance.now(), ratio = devicePixelRatio || 1;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = FONT;
	context.textBaseline = 'middle';
	context.direction = 'ltr';
	columnWidth = context.measureText('MMMMMMMMMM').width / 10;
	drawn.frames = drawn.strips = 0;
	drawTree();
	mark();
	place($('pointed'), view.pointed);
	drawn.ms = performance.now() - start;
}

let isDue = false;

function redraw() {
	if (isDue)
		return;
	isDue = true;
	requestAnimationFrame(() => {
		isDue = false;
		draw();
	});
}

function place(frame, i) {
	const b = i >= 0 ? box(i) : null;
	frame.hidden = !b;
	if (!b)
		return;
	frame.style.left = Math.min(b.x, width - 3) + 'px';
	frame.style.top = b.y + 'px';
	frame.style.width = Math.max(b.width, 3) + 'px';
	frame.style.height = ROW - 1 + 'px';
}

// The whole picture is marked only for who moves by keys.
function mark() {
	place($('chosen'), view.chosen !== view.zoom || document.activeElement === scroller ? view.chosen : -1);
}

// The root's end stays where it is when the height changes.
function resize() {
	const below = sheetHeight - scroller.scrollTop - height;
	width = scroller.clientWidth;
	height = scroller.clientHeight;
	sheetHeight = Math.max((deepest[view.zoom] + 1) * ROW + 6, height);
	sheet.style.height = sheetHeight + 'px';
	canvas.style.height = height + 'px';
	if (!view.isIcicle)
		scroller.scrollTop = sheetHeight - height - below;
	draw();
}

// --- Status, tooltip
function tell() {
	const i = view.pointed >= 0 ? view.pointed : view.chosen, lines = describe(i);
	$('status').replaceChildren(element('b', cut(text(i), 400)), '  ' + lines.join(' \u00b7 '));
}

function showTip(event) {
	const tip = $('tip'), i = view.pointed;
	tip.hidden = i < 0;
	if (i < 0)
		return;
	tip.replaceChildren(element('div', '', element('b', cut(text(i), 600))), ...describe(i).map(line => element('div', line)));
	const w = tip.offsetWidth, h = tip.offsetHeight;
	const y = event.clientY + 18 + h > innerHeight ? event.clientY - h - 12 : event.clientY + 18;
	tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - w - 8)) + 'px';
	tip.style.top = Math.max(4, y) + 'px';
}

function point(i, event) {
	view.pointed = i;
	scroller.classList.toggle('zooms', i >= 0 && i !== view.zoom);
	place($('pointed'), i);
	showTip(event);
	tell();
}

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

// --- For scripts and tests: what is shown, in numbers; nothing can be changed through it.
function frame(i) {
	return { name: text(i), object: object(i), isKernel: !!(kind(i) & KERNEL), isUnnamed: !!(kind(i) & UNNAMED), depth: depth[i],
		parent: parent[i], colour: colour(i), sides: sides.map((v, s) => ({ fires: v.fires[i], weight: v.total[i] * v.unit,
			ownFires: own(v.fires, i), share: share(i, s) })), change: isDiff ? change(i) : null };
}

function findFrames(wanted) {
	const list = [];
	for (let i = 0; i < n; i++)
		if (text(i) === wanted)
			list.push(i);
	return list;
}

// In pixels of the window; null: not shown.
function where(i) {
	const b = box(i), r = canvas.getBoundingClientRect();
	return b && { x: r.left + b.x, y: r.top + b.y - scroller.scrollTop, width: b.width, height: ROW };
}

header();
resize();
scroller.scrollTop = sheetHeight;
choose(0);
draw();
const ready = performance.now() - began;

window.flamegraph = Object.freeze({ frames: n, frame, depth: i => depth[i], find: findFrames, where,
	state: () => ({ zoom: view.zoom, chosen: view.chosen, pointed: view.pointed, isIcicle: view.isIcicle, side: view.side,
		matched: search.share.slice(0, sides.length), matchedFrames: search.frames, error: search.error, isDark: dark.matches,
		drawnFrames: drawn.frames, strips: drawn.strips, drawMs: drawn.ms, readyMs: ready }) });

// --- Events
const at = event => {
	const r = canvas.getBoundingClientRect();
	return hit(event.clientX - r.left, event.clientY - r.top + scroller.scrollTop);
};
scroller.addEventListener('mousemove', event => point(at(event), event));
scroller.addEventListener('mouseleave', event => point(-1, event));
scroller.addEventListener('click', event => {
	const i = at(event);
	if (i >= 0)
		zoom(i);
});
scroller.addEventListener('scroll', redraw);
scroller.addEventListener('focus', mark);
scroller.addEventListener('blur', mark);
document.addEventListener('keydown', key);
$('query').addEventListener('input', event => find(event.target.value));
$('case').addEventListener('click', event => toggle(event.target));
$('regex').addEventListener('click', event => toggle(event.target));
$('icicle').addEventListener('click', flip);
$('side').addEventListener('click', swap);
$('reset').addEventListener('click', () => zoom(0));
$('help').addEventListener('click', () => $('keys').showModal());
dark.addEventListener('change', () => {
	colours.clear();
	legend();
	redraw();
});
new ResizeObserver(resize).observe(scroller);
addEventListener('resize', resize);
})();
