#!/usr/bin/env python3
"""Sweeps that are killed: `gnomon sweep`, alone or under mpirun, ended by SIGKILL at random, of one process or of all.

    sweeps.py --program GNOMON [--mpiexec MPIEXEC] [--seed S] [--first K] [--count N]

After each kill the table is not there, or is the whole one. Every row that was stored before is still there when the
sweep goes on by --resume, but for those that were being written, at most one a process; and the table that it ends with
is that of a sweep which nobody killed, byte for byte. The status of this script is 1 when something was found.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

RUNS = 9000
SWEEP = ["sweep", "planar-pendulum", "--vary", "angle=uniform(0,3)", "--vary", "length=list(1,2,-1)",
         "--runs", str(RUNS // 3), "--step", "1e-2", "--steps", "100", "--keep", "max_energy_error,steps,bob.x",
         "--seed", "5", "--json"]
RECORD = 8 + 8 * 5  # two variables and three figures
PATIENCE = 60


class Finding(Exception):
    pass


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_orte_abort_print_stack="0")


def start(arguments, folder):
    """A group of its own, so that all of it can be killed."""
    return subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(), start_new_session=True)


def children(parent):
    """Of mpirun, the processes of the sweep."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def kill(process, whom, rng):
    """Those that were hit, and those that live on for a moment because mpirun alone was."""
    victims = children(process.pid)
    if whom == "all" or not victims:
        os.killpg(process.pid, signal.SIGKILL)
        for victim in victims:  # mpirun may have put them in groups of their own
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
    elif whom == "mpirun":
        process.kill()
    else:
        try:
            os.kill(rng.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
    return victims


def wait_for(victims):
    """Until they are gone: what a process that survived stores after the count of rows would not be in it."""
    end = time.monotonic() + PATIENCE
    for victim in victims:
        while running(victim):
            if time.monotonic() > end:
                raise Finding("hang: a process of the sweep outlives its mpirun")
            time.sleep(0.01)


def running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def rows_in(part):
    """The runs whose records are stored, whole or torn."""
    found = set()
    for name in part.glob("rank-*.runs"):
        data = name.read_bytes()
        for run in range(len(data) // RECORD + 1):
            record = data[run * RECORD:(run + 1) * RECORD]
            if len(record) >= 8 and struct.unpack_from("=I", record, 4)[0] != 0:
                found.add(run)
    return found


def go_on(arguments, folder):
    """Until the processes that survived the kill are gone."""
    end = time.monotonic() + PATIENCE
    while True:
        process = start(arguments, folder)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Finding("hang: the sweep that goes on does not end") from None
        if process.returncode == 2 and b"another process works on" in err and time.monotonic() < end:
            time.sleep(0.2)
            continue
        return process.returncode, out.decode(), err.decode()


class Campaign:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        begin = time.monotonic()
        status, _, err = go_on([options.program, *SWEEP, "--output", "whole.h5", "--threads", "2"], folder)
        self.seconds = time.monotonic() - begin
        if status != 3:  # a third of the runs is refused
            sys.exit(f"sweeps.py: the sweep that nobody kills ends with status {status}: {err}")
        self.whole = (folder / "whole.h5").read_bytes()

    def command(self, rng):
        threads = ["--threads", str(rng.choice([1, 2, 4]))]
        ranks = rng.choice([1, 1, 2, 3]) if self.options.mpiexec else 1
        launch = [self.options.mpiexec, "-n", str(ranks)] if ranks > 1 else []
        return ranks, [*launch, self.options.program, *SWEEP, *threads, "--output", "killed.h5", "--resume"]

    def once(self, number):
        rng = random.Random(f"{self.options.seed} {number}")
        output, part = self.folder / "killed.h5", self.folder / "killed.h5.part"
        output.unlink(missing_ok=True)
        kills = rng.choice([1, 2, 3])
        survivors = []
        for _ in range(kills):
            ranks, arguments = self.command(rng)
            process = start(arguments, self.folder)
            time.sleep(rng.uniform(0, self.seconds) / kills + (0.3 if ranks > 1 else 0))
            survivors += kill(process, rng.choice(["one", "mpirun", "all"]) if ranks > 1 else "all", rng)
            try:
                process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Finding("hang: the sweep does not end when one of its processes is killed") from None
            if output.exists() and output.read_bytes() != self.whole:
                raise Finding("the table is torn")
        wait_for(survivors)
        ranks, arguments = self.command(rng)
        stored = rows_in(part) if part.exists() else set()
        complete = output.exists()
        status, out, err = go_on(arguments, self.folder)
        if status != (0 if complete else 3):
            raise Finding(f"the sweep that goes on ends with status {status}: {err[:500]}")
        result = json.loads(out)
        if not complete:
            if result["done_before"] < len(stored) - 9:  # three kills of up to three processes
                raise Finding(f"of {len(stored)} rows that were stored {result['done_before']} are found again")
            if result["done_before"] + result["done"] != RUNS:
                raise Finding(f"{result['done_before']} runs before and {result['done']} now are not {RUNS}")
        if output.read_bytes() != self.whole:
            raise Finding("the table is another one than that of a sweep which nobody killed")
        if part.exists():
            raise Finding("the folder of the sweep is still there")
        return complete, len(stored) if complete else result["done_before"], len(stored)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpiexec", help="share the runs among processes, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=4)
    options = parser.parse_args()
    findings = complete = before = stored = 0
    with tempfile.TemporaryDirectory(prefix="gnomon_sweeps_") as folder:
        campaign = Campaign(options, pathlib.Path(folder))
        for number in range(options.first, options.first + options.count):
            try:
                was_complete, found, there = campaign.once(number)
                complete += was_complete
                before += found
                stored += there
            except Finding as finding:
                findings += 1
                print(f"sweeps --seed {options.seed} --first {number} --count 1: {finding}")
                for left in pathlib.Path(folder).glob("killed.h5*"):
                    subprocess.run(["rm", "-rf", str(left)], check=True)
    print(f"sweeps: {options.count} times killed and gone on, {complete} of them were complete; of {stored} rows that were "
          f"stored {before} were found again; {findings} findings")
    sys.exit(1 if findings else 0)


main()
