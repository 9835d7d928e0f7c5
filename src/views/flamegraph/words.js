// SPDX-License-Identifier: GPL-2.0-only
// Words, state and colours. One function with the other .js files here: embed.sh puts them together in the order of the Makefile.
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
