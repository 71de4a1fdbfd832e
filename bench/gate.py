#!/usr/bin/env python3
"""Judges results by the floors of floors.toml, and by a stored run.

usage: gate.py [--floors FILE] [--e2e FILE]... [--micro FILE]... [--versus FILE]... [--base DIR] [--drop 10]

DIR holds e2e*.json, micro*.json and versus*.json of an earlier run on the same machine; a figure that is worse
than there by more than --drop percent is a drop. A floor whose figure was not measured is said and is no
success; without --partial it fails. Exit status: 0 all floors held, 99 one missed, a drop, or one not
measured; 2 a file cannot be used.
"""
import argparse
import fnmatch
import glob
import json
import os
import statistics
import sys
import tomllib


def micro_cases(whole):
    times = {}
    for run in whole["benchmarks"]:
        if run.get("run_type", "iteration") == "iteration" and "ns_per_op" in run:
            times.setdefault(run.get("run_name", run["name"]), []).append(run["ns_per_op"])
    return {name: {"ns_per_op": statistics.median(values)} for name, values in times.items()}


def divided(a, b):
    return a / b if a is not None and b else None


def e2e_cases(whole):
    cases = {}
    for row in whole["cases"]:
        if row.get("failed"):
            continue
        row = dict(row)
        row["ratio"] = divided(row.get("raw_ns_per_message"), row.get("ns_per_message"))
        row["burst_ratio"] = divided(row.get("raw_burst_worst_ratio"), row.get("burst_worst_ratio"))
        row["ping_ratio"] = divided(row.get("p50_ns"), row.get("raw_p50_ns"))
        cases[row["id"]] = row
    return cases


def versus_cases(whole):
    processor = {}
    for row in whole["rows"]:
        if row["runs"]:
            value = statistics.median(run["processor_ns"] for run in row["runs"])
            processor.setdefault(row["id"], {})[row["peer"]] = value
    cases = {}
    for name, peers in processor.items():
        others = [value for peer, value in peers.items() if peer != "troupe" and value > 0]
        ours = peers.get("troupe")
        cases[name] = {"processor_ns": ours, "processor_over_best": divided(ours, min(others) if others else None)}
    work = {}
    for row in whole["brokers"]:
        if row["messages_per_cpu_second"]:
            work.setdefault(row["id"], {})[row["broker"]] = statistics.median(row["messages_per_cpu_second"])
    for name, brokers in work.items():
        share = divided(brokers.get("troupe-broker"), brokers.get("mosquitto"))
        cases.setdefault(name, {})["broker_over_mosquitto"] = share
    return cases


READERS = {"e2e": e2e_cases, "micro": micro_cases, "versus": versus_cases}
# What a drop is looked for in, and whether more of it is better.
WATCHED = {"e2e": [("ns_per_message", False)], "micro": [("ns_per_op", False)],
           "versus": [("processor_ns", False), ("broker_over_mosquitto", True)]}


def read(kind, path):
    with open(path) as file:
        return READERS[kind](json.load(file))


def read_all(kind, paths):
    cases = {}
    for path in paths:
        cases.update(read(kind, path))
    return cases


def judged(floor, results):
    """A row for each case that the floor is about: text, case, value, bound, verdict."""
    cases = results.get(floor["from"], {})
    skipped = [each for each in floor.get("skip", "").split("|") if each]
    names = [name for name in cases if fnmatch.fnmatchcase(name, floor["case"])
             and not any(fnmatch.fnmatchcase(name, each) for each in skipped)]
    bound = f">= {floor['least']:g}" if "least" in floor else f"<= {floor['most']:g}"
    if not names:
        return [(floor["text"], floor["case"], None, bound, "NOT MEASURED")]
    rows = []
    for name in names:
        value = cases[name].get(floor["figure"])
        if "of" in floor:
            value = divided(value, cases.get(floor["of"], {}).get(floor["figure"]))
        if value is None:
            verdict = "NOT MEASURED"
        elif "least" in floor:
            verdict = "held" if value >= floor["least"] else "MISSED"
        else:
            verdict = "held" if value <= floor["most"] else "MISSED"
        rows.append((floor["text"], name, value, bound, verdict))
    return rows


def drops(results, base, percent):
    found = []
    for kind, cases in results.items():
        for name, figures in cases.items():
            before = base.get(kind, {}).get(name, {})
            for figure, more_is_better in WATCHED[kind]:
                new, old = figures.get(figure), before.get(figure)
                if not new or not old:
                    continue
                worse = old / new - 1 if more_is_better else new / old - 1
                if worse > percent / 100:
                    found.append(f"{name} {figure}: {old:,.1f} became {new:,.1f}, {100 * worse:.0f} % worse")
    return found


def print_table(rows):
    width = max(len(text) for text, *_ in rows)
    last = None
    for text, case, value, bound, verdict in rows:
        shown = "-" if value is None else f"{value:,.3f}"
        print(f"{text if text != last else '':<{width}}  {shown:>12}  {bound:<10}  {verdict:<12}  {case}")
        last = text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--floors", default=os.path.join(os.path.dirname(__file__), "floors.toml"))
    for kind in READERS:
        parser.add_argument(f"--{kind}", action="append", default=[], help=f"result of {kind}; again and again")
    parser.add_argument("--base", help="folder of a stored run")
    parser.add_argument("--drop", type=float, default=10, help="percent; default 10")
    parser.add_argument("--partial", action="store_true", help="floors that were not measured do not fail")
    options = parser.parse_args(arguments)
    try:
        with open(options.floors, "rb") as file:
            floors = tomllib.load(file)["floor"]
        given = {kind: getattr(options, kind) for kind in READERS}
        results = {kind: read_all(kind, paths) for kind, paths in given.items() if paths}
        base = {}
        for kind in results if options.base else ():
            base[kind] = read_all(kind, sorted(glob.glob(os.path.join(options.base, f"{kind}*.json"))))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print(f"gate: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 2
    rows = [row for floor in floors for row in judged(floor, results)]
    print_table(rows)
    missed = sum(row[4] == "MISSED" for row in rows)
    unknown = sum(row[4] == "NOT MEASURED" for row in rows)
    lost = drops(results, base, options.drop)
    print(f"\n{len(rows)} floors: {len(rows) - missed - unknown} held, {missed} missed, {unknown} not measured")
    if options.base:
        print(f"against {options.base}: " + ("no drop" if not lost else f"{len(lost)} drops"))
    for each in lost:
        print(f"  DROP {each}")
    return 99 if missed or lost or (unknown and not options.partial) else 0


if __name__ == "__main__":
    sys.exit(main())
