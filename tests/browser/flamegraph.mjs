// SPDX-License-Identifier: GPL-2.0-only
// Flame graphs in a browser, against what is known of the recordings in tests/unit/view_flamegraph.c.
// flamegraph.mjs DIR: where that program wrote them.
import fs from 'node:fs';
import { finish, is, like, near, note, ok } from './tap.mjs';
import { launch, open } from './page.mjs';

const dir = process.argv[2];
const browser = await launch();
const visit = (name, options) => open(browser, dir + '/' + name + '.html', options);
const plain = s => s.replace(/\u00a0/g, ' ');

async function end(it, name) {
	is(name + ': no request, no dialog, no error', it.alarms.join('; '), '');
	await it.page.close();
}

// burn: main: hot in hot 40, libc without names 20, read > read [kernel] > copy 30; aaa: work 10; zzz: no stack 2
async function header() {
	const it = await visit('small');
	is('title', await it.text('h1'), 'profile of whole machine');
	like('what was measured', plain(await it.text('#about')),
		/^cpu-clock at 100 Hz .* 102 samples · 10\.0 s · 2 CPUs · Linux 6\.1\.0-18-amd64 x86_64 · 2023-11-14 22:13:20 UTC$/);
	like('the books', await it.text('#books'), /books: 203 due = 102 kept \+ 98 idle \+ 3 lost \+ 0 not delivered/);
	is('a loss stands out', await it.text('#books .lost'), 'lost: 3 stack map full (2.9 % of 105)');
	// 1.96 * sqrt(.1 * .9 / 102) = 5.8 %, 3 / 102 = 2.9 %
	like('few samples are said', await it.text('#warning'), /Few samples \(102\).*10 % is uncertain by ±5\.8.*up to 2\.9 %/);
	is('frames', (await it.page.evaluate(() => flamegraph.frames)), 13);
	await end(it, 'header');
}

async function zooming() {
	const it = await visit('small');
	const read = await it.find('read'), copy = await it.find('copy'), main = await it.find('main'), hot = await it.find('hot');
	const view = await it.where(0);
	near('a box is as wide as its share', (await it.where(copy)).width / view.width, 30 / 102, 1e-6);
	ok('root at the bottom', (await it.where(copy)).y < (await it.where(main)).y && (await it.where(main)).y < (await it.where(0)).y);
	await it.click(read);
	is('a click zooms', (await it.state()).zoom, read);
	near('... to the whole width', (await it.where(copy)).width, view.width, 1e-6);
	near('... ancestors stay', (await it.where(main)).width, view.width, 1e-6);
	is('... what is elsewhere goes', await it.where(hot), null);
	await it.click(main);
	is('a click on an ancestor widens', (await it.state()).zoom, main);
	near('... to its share', (await it.where(copy)).width / view.width, 30 / 90, 1e-6);
	await it.page.click('#reset');
	is('the button resets', (await it.state()).zoom, 0);
	ok('... and is off then', await it.page.isDisabled('#reset'));
	await it.click(read);
	await it.key('Escape');
	is('Escape resets', (await it.state()).zoom, 0);
	await it.click(read);
	await it.click(0);
	is('a click on the root resets', (await it.state()).zoom, 0);
	await it.page.mouse.click(view.x + 5, view.y - 200);
	is('a click beside does nothing', (await it.state()).zoom, 0);
	await end(it, 'zoom');
}

