// SPDX-License-Identifier: GPL-2.0-only
// A flame graph in a browser, and what a hand does with it.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { chromium } = createRequire(process.env.BROWSER_MODULES + '/')('playwright-core');

export function launch() {
	const args = ['--disable-dev-shm-usage'];
	if (process.getuid() === 0)
		args.push('--no-sandbox'); // Chromium's own has no meaning for root
	return chromium.launch({ executablePath: process.env.CHROMIUM, args });
}

// What must not happen is collected in `alarms`: requests, dialogs, errors, violations of the policy.
export async function open(browser, file, options = {}) {
	const page = await browser.newPage({ viewport: { width: 1200, height: 700 }, ...options });
	const url = pathToFileURL(file).href, alarms = [];
	page.on('request', r => r.url() === url || alarms.push('request: ' + r.url()));
	page.on('dialog', d => { alarms.push('dialog: ' + d.message()); d.dismiss(); });
	page.on('pageerror', e => alarms.push('error: ' + e.message));
	page.on('console', m => alarms.push('console: ' + m.text()));
	const began = Date.now();
	await page.goto(url);
	await page.waitForFunction(() => window.flamegraph, null, { timeout: 60000 });
	const it = {
		page, alarms, openMs: Date.now() - began,
		state: () => page.evaluate(() => flamegraph.state()),
		text: selector => page.textContent(selector),
		find: (name, nth = 0) => page.evaluate(([name, nth]) => flamegraph.find(name)[nth], [name, nth]),
		frame: i => page.evaluate(i => flamegraph.frame(i), i),
		where: i => page.evaluate(i => flamegraph.where(i), i),
		// A drawing is due at the next frame.
		drawn: () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))),
		async hover(i, x = 0.5) {
			const b = await it.where(i);
			await page.mouse.move(b.x + b.width * x, b.y + b.height / 2);
		},
		async click(i, x = 0.5) {
			const b = await it.where(i);
			await page.mouse.click(b.x + b.width * x, b.y + b.height / 2);
			await it.drawn();
		},
		async key(...keys) {
			for (const k of keys)
				await page.keyboard.press(k);
			await it.drawn();
		},
		async search(query) {
			await page.fill('#query', query);
			await it.drawn();
			return it.text('#found');
		},
		// [red, green, blue] as drawn, a little beside the left edge: text begins further right. `from`, `to`: pixels beside.
		pixels: (i, from, to) => page.evaluate(([i, from, to]) => {
			const canvas = document.getElementById('canvas'), r = canvas.getBoundingClientRect(), b = flamegraph.where(i);
			const copy = new OffscreenCanvas(to - from, 1).getContext('2d', { willReadFrequently: true }), k = canvas.width / r.width;
			copy.fillStyle = '#0f0'; // what is not drawn looks like nothing else
			copy.fillRect(0, 0, to - from, 1);
			copy.drawImage(canvas, Math.round((b.x - r.left) * k) + from, Math.round((b.y - r.top + 4) * k), to - from, 1, 0, 0, to - from, 1);
			const data = [...copy.getImageData(0, 0, to - from, 1).data];
			return Array.from({ length: to - from }, (x, j) => data.slice(4 * j, 4 * j + 3));
		}, [i, from, to]),
		pixel: async i => (await it.pixels(i, 2, 3))[0],
	};
	return it;
}
