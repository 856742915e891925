#!/usr/bin/env python3
"""compare_rows.py finds every kind of difference, and none where there is none."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare_rows.py")


def row(case, quantity, measured, verdict="pass", **more):
    return {"case": case, "quantity": quantity, "measured": measured, "verdict": verdict, **more}


class CompareRows(unittest.TestCase):
    BASE = [row("published/a", "energy", 1.25e-15, gate={"max": 1e-14}), row("published/a", "time", 4.5, "information"),
            row("solver/b", "order-q", 2.0)]

    def run_script(self, after, *options, before=None):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, rows in (("before.json", self.BASE if before is None else before), ("after.json", after)):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(rows if isinstance(rows, str) else json.dumps({"rows": rows}))
            result = subprocess.run([sys.executable, SCRIPT, *paths, *options], capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def changed(self, index, **changes):
        return [dict(r, **(changes if i == index else {})) for i, r in enumerate(self.BASE)]

    def expect(self, after, status, *parts, options=(), before=None):
        code, output = self.run_script(after, *options, before=before)
        self.assertEqual(code, status, output)
        for part in parts:
            self.assertIn(part, output)

    def test_equal(self):
        self.expect(self.BASE, 0, "3 rows before, 3 after; 2 numbers compared to the last bit: 0 differences.")

    def test_times_differ(self):
        self.expect(self.changed(1, measured=9.0), 0)
        self.expect(self.changed(1, quantity="memory"), 0, before=self.changed(1, quantity="memory", measured=7.0))

    def test_last_bit(self):
        self.expect(self.changed(2, measured=2.0000000000000004), 1, "solver/b order-q", "the last bit differs")
        self.expect(self.changed(2, measured=2.0000000000000004), 0, options=("--within", "1e-15"))

    def test_number(self):
        self.expect(self.changed(2, measured=2.5), 1, "was 2.0 and is 2.5", "relative difference 0.2")
        self.expect(self.changed(2, measured=None), 1, "not finite")

    def test_verdict_and_gate(self):
        self.expect(self.changed(0, verdict="FAIL"), 1, "the verdict was pass and is FAIL")
        self.expect(self.changed(0, gate={"max": 1e-13}), 1, "the gate was")

    def test_missing_and_new(self):
        self.expect(self.BASE[:2], 1, "solver/b order-q: the row is missing.")
        self.expect(self.BASE + [row("solver/c", "energy", 0)], 1, "solver/c energy: the row is new.")

    def test_renamed_case(self):
        renamed = [dict(r, case="solver/new", formerly="solver/b") if r["case"] == "solver/b" else r for r in self.BASE]
        self.expect(renamed, 0)
        self.expect(self.BASE, 1, "solver/new order-q: the row is missing.",
                    before=[dict(r, case="solver/new") if r["case"] == "solver/b" else r for r in self.BASE])

    def test_unreadable(self):
        self.expect("{}", 2, "after.json is not a report")
        self.expect(self.BASE + self.BASE[:1], 2, "1 rows with the case and quantity of another row")


if __name__ == "__main__":
    unittest.main()
