#!/usr/bin/env python3
"""Measures how time and memory grow, for the manual's page on size: one long chain, one net, and ensembles.

    size.py PROGRAM OUT.csv [--most-links N] [--most-runs N]

Every row is one process: its wall time, its processor time, and the largest resident set of it and its children. A chain
and a net take few steps, of which the time is what the program says; a net of n x n points has 3n^2 coordinates and 2n(n-1)
rods, hangs by one corner and starts flat; ensembles are of the double spherical pendulum, 100 steps a
run, with the start varied. Rows of the same size are measured one after the other, three times; the fastest counts. Takes
about 20 minutes on an idle machine, and up to 4.2 kB a link.
"""
import argparse
import csv
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

FIELDS = "kind size threads ranks solver steps seconds step_seconds memory_kb".split()


def machine(program):
    """What measured, for the head of the table."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"gnomon {version}; {found.group(1) if found else 'processor'}, {os.cpu_count()} cores, {memory:.0f} GiB"


def measured(command, limit_kb=None):
    """Wall seconds, peak kB of the largest process, and what it printed."""

    def limited():
        if limit_kb:
            resource.setrlimit(resource.RLIMIT_AS, (limit_kb * 1024, limit_kb * 1024))

    with tempfile.TemporaryFile("w+") as out:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, preexec_fn=limited)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        out.seek(0)
        text = out.read()
    if status != 0:
        print(f"{' '.join(command)} ended with {status}:\n{text[-500:]}", file=sys.stderr)
        return None
    return seconds, used.ru_maxrss, text


def one_system(kind, size, model, steps, step):
    command = [*model, "--step", repr(step), "--steps", str(steps), "--solver", "newton"]
    done = measured(command, 23_000_000)
    if done is None:
        return None
    seconds, memory, text = done
    of_step = float(re.search(r"([\d.]+) us a step", text).group(1)) * 1e-6
    return dict(kind=kind, size=size, threads=1, ranks=1, solver="newton", steps=steps, seconds=f"{seconds:.4g}",
                step_seconds=f"{of_step:.4g}", memory_kb=memory)


def chain(program, links):
    model = [program, "run", "chain", "--set", f"links={links}"]
    return one_system("chain", links, model, max(2, min(200, 2_000_000 // links)), min(1e-3, 0.25 / links))


def net_file(n):
    """A square net with sides of length 1 as a model file; point (i, j) has the number i n + j."""

    def rods(name, first, last, begin, apart):
        difference = " + ".join(f"({c}[{begin}+k*{apart[0]}+{apart[1]}]-{c}[{begin}+k*{apart[0]}])^2" for c in "xyz")
        return f'"{name}[k] for k in {first}..{last}" = "({difference} - l^2)/2"\n'

    text = f'format = 1\nname = "net"\ncoordinates = {{ x = {n * n}, y = {n * n}, z = {n * n} }}\nmass = "1/{n * n}"\n'
    text += f'potential = "9.81/{n * n}*sum(i in 0..{n * n - 1}: z[i])"\n[constraints]\n'
    text += 'corner_x = "x[0]"\ncorner_y = "y[0]"\ncorner_z = "z[0]"\n'
    for i in range(n):
        text += rods(f"row{i}", 0, n - 2, i * n, (1, 1)) + rods(f"column{i}", 0, n - 2, i, (n, n))
    text += f"[parameters]\nl = {1 / (n - 1)!r}\n[start]\nposition = {{ "
    for i in range(n):
        text += f'"x[k] for k in {i * n}..{i * n + n - 1}" = "(k-{i * n})*l", "y[k] for k in {i * n}..{i * n + n - 1}" = "{i}*l", '
    return text.rstrip(", ") + " }\n"


def net(program, n):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "net.toml"
        file.write_text(net_file(n), encoding="utf-8")
        return one_system("net", n * n, [program, "run", str(file)], max(2, min(100, 40_000 // (n * n))), 1e-3 / n)


def ensemble(program, runs, threads, ranks):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "sweep", "double-spherical-pendulum", "--set", "start=spatial", "--step", "1e-2", "--steps",
                   "100", "--vary", "start.der(bob1.z)=normal(1,.1)", "--runs", str(runs), "--keep",
                   "max_energy_error,q_end", "--threads", str(threads), "--output", str(pathlib.Path(folder) / "out.h5")]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), *command]
        done = measured(command)
    if done is None:
        return None
    seconds, memory, _ = done
    return dict(kind="ensemble", size=runs, threads=threads, ranks=ranks, solver="kinsol-newton", steps=100,
                seconds=f"{seconds:.4g}", step_seconds=f"{seconds / runs / 100:.4g}", memory_kb=memory)


def best(rows):
    rows = [row for row in rows if row]
    return min(rows, key=lambda row: float(row["seconds"])) if rows else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--most-links", type=int, default=5_000_000)
    parser.add_argument("--most-runs", type=int, default=1_000_000)
    given = parser.parse_args()
    with open(given.out, "w", newline="", encoding="utf-8") as file:
        file.write(f"# {machine(given.program)}\n# written again by validation/bench/size/size.py PROGRAM OUT.csv\n")
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()

        def keep(row):
            if row:
                writer.writerow(row)
                file.flush()
                print(" ".join(map(str, row.values())), flush=True)

        for links in (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 5_000_000):
            if links <= given.most_links:
                keep(best(chain(given.program, links) for _ in range(3 if links < 300_000 else 1)))
        for n in (10, 20, 40, 70, 100, 140):
            keep(best(net(given.program, n) for _ in range(3 if n < 70 else 1)))
        for runs in (100, 1000, 10_000, 100_000, 1_000_000):
            if runs > given.most_runs:
                continue
            ways = [(1, 1), (2, 1), (1, 2)] if runs < 1_000_000 else [(2, 1)]
            times = 3 if runs <= 10_000 else 1
            rows = [[ensemble(given.program, runs, *way) for way in ways] for _ in range(times)]
            for k in range(len(ways)):
                keep(best(row[k] for row in rows))


main()
