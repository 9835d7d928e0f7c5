// SPDX-License-Identifier: GPL-2.0-only
// TAP, as tests/lib.sh has it.
let count = 0, failed = 0;

export function ok(name, passed, ...why) {
	count++;
	console.log((passed ? 'ok ' : 'not ok ') + count + ' - ' + name);
	if (passed)
		return;
	failed++;
	for (const line of why.map(x => typeof x === 'string' ? x : JSON.stringify(x)).join('\n').split('\n'))
		console.log('# ' + line);
}

export const is = (name, got, wanted) => ok(name, Object.is(got, wanted), 'got:    ' + JSON.stringify(got), 'wanted: ' + JSON.stringify(wanted));
export const near = (name, got, wanted, within) => ok(name, Math.abs(got - wanted) <= within, 'got:    ' + got, 'wanted: ' + wanted + ' within ' + within);
export const like = (name, text, pattern) => ok(name, pattern.test(text), 'no match for: ' + pattern, 'in: ' + text);
export const note = text => console.log('# ' + text);

export function finish() {
	console.log('1..' + count);
	process.exitCode = failed ? 1 : 0;
}
