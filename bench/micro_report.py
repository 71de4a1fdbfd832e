#!/usr/bin/env python3
"""Tables of a result of troupe-micro (Google Benchmark JSON with repetitions), as text, Markdown or HTML.

usage: micro_report.py RESULT.json [--baseline CASE] [--format text|markdown|html] [-o FILE]...

Mean, Error (half of the 99.9 % confidence interval of the mean, Student's t), StdDev and Median are of the
repetitions; Ratio is the mean over the baseline's mean within the same workload (its first case, unless
--baseline names one that belongs to it), RatioSD its deviation; Rank orders a workload's cases, equal ones
sharing a rank where their errors overlap. Allocs and Allocated are for one operation. Exit status 1: a case
failed, as standard error says; 2: the file cannot be used, or there is no such case.
"""
import argparse
import html
import json
import math
import statistics
import sys

HEAD = ["Case", "Mean", "Error", "StdDev", "Median", "Req/sec", "Ratio", "RatioSD", "Rank", "Allocs",
        "Allocated", "Alloc Ratio"]
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def student(degrees):
    """t such that a Student variable lies within +-t with 99.9 %; Hill's expansion, exact for 1 and 2."""
    p = 0.001
    if degrees == 1:
        return 1 / math.tan(p * math.pi / 2)
    if degrees == 2:
        return math.sqrt(2 / (p * (2 - p)) - 2)
    a = 1 / (degrees - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * degrees
    y = (d * p) ** (2 / degrees)
    if y > 0.05 + a:
        x = -statistics.NormalDist().inv_cdf(1 - p / 2)
        y = x * x
        if degrees < 5:
            c += 0.3 * (degrees - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        y = ((1 / (((degrees + 6) / (degrees * y) - 0.089 * d - 0.822) * (degrees + 2) * 3) + 0.5 / (degrees + 4))
             * y - 1) * (degrees + 1) / (degrees + 2) + 1 / y
    return math.sqrt(degrees * y)


class Case:
    def __init__(self, name):
        self.name = name
        self.group = name.split("/", 1)[0]
        self.times, self.allocs, self.octets = [], [], []

    def add(self, run):
        # Cases that count operations say so; the others are one operation an iteration.
        time = run.get("ns_per_op")
        self.times.append(run["real_time"] * UNITS[run.get("time_unit", "ns")] if time is None else time)
        self.allocs.append(run.get("allocs_per_op"))
        self.octets.append(run.get("alloc_bytes_per_op"))

    @property
    def mean(self):
        return statistics.fmean(self.times)

    @property
    def deviation(self):
        return statistics.stdev(self.times) if len(self.times) > 1 else 0.0

    @property
    def error(self):
        count = len(self.times)
        return student(count - 1) * self.deviation / math.sqrt(count) if count > 1 else 0.0

    @property
    def median(self):
        return statistics.median(self.times)

    def cost(self, values):
        known = [value for value in values if value is not None]
        return statistics.median(known) if known else None


def read(path):
    with open(path) as file:
        whole = json.load(file)
    cases, failures = {}, {}
    for run in whole["benchmarks"]:
        if run.get("run_type", "iteration") != "iteration":
            continue
        name = run.get("run_name", run["name"])
        if run.get("error_occurred"):  # the program itself ends with 0
            failures[name] = run.get("error_message", "no reason given")
            continue
        cases.setdefault(name, Case(name)).add(run)
    return whole.get("context", {}), list(cases.values()), failures


def ranks(group):
    """Best first; a case joins the rank before it while its error reaches that rank's best."""
    order = sorted(group, key=lambda case: case.mean)
    found, rank, best = {}, 0, None
    for case in order:
        if best is None or case.mean - case.error > best.mean + best.error:
            rank, best = rank + 1, case
        found[case.name] = rank
    return found


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= 10 * size:
            return f"{ns / size:,.2f} {unit}"
    return f"{ns:,.2f} ns"


def number(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def rows(group, baseline):
    base = next((case for case in group if case.name == baseline), group[0])
    order = ranks(group)
    for case in group:
        ratio = case.mean / base.mean if base.mean else None
        spread = 0.0
        if ratio is not None and case.mean:
            spread = ratio * math.hypot(case.deviation / case.mean, base.deviation / base.mean)
        allocs, before = case.cost(case.allocs), base.cost(base.allocs)
        alloc_ratio = allocs / before if allocs is not None and before else None
        octets = case.cost(case.octets)
        rate = 1e9 / case.mean if case.mean else None
        yield [case.name, time_text(case.mean), time_text(case.error), time_text(case.deviation),
               time_text(case.median), number(rate, 0), number(ratio), number(spread), str(order[case.name]),
               number(allocs), "-" if octets is None else f"{octets:,.1f} B", number(alloc_ratio)]


def grouped(cases):
    groups = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
    return groups


def environment(context):
    load = ", ".join(f"{value:.1f}" for value in context.get("load_avg", []))
    known = [context.get("date"), context.get("host_name"), f"{context.get('num_cpus', '?')} CPUs at "
             f"{context.get('mhz_per_cpu', '?')} MHz", f"load {load}" if load else None,
             f"benchmark library: {context.get('library_build_type', '?')}"]
    return "; ".join(str(each) for each in known if each)


LEGEND = ("Error: half of the 99.9 % confidence interval of the mean. Ratio: to the first case of a workload, or to "
          "the baseline. Allocs, Allocated: for one operation.")


def as_text(context, groups, baseline):
    lines = [environment(context), ""]
    for group in groups.values():
        table = [HEAD] + list(rows(group, baseline))
        widths = [max(len(row[i]) for row in table) for i in range(len(HEAD))]
        for row in table:
            lines.append("  ".join([row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in range(1, len(HEAD))]))
        lines.append("")
    return "\n".join(lines + [LEGEND, ""])


def as_markdown(context, groups, baseline):
    lines = [f"{environment(context)}", ""]
    for name, group in groups.items():
        lines += [f"## {name}", "", "| " + " | ".join(HEAD) + " |", "|---" + "|---:" * (len(HEAD) - 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows(group, baseline)]
        lines.append("")
    return "\n".join(lines + [LEGEND, ""])


STYLE = ("body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#222;background:#fff}table{border-collapse:collapse;"
         "margin-bottom:2em}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #8884}td:first-child,"
         "th:first-child{text-align:left;font-family:monospace}"
         "@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}}")


def as_html(context, groups, baseline):
    parts = [f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>troupe-micro</title><style>{STYLE}</style>',
             f"<h1>troupe-micro</h1><p>{html.escape(environment(context))}</p>"]
    for name, group in groups.items():
        parts.append(f"<h2>{html.escape(name)}</h2><table><tr>" + "".join(f"<th>{each}</th>" for each in HEAD) + "</tr>")
        for row in rows(group, baseline):
            parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
        parts.append("</table>")
    return "\n".join(parts + [f"<p>{html.escape(LEGEND)}</p></html>", ""])


FORMATS = {"text": as_text, "markdown": as_markdown, "html": as_html}


def format_of(path):
    return {"md": "markdown", "html": "html"}.get(path.rsplit(".", 1)[-1], "text")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("result")
    parser.add_argument("--baseline", help="the case that Ratio refers to, in its workload")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("-o", "--output", action="append", default=[], help="write FILE: .md, .html or text")
    options = parser.parse_args(arguments)
    try:
        context, cases, failures = read(options.result)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print(f"micro_report: {options.result}: no Google Benchmark JSON: {problem}", file=sys.stderr)
        return 2
    if options.baseline and all(case.name != options.baseline for case in cases):
        print(f"micro_report: there is no case {options.baseline} in {options.result}", file=sys.stderr)
        return 2
    groups = grouped(cases)
    for path in options.output:
        with open(path, "w") as file:
            file.write(FORMATS[format_of(path)](context, groups, options.baseline))
    if not options.output:
        print(FORMATS[options.format](context, groups, options.baseline), end="")
    for name, reason in failures.items():
        print(f"micro_report: {name} FAILED: {reason}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