async function searching() {
	const it = await visit('small');
	const matched = async () => (await it.state()).matched[0];
	like('search: a function within itself counts once', plain(await it.search('hot')), /^matched: 39\.2 % of all \(1 function, 2 frames\)$/);
	near('... exactly', await matched(), 40 / 102, 1e-12);
	await it.search('^(read|copy)$');
	near('search: nested matches count once', await matched(), 30 / 102, 1e-12);
	await it.search('hot|read|work');
	near('search: matches side by side add up', await matched(), 80 / 102, 1e-12);
	await it.search('HOT');
	near('search: any case', await matched(), 40 / 102, 1e-12);
	await it.page.click('#case');
	is('search: this case alone', await it.text('#found'), 'no match');
	await it.page.click('#case');
	like('search: what is no expression is told', await it.search('libc['), /^not a regular expression: /);
	is('... and marked', await it.page.getAttribute('#query', 'aria-invalid'), 'true');
	await it.page.click('#regex');
	is('search: as plain text it is none', await it.text('#found'), 'no match');
	await it.search('libc.so.6 [');
	near('search: plain text', await matched(), 20 / 102, 1e-12);
	is('search: "null" matches no absence', await it.search('null'), 'no match');
	await it.page.click('#regex');
	await it.search('copy');
	await it.click(await it.find('main'));
	like('search: share of what is zoomed', plain(await it.text('#found')), /29\.4 % of all, 33\.3 % of the zoomed frame/);
	const [red, green, blue] = await it.pixel(await it.find('copy'));
	ok('a match is purple', red > green + 60 && blue > green + 60, [red, green, blue]);
	is('nothing is searched: nothing is said', await it.search(''), '');
	await end(it, 'search');
}

async function keys() {
	const it = await visit('small');
	const focused = () => it.page.evaluate(() => document.activeElement.id);
	const chosen = async () => (await it.frame((await it.state()).chosen)).name;
	const walk = async (...k) => { await it.key(...k); return chosen(); };
	await it.key('/');
	is('/ goes to the search', await focused(), 'query');
	await it.page.keyboard.type('copy/i?');
	is('letters typed there are text', await it.page.inputValue('#query'), 'copy/i?');
	await it.key('Escape');
	is('Escape clears it', await it.page.inputValue('#query'), '');
	await it.key('Escape');
	is('Escape again goes to the graph', await focused(), 'view');
	await it.key('Control+f');
	is('Ctrl-F goes to the search', await focused(), 'query');
	await it.page.keyboard.type('^read$');
	is('Enter goes to the first match', await walk('Enter'), 'read');
	is('n to the next', (await walk('n'), (await it.frame((await it.state()).chosen)).isKernel), true);
	is('N back', (await walk('N'), (await it.frame((await it.state()).chosen)).isKernel), false);
	await it.search('');
	await it.page.focus('#view');
	is('Home: the root', await walk('Home'), 'all');
	is('up: the widest callee', await walk('ArrowUp'), 'burn');
	is('left: beside it', await walk('ArrowLeft'), 'aaa');
	is('left: none, it stays', await walk('ArrowLeft'), 'aaa');
	is('right, up, up', await walk('ArrowRight', 'ArrowUp', 'ArrowUp'), 'hot');
	is('right', await walk('ArrowRight'), 'libc.so.6 [stripped]');
	is('down: the caller', await walk('ArrowDown'), 'main');
	const mark = await it.page.evaluate(() => { const r = document.getElementById('chosen').getBoundingClientRect(); return [r.x, r.y, r.width]; });
	const b = await it.where(await it.find('main'));
	near('the focus is seen where the frame is', Math.abs(mark[0] - b.x) + Math.abs(mark[1] - b.y) + Math.abs(mark[2] - b.width), 0, 1);
	like('the status line tells of it', plain(await it.text('#status')), /^main +burn, user · 90 samples, 900\.0 ms: 88\.2 % /);
	is('Enter zooms', (await it.key('Enter'), (await it.state()).zoom), await it.find('main'));
	is('s searches for it', (await it.key('s'), await it.page.inputValue('#query')), 'main');
	await it.key('i');
	ok('i: root at the top', (await it.where(await it.find('copy'))).y > (await it.where(0)).y && (await it.state()).isIcicle);
	is('there, down is the callee', await walk('ArrowDown'), 'hot');
	await it.page.click('#icicle');
	ok('the button: at the bottom again', (await it.where(await it.find('copy'))).y < (await it.where(0)).y);
	await it.page.focus('#view');
	await it.key('?');
	ok('? opens help', await it.page.isVisible('#keys'));
	await it.key('i');
	ok('keys do nothing behind it', !(await it.state()).isIcicle);
	await it.key('Escape');
	ok('Escape closes it', !await it.page.isVisible('#keys') && (await it.state()).zoom !== 0);
	await end(it, 'keys');
}

