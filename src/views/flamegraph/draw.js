// SPDX-License-Identifier: GPL-2.0-only
// Geometry, drawing, status and tooltip. One function with the other .js files here: embed.sh puts them together in the order of the Makefile.
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
