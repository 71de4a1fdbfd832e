#!/usr/bin/env python3
"""Compares two result files of troupe-micro (Google Benchmark JSON), case by case.

Prints the ratio of the medians and, from 4 repetitions a side on (--benchmark_repetitions=9), the
two-sided p-value of the Mann-Whitney U test; a difference counts as real at p < 0.05. Exit status 0
when no case is really slower by more than 5 %, 1 when one is, 2 when a file cannot be used.

Its own few lines, because SciPy cannot be installed beside the Boost this project needs on Debian 12.
"""
import json
import math
import statistics
import sys


def times(path):
    try:
        with open(path) as file:
            runs = json.load(file)["benchmarks"]
    except (OSError, ValueError, KeyError) as problem:
        print(f"{path}: no Google Benchmark JSON: {problem}", file=sys.stderr)
        sys.exit(2)
    unit = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
    found = {}
    for run in runs:
        if run.get("run_type", "iteration") == "iteration" and "real_time" in run:
            name = run.get("run_name", run["name"])
            found.setdefault(name, []).append(run["real_time"] * unit[run.get("time_unit", "ns")])
    return found


def exact_p(a, b):
    """Exact two-sided p for small samples without ties: counts the orderings with a U as extreme."""
    n, m = len(a), len(b)
    u = sum(x < y for x in a for y in b)
    u = min(u, n * m - u)
    ways = {(0, 0): {0: 1}}
    for i in range(n + 1):
        for j in range(m + 1):
            if i + j:
                here = {}
                if i:
                    for value, count in ways[i - 1, j].items():
                        here[value + j] = here.get(value + j, 0) + count
                if j:
                    for value, count in ways[i, j - 1].items():
                        here[value] = here.get(value, 0) + count
                ways[i, j] = here
    tail = sum(count for value, count in ways[n, m].items() if value <= u)
    return min(1.0, 2.0 * tail / math.comb(n + m, n))


def normal_p(a, b):
    """Normal approximation with corrections for ties and continuity."""
    n, m = len(a), len(b)
    pooled = sorted(a + b)
    ranks, ties, at = {}, 0, 0
    while at < len(pooled):
        same = pooled.count(pooled[at])
        ranks[pooled[at]] = at + (same + 1) / 2
        ties += same**3 - same
        at += same
    u = sum(ranks[x] for x in a) - n * (n + 1) / 2
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def p_value(a, b):
    has_ties = len(set(a + b)) < len(a) + len(b)
    return normal_p(a, b) if has_ties or len(a) * len(b) > 400 else exact_p(a, b)


def main():
    if len(sys.argv) != 3:
        print("usage: compare_micro.py BEFORE.json AFTER.json", file=sys.stderr)
        return 2
    before, after = times(sys.argv[1]), times(sys.argv[2])
    slower = False
    print(f"{'case':<60} {'before ns':>12} {'after ns':>12} {'after/before':>12} {'p':>7}")
    for name, old in before.items():
        if name not in after:
            print(f"{name:<60} only in {sys.argv[1]}")
            continue
        new = after[name]
        a, b = statistics.median(old), statistics.median(new)
        ratio = b / a if a else math.inf
        verdict, p = "", None
        if min(len(old), len(new)) >= 4:
            p = p_value(old, new)
            if p < 0.05:
                verdict = "slower" if ratio > 1 else "faster"
                slower |= ratio > 1.05
        else:
            verdict = "too few repetitions to judge"
        print(f"{name:<60} {a:>12.2f} {b:>12.2f} {ratio:>12.3f} {'-' if p is None else f'{p:.4f}':>7} {verdict}")
    for name in after:
        if name not in before:
            print(f"{name:<60} only in {sys.argv[2]}")
    return 1 if slower else 0


sys.exit(main())