async function tooltip() {
	const it = await visit('small');
	ok('no tooltip without a pointer', !await it.page.isVisible('#tip'));
	// 1.96 * sqrt((1 - 30 / 102) / 30) * 30 / 102 = 8.8 %
	await it.hover(await it.find('copy'));
	is('tooltip', plain(await it.page.innerText('#tip')),
		'copy\n[kernel], kernel\n30 samples, 300.0 ms: 29.4 % ±8.8 of all, 100.0 % of its caller\nitself: 30 samples, 300.0 ms, 29.4 %');
	await it.hover(await it.find('main'));
	like('of one that is not at work itself', plain(await it.page.innerText('#tip')), /^main\nburn, user\n90 samples, 900\.0 ms: 88\.2 % ±6\.3 of all, 100\.0 % of its caller$/);
	await it.page.mouse.move(5, 5);
	ok('it goes with the pointer', !await it.page.isVisible('#tip'));
	await end(it, 'tooltip');
}

async function colours() {
	const it = await visit('small'), other = await visit('hostile');
	const [grey, user, kernel] = [await it.pixel(await it.find('libc.so.6 [stripped]')), await it.pixel(await it.find('hot')), await it.pixel(await it.find('copy'))];
	ok('frames without a name are grey', Math.max(...grey) - Math.min(...grey) < 12, grey);
	ok('user frames are warm', user[0] > user[2] + 40, user);
	ok('kernel frames are blue', kernel[2] > kernel[0] + 25, kernel);
	is('a function has one colour', (await it.frame(await it.find('hot', 1))).colour, (await it.frame(await it.find('hot'))).colour);
	is('... in any graph', (await it.frame(await it.find('main'))).colour, (await other.frame(await other.find('main'))).colour);
	ok('user and kernel of one name differ', (await it.frame(await it.find('read'))).colour !== (await it.frame(await it.find('read', 1))).colour);
	const back = () => it.page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).reduce((a, b) => a + +b, 0));
	const light = await back();
	await it.page.emulateMedia({ colorScheme: 'dark' });
	await it.drawn();
	ok('dark mode', await back() < 150 && light > 600 && (await it.state()).isDark);
	const dark = await it.pixel(await it.find('hot'));
	ok('... of the frames too', dark[0] + dark[1] + dark[2] < user[0] + user[1] + user[2] - 100, dark, user);
	await end(it, 'colours');
	await other.page.close();
}

async function sizes() {
	const it = await visit('small', { deviceScaleFactor: 2 });
	const canvas = () => it.page.evaluate(() => { const c = document.getElementById('canvas'); return [c.width, c.clientWidth]; });
	let [pixels, width] = await canvas();
	is('sharp on a dense screen', pixels, 2 * width);
	await it.page.setViewportSize({ width: 500, height: 500 });
	await it.drawn();
	[pixels, width] = await canvas();
	ok('follows the window', width <= 500 && pixels === 2 * width, [pixels, width]);
	near('... with its boxes', (await it.where(await it.find('copy'))).width / width, 30 / 102, 1e-6);
	is('nothing sticks out', await it.page.evaluate(() => document.documentElement.scrollWidth), 500);
	await end(it, 'sizes');
}

const HOSTILE = '</script><img src=x onerror=window.pwned=1>';

