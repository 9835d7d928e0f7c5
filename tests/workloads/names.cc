/* SPDX-License-Identifier: GPL-2.0-only */
/* names SECONDS: spends its time in functions whose names only C++ can have. */
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void work(uint64_t seed)
{
	uint64_t x = sink | seed;

	for (int i = 0; i < 5000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

namespace shapes
{
template <typename T, int N> struct polygon {
	__attribute__((noinline)) void area(const std::map<std::string, T> &sides)
	{
		work(sides.size() + N);
	}
	__attribute__((noinline)) bool operator<(const polygon &other) const
	{
		work(&other == this);
		return sink & 1;
	}
	__attribute__((noinline)) ~polygon()
	{
		work(3);
	}
};

namespace
{
__attribute__((noinline)) void hidden(unsigned char)
{
	work(4);
}
} // namespace
} // namespace shapes

static double now_s()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);
	std::map<std::string, double> sides = { { "a", 1.0 }, { "b", 2.0 } };
	auto lambda = [](uint64_t seed) __attribute__((noinline)) { work(seed); };

	while (now_s() < end_s) {
		shapes::polygon<double, 5> p, q;

		p.area(sides);
		if (p < q)
			shapes::hidden('x');
		else
			shapes::hidden('y');
		lambda(7);
	}
	return 0;
}
