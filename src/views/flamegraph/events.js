// SPDX-License-Identifier: GPL-2.0-only
// What scripts and tests may ask; who calls whom. One function with the other .js files here: embed.sh puts them together in the order of the Makefile.
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