async function hostile() {
	const it = await visit('hostile');
	is('hostile target: shown as it is', await it.text('h1'), 'profile of COMMAND ' + HOSTILE);
	const frames = await it.page.evaluate(() => flamegraph.frames), wrong = [];
	for (let i = 1; i < frames; i++) {
		await it.hover(i);
		const shown = (await it.page.innerText('#tip')).split('\n')[0], name = (await it.frame(i)).name;
		if (shown !== (name.length > 600 ? name.slice(0, 600) + '…' : name))
			wrong.push([name, shown]);
	}
	is('hostile names: shown as they are', JSON.stringify(wrong), '[]');
	await it.click(await it.find(HOSTILE, 1));
	await it.key('s');
	// It is the caller everywhere but under "long": 1500 of 1600
	near('searched for', (await it.state()).matched[0], 1500 / 1600, 1e-12);
	await it.key('Escape');
	await it.page.click('#regex');
	for (const name of ['null', 'constructor', '__proto__', 'hasOwnProperty', 'undefined']) {
		await it.search('^' + name + '$');
		near('a function called ' + name, (await it.state()).matched[0], 100 / 1600, 1e-12);
	}
	is('no element came of a name', await it.page.evaluate(() => document.querySelectorAll('img, svg, script:not([id]), [onerror], [onload]').length), 1);
	is('nothing of it ran', await it.page.evaluate(() => typeof window.pwned), 'undefined');
	const [names] = await it.page.evaluate(() => [Array.from({ length: flamegraph.frames }, (x, i) => flamegraph.frame(i).name).join('')]);
	ok('no control character, no turn of direction', !/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(names));
	ok('a name of 4000 letters is whole', names.includes('long_name_'.repeat(400)));
	await end(it, 'hostile');
}

// Were a name to become an element after all, the policy would stop it.
async function policy() {
	const it = await visit('small');
	const blocked = await it.page.evaluate(async () => {
		const violations = [];
		document.addEventListener('securitypolicyviolation', e => violations.push(e.effectiveDirective));
		const div = document.createElement('div');
		div.innerHTML = '<img src="http://127.0.0.1:9/x" onerror="window.pwned=1"><svg onload="window.pwned=1"></svg>';
		document.body.append(div);
		const s = document.createElement('script');
		s.textContent = 'window.pwned = 1';
		document.body.append(s);
		await fetch('http://127.0.0.1:9/').catch(() => {});
		await new Promise(done => setTimeout(done, 200));
		return { pwned: typeof window.pwned, directives: [...new Set(violations)].sort().join(' ') };
	});
	is('policy: no script but its own', blocked.pwned, 'undefined');
	like('policy: no picture, no request', blocked.directives, /connect-src.*img-src.*script-src/);
	await it.page.close();
}

