# SPDX-License-Identifier: GPL-2.0-only
# stats.awk: what the reports of the benchmarks share. `rounds` is set by the caller.

# Sorts the known ones of list[1..rounds] into sorted[1..]; returns how many.
function sort_known(list,    i, j, n, v) {
	n = 0
	for (i = 1; i <= rounds; i++) {
		if (list[i] == "")
			continue
		v = list[i]
		for (j = n++; j > 0 && sorted[j] > v; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = v
	}
	return n
}

function median(n) {
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
