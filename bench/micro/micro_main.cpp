// troupe-micro: the benchmarks of single rooms; see bench/README.md for how cases are named.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
