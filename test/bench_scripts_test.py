"""The scripts of bench/: tables of micro results, and the gate. Run by ctest; BIN names the programs' folder."""
import contextlib
import fnmatch
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench")
sys.path.insert(0, BENCH)
import gate  # noqa: E402
import micro_report  # noqa: E402


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w") as out:
            out.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_main(self, module, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = module.main(list(words))
        return status, out.getvalue() + err.getvalue()


def micro(**cases):
    runs = []
    for name, times in cases.items():
        for time in times:
            runs.append({"name": name.replace("__", "/"), "run_type": "iteration", "real_time": 1.0, "time_unit": "ms",
                         "ns_per_op": float(time), "allocs_per_op": 2.0, "alloc_bytes_per_op": 64.0})
        runs.append({"name": name + "_mean", "run_type": "aggregate", "real_time": 1.0})
    return {"context": {"num_cpus": 2}, "benchmarks": runs}


class MicroReport(Files):
    def test_quantiles_are_those_of_student(self):
        for degrees, wanted in ((1, 636.6), (2, 31.60), (4, 8.610), (9, 4.781), (29, 3.659)):
            self.assertAlmostEqual(micro_report.student(degrees), wanted, delta=wanted * 1e-3)

    def test_every_column_is_there_in_every_format(self):
        path = self.file("a.json", micro(W01__a=[10, 12, 11], W01__b=[20, 21, 22], W02__c=[5]))
        for kind in micro_report.FORMATS:
            status, text = self.run_main(micro_report, path, "--format", kind)
            self.assertEqual(status, 0)
            for word in micro_report.HEAD + ["W01/a", "11.00 ns", "1.91", "64.0 B"]:
                self.assertIn(word, text)
            self.assertNotIn("nan", text)

    def test_ranks_share_a_place_where_errors_overlap(self):
        path = self.file("a.json", micro(W01__a=[10, 30, 20], W01__b=[21, 22, 20], W01__c=[900, 901, 902]))
        cases = micro_report.read(path)[1]
        self.assertEqual(micro_report.ranks(cases), {"W01/a": 1, "W01/b": 1, "W01/c": 2})

    def test_a_baseline_is_one_and_must_exist(self):
        path = self.file("a.json", micro(W01__a=[10, 10], W01__b=[20, 20]))
        self.assertIn("0.50", self.run_main(micro_report, path, "--baseline", "W01/b")[1])
        self.assertEqual(self.run_main(micro_report, path, "--baseline", "W09/x")[0], 2)
        self.assertEqual(self.run_main(micro_report, self.file("b.json", "no"))[0], 2)
        self.assertEqual(self.run_main(micro_report, "/nonexistent")[0], 2)

    def test_a_case_that_failed_is_said_and_is_no_success(self):
        whole = micro(W01__a=[10, 11])
        whole["benchmarks"].append({"name": "W01/b", "run_type": "iteration", "error_occurred": True,
                                    "error_message": "it fell", "real_time": 0.0, "time_unit": "ns"})
        status, text = self.run_main(micro_report, self.file("a.json", whole))
        self.assertEqual(status, 1)
        self.assertIn("W01/b FAILED: it fell", text)
        self.assertIn("10.50 ns", text)

    def test_files_are_written_by_their_endings(self):
        path = self.file("a.json", micro(W01__a=[10, 11]))
        out = os.path.join(self.folder, "x.html")
        self.assertEqual(self.run_main(micro_report, path, "-o", out)[0], 0)
        with open(out) as page:
            self.assertTrue(page.read().startswith("<!doctype html>"))


FLOORS = """
[[floor]]
text = "ratio"
from = "e2e"
case = "W40/*"
figure = "ratio"
least = 0.6
[[floor]]
text = "time"
from = "micro"
case = "W30/*"
skip = "*blocking*"
figure = "ns_per_op"
most = 250
"""


def e2e(ours, raw):
    return {"cases": [{"id": "W40/x", "failed": None, "ns_per_message": ours, "raw_ns_per_message": raw}]}


class Documentation(unittest.TestCase):
    def test_every_case_that_is_listed_is_in_the_readme(self):
        bin_folder = os.environ["BIN"]
        listed = set()
        for words in (["troupe-bench", "e2e", "--list", "--full"], ["troupe-micro", "--benchmark_list_tests"],
                      ["troupe-bench", "versus", "--list"]):
            whole = [os.path.join(bin_folder, words[0]), *words[1:]]
            text = subprocess.run(whole, capture_output=True, text=True, check=True).stdout
            listed |= set(re.findall(r"^([WTV]\d\d)/", text, re.MULTILINE))
        with open(os.path.join(BENCH, "README.md")) as file:
            page = file.read()
        told = set(re.findall(r"\b[WTV]\d\d\b", page))
        for letter, first, last in re.findall(r"`([WTV])(\d\d)`-`[WTV](\d\d)`", page):
            told |= {f"{letter}{number:02}" for number in range(int(first), int(last) + 1)}
        self.assertGreater(len(listed), 50)
        self.assertEqual(sorted(listed - told), [])


class Gate(Files):
    def judge(self, *words):
        return self.run_main(gate, "--floors", self.file("floors.toml", FLOORS), *words)

    def test_holds_and_misses(self):
        good = self.file("m.json", micro(W30__a=[200, 210], W30__blocking=[9000]))
        status, text = self.judge("--e2e", self.file("e.json", e2e(100, 70)), "--micro", good)
        self.assertEqual(status, 0, text)
        self.assertIn("2 floors: 2 held, 0 missed", text)
        status, text = self.judge("--e2e", self.file("e.json", e2e(100, 50)), "--micro", good)
        self.assertEqual(status, 99)
        self.assertIn("MISSED", text)

    def test_what_was_not_measured_is_said(self):
        words = ["--e2e", self.file("e.json", e2e(100, 70))]
        status, text = self.judge(*words)
        self.assertEqual(status, 99)
        self.assertIn("NOT MEASURED", text)
        self.assertEqual(self.judge(*words, "--partial")[0], 0)

    def test_a_drop_against_a_stored_run_fails(self):
        base = os.path.join(self.folder, "base")
        os.mkdir(base)
        self.file("base/e2e.json", e2e(100, 70))
        for ours, status in ((105, 0), (112, 99), (50, 0)):
            words = ["--partial", "--base", base, "--e2e", self.file("e.json", e2e(ours, 80))]
            self.assertEqual(self.judge(*words)[0], status, ours)

    def test_versus_is_read(self):
        run = {"processor_ns": 10}
        result = {"rows": [{"id": "V01", "peer": "troupe", "runs": [run]},
                           {"id": "V01", "peer": "paho", "runs": [{"processor_ns": 40}]},
                           {"id": "V01", "peer": "libmosquitto", "runs": []}],
                  "brokers": [{"id": "V02", "broker": "troupe-broker", "messages_per_cpu_second": [30, 90, 50]},
                              {"id": "V02", "broker": "mosquitto", "messages_per_cpu_second": [10]}]}
        cases = gate.versus_cases(result)
        self.assertEqual(cases["V01"]["processor_over_best"], 0.25)
        self.assertEqual(cases["V02"]["broker_over_mosquitto"], 5)

    def test_nonsense_is_refused(self):
        self.assertEqual(self.judge("--e2e", self.file("e.json", "{}"))[0], 2)
        self.assertEqual(self.judge("--e2e", "/nonexistent")[0], 2)

    def test_every_floor_names_a_case_that_exists(self):
        bin_folder = os.environ["BIN"]

        def lines(program, *words):
            whole = [os.path.join(bin_folder, program), *words]
            return subprocess.run(whole, capture_output=True, text=True, check=True).stdout.split("\n")

        known = {"e2e": lines("troupe-bench", "e2e", "--list", "--full"),
                 "micro": lines("troupe-micro", "--benchmark_list_tests"),
                 "versus": [line.split(" ")[0] for line in lines("troupe-bench", "versus", "--list")]}
        with open(os.path.join(BENCH, "floors.toml"), "rb") as file:
            floors = tomllib.load(file)["floor"]
        self.assertGreater(len(floors), 20)
        for floor in floors:
            self.assertEqual(("least" in floor) + ("most" in floor), 1, floor)
            for case in [floor["case"]] + ([floor["of"]] if "of" in floor else []):
                self.assertTrue(fnmatch.filter(known[floor["from"]], case), case)


if __name__ == "__main__":
    unittest.main()
