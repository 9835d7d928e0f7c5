// SPDX-License-Identifier: GPL-2.0-only
// The data as a tree, what passes each frame, and what changed. One function with the other .js files here: embed.sh puts them together in the order of the Makefile.
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
