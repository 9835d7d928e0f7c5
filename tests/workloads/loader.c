/* SPDX-License-Identifier: GPL-2.0-only */
/* loader LIBRARY FUNCTION SECONDS: calls a function of a library that is loaded while it runs, for so long. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	void (*function)(void) = NULL;
	void *library;
	double end_s;

	if (argc != 4)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	if (library)
		*(void **)&function = dlsym(library, argv[2]);
	if (!function) {
		fprintf(stderr, "loader: %s\n", dlerror());
		return 1;
	}
	for (end_s = now_s() + atof(argv[3]); now_s() < end_s;)
		function();
	return 0;
}