// After: same 2000, grew 800, shrank 392, new 124, noise 684 of 4000; before: 4000, 800, 1600, gone 240, 1360 of 8000.
async function difference() {
	const it = await visit('diff');
	const pixels = {};
	for (const name of ['same', 'grew', 'shrank', 'new', 'noise'])
		pixels[name] = await it.pixel(await it.find(name));
	const isGrey = p => Math.max(...p) - Math.min(...p) < 12;
	ok('no change: grey', isGrey(pixels.same), pixels);
	ok('a change within noise: grey', isGrey(pixels.noise), pixels);
	ok('more: red', pixels.grew[0] > pixels.grew[2] + 60 && pixels.new[0] > pixels.new[2] + 20, pixels);
	ok('less: blue', pixels.shrank[2] > pixels.shrank[0] + 60, pixels);
	ok('what is gone has no width', (await it.where(await it.find('gone'))).width === 0);
	// Pooled: p = 1992 / 12000, se = sqrt(p (1 - p) (1 / 4000 + 1 / 8000)) = 0.72054 %. Of 8 frames none by chance: the
	// normal distribution's quantile at 1 - .05 / 8 / 2 is 2.7344. Of shrank alone: 1.96 * sqrt((1 - .098) / 392) * 9.8 % = .92.
	await it.hover(await it.find('shrank'));
	const tip = plain(await it.page.innerText('#tip'));
	like('tooltip: after', tip, /after: 392 samples, 3\.9 s: 9\.8 % ±0\.9 of all/);
	like('tooltip: before', tip, /before: 1600 samples, 32\.0 s: 20\.0 % ±0\.9 of all/);
	like('tooltip: change', tip, /change: −10\.2 points, more than noise \(±2\.0 points\)/);
	near('its bound', (await it.frame(await it.find('shrank'))).change.noise, 0.0072054 * 2.7344, 1e-5);
	await it.hover(await it.find('noise'));
	like('tooltip: within noise', plain(await it.page.innerText('#tip')), /change: \+0\.10? points, within noise/);
	like('both are named', plain(await it.text('#before')), /^before: .*8000 samples.*before\.example/);
	is('a loss before stands out', await it.text('#books .lost'), 'before: lost: 7 stack map busy (0.1 % of 8007)');
	like('search: both shares', plain(await it.search('shrank')), /9\.8 % after, 20\.0 % before/);
	await it.search('');
	await it.page.focus('#view');
	await it.key('b');
	near('b: widths before', (await it.where(await it.find('gone'))).width / (await it.where(0)).width, 240 / 8000, 1e-6);
	is('... and what is new has none', (await it.where(await it.find('new'))).width, 0);
	const gone = await it.pixel(await it.find('gone'));
	ok('gone: blue', gone[2] > gone[0] + 20, gone);
	await it.page.click('#side');
	near('the button: after', (await it.where(await it.find('new'))).width / (await it.where(0)).width, 124 / 4000, 1e-6);
	await end(it, 'difference');
}

async function deep() {
	const it = await visit('deep');
	const inside = async i => {
		const b = await it.where(i), v = await it.page.locator('#view').boundingBox();
		return b.y >= v.y - 1 && b.y + b.height <= v.y + v.height + 1;
	};
	const top = await it.find('level_250');
	ok('deep: the root is seen first', await inside(0) && !await inside(top));
	await it.page.focus('#view');
	for (let i = 0; i < 251; i++)
		await it.page.keyboard.press('ArrowUp');
	await it.drawn();
	is('keys lead to the end', (await it.state()).chosen, top);
	ok('... and the view follows', await inside(top));
	const [red, , blue] = await it.pixel(top);
	ok('... where it is drawn', red > blue + 40, [red, blue]);
	await it.key('i');
	ok('icicle: still in view', await inside(top));
	await end(it, 'deep');
}

// 100 000 frames beside each other, 1 of 100 004 samples each, but n50000 with 5.
async function narrow() {
	const it = await visit('narrow');
	const state = await it.state(), wide = await it.find('n50000'), first = await it.find('n00000');
	ok('narrow: drawn as strips', state.strips === 100000 && state.drawnFrames === 3, state);
	const grey = await it.pixel(first);
	ok('... which are seen', Math.max(...grey) < 225 && Math.max(...grey) - Math.min(...grey) < 25, grey);
	await it.search('n50000');
	const purple = Math.max(...(await it.pixels(wide, -2, 3)).map(([red, green]) => red - green));
	ok('a match in a strip shows', purple > 20, purple);
	await it.search('');
	await it.click(wide);
	is('a click on a strip zooms to the widest there', (await it.state()).zoom, wide);
	await it.key('Escape');
	await it.page.focus('#view');
	await it.key('Home', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowLeft');
	is('keys lead to each of them', (await it.frame((await it.state()).chosen)).name, 'n49999');
	await end(it, 'narrow');
}

async function empty() {
	const it = await visit('empty');
	is('nothing to draw: the reason', await it.text('#empty'), 'no samples: the CPUs were idle (100 samples, --idle shows them)');
	await it.key('ArrowUp', 'Enter', 'i', 'Escape');
	await end(it, 'empty');
}

// From tests/programs/recording_make.c: its shares, through a file and the commands.
async function recorded() {
	const it = await visit('report');
	for (const [name, wanted] of [['spin', 0.6], ['copy_to_user', 0.2], ['memcpy', 0.1], ['ext4_write', 0.08]]) {
		await it.search('^' + name + '$');
		near('report: share of ' + name, (await it.state()).matched[0], wanted, 1e-9);
	}
	like('report: its losses', await it.text('#books .lost'), /^lost: 40 stack map full, 10 hash collision/);
	await end(it, 'report');
	const same = await visit('same');
	const changed = await same.page.evaluate(() => Array.from({ length: flamegraph.frames }, (x, i) => flamegraph.frame(i)).filter(f => f.change.isReal).length);
	is('diff: a recording differs from itself nowhere', changed, 0);
	await end(same, 'diff');
}

// Shares of lines that match, in folded stacks: "frame;frame;frame count".
function sharesOf(file, patterns) {
	const sums = patterns.map(() => 0);
	let all = 0, stacks = 0;
	for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
		const space = line.lastIndexOf(' ');
		if (space < 0)
			continue;
		const frames = line.slice(0, space).split(';'), weight = Number(line.slice(space + 1));
		stacks++;
		all += weight;
		patterns.forEach((p, i) => { sums[i] += frames.some(f => p.test(f)) ? weight : 0; });
	}
	return { stacks, shares: sums.map(s => s / all) };
}

async function big() {
	const patterns = ['^f7$', '^f1[0-9]$', '9', 'f29..', '^big$'];
	const truth = sharesOf(dir + '/big.folded', patterns.map(p => new RegExp(p)));
	const it = await visit('big');
	ok('big: 100 000 stacks', truth.stacks >= 100000, truth.stacks);
	for (const [i, p] of patterns.entries()) {
		await it.search(p);
		near('big: share matched by ' + p, (await it.state()).matched[0], truth.shares[i], 1e-9);
	}
	await it.search('');
	const process = await it.find('big'), widest = await it.page.evaluate(() => {
		let best = 0;
		for (let i = 3, total = 0; i < flamegraph.frames; i++) {
			const f = flamegraph.depth(i) === 2 ? flamegraph.frame(i).sides[0].fires : 0;
			if (f > total)
				[best, total] = [i, f];
		}
		return best;
	});
	const times = { zoom: [], reset: [] };
	for (let round = 0; round < 5; round++) {
		let began = Date.now();
		await it.click(widest);
		times.zoom.push(Date.now() - began);
		began = Date.now();
		await it.key('Escape');
		times.reset.push(Date.now() - began);
	}
	const state = await it.state(), middle = list => list.sort((a, b) => a - b)[2];
	note(`${truth.stacks} stacks, ${await it.page.evaluate(() => flamegraph.frames)} frames, ${fs.statSync(dir + '/big.html').size} bytes`);
	note(`ms: open ${it.openMs}, of which reading the data and drawing ${Math.round(state.readyMs)}; zoom ${middle(times.zoom)}, reset ${middle(times.reset)}, drawing ${state.drawMs.toFixed(1)}`);
	ok('big: opens, zooms and resets', it.openMs < 30000 && Math.max(...times.zoom, ...times.reset) < 10000, times);
	ok('big: all frames below are drawn or in strips', state.drawnFrames > 2 && state.strips > 0 && (await it.frame(process)).sides[0].share === 1, state);
	await end(it, 'big');
}

function size() {
	for (const name of ['small', 'hostile', 'diff', 'empty']) {
		const html = fs.readFileSync(dir + '/' + name + '.html');
		const start = html.indexOf('<script type="application/json"'), stop = html.indexOf('</script>', start);
		ok(name + ': at most 40 KB beside the data', start > 0 && html.length - (stop - start) <= 40 * 1024, html.length - (stop - start));
	}
}

try {
	size();
	for (const part of [header, zooming, searching, keys, tooltip, colours, sizes, hostile, policy, difference, deep, narrow, empty, recorded, big])
		await part();
} finally {
	await browser.close();
}
finish();
