#!/usr/bin/env python3
"""The real program under use that nobody intends: drawn command lines, modules and model files, damaged tables, names
that are commands elsewhere, signals, full disks, several writers.

    program.py commands|modules|models|tables|names|signals|disk|writers|soak --program GNOMON [--seed S] [--first K]
               [--count N] [--jobs J]

A run of the program must end by itself or within 20 s of SIGTERM, with status 0, 1, 2, 3 or 130; with status 2 it says
one sentence on standard error, with status 0 its JSON has finite numbers only, and it leaves no file that it was not
asked for. What it was told to write is whole or not there. The status of this script is 1 when something was found.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom
import xml.parsers.expat

STATUSES = {0, 1, 2, 3, 130}
PATIENCE = 20  # seconds for SIGTERM to take effect
SANITIZER = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|UndefinedBehavior")


class Finding(Exception):
    pass


class Outcome:
    def __init__(self, status, out, err, interrupted):
        self.status, self.out, self.err, self.interrupted = status, out, err, interrupted


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start(program, arguments, folder, out=subprocess.PIPE, **variables):
    environment = dict(os.environ, **variables, ASAN_OPTIONS="hard_rss_limit_mb=6000:allocator_may_return_null=1:" +
                       os.environ.get("ASAN_OPTIONS", ""))
    return subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                            stderr=subprocess.PIPE, env=environment, preexec_fn=no_core)


def finish(process, seconds):
    """Lets it run so long, then ends it by SIGTERM."""
    try:
        out, err = process.communicate(timeout=seconds)
        interrupted = False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        interrupted = True
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Finding("hang: SIGTERM has no effect") from None
    return Outcome(process.returncode, (out or b"").decode(errors="replace"), err.decode(errors="replace"), interrupted)


def check(outcome):
    if SANITIZER.search(outcome.err):
        raise Finding("sanitizer: " + outcome.err[:2000])
    if outcome.interrupted and outcome.status == -signal.SIGTERM:
        return  # a command with nothing to store
    if outcome.status < 0:
        raise Finding(f"crash: ended by signal {-outcome.status}: {outcome.err[:500]}")
    if outcome.status not in STATUSES:
        raise Finding(f"status {outcome.status}")
    if outcome.status == 2:
        said = [line for line in outcome.err.splitlines(True) if "does nothing any more" not in line]
        if len(said) != 1 or not said[0].startswith("gnomon: ") or len(said[0]) < 20 or said[0][-1] != "\n":
            raise Finding(f"status 2 without one sentence: {outcome.err[:500]!r}")
    if outcome.status == 3 and not (outcome.err or outcome.out):
        raise Finding("status 3 without a word")
    if outcome.status == 130 and not outcome.interrupted:
        raise Finding("status 130 without a signal")


def refuse_constant(name):
    raise Finding(f"JSON with {name}")


# --- command lines ---------------------------------------------------------------------------------------------------

class Grammar:
    """Commands with the kinds of their arguments, flags with the kinds of their values and what help calls these, all
    from the program's own completion and help, so that a new flag is drawn from its first day."""

    def __init__(self, program):
        self.program = program
        script = self.ask("completion", "bash")
        self.commands, self.called, self.names = {}, {}, {}
        for command, kinds, flags in re.findall(r"^    (\S+)\) kinds=\((.*)\) flags='(.*)' ;;$", script, re.M):
            self.commands[command] = shlex.split(kinds), [*flags.split(), "--plugin", "--plugin-path", "--version"]
            for flag, called in re.findall(r"^  (?:-\w, )?(--\S+) (\S+)", self.ask(command, "--help"), re.M):
                self.called[command, flag] = called
        self.values = {(command, flag): kind for command, flag, kind in
                       re.findall(r"^    \*?\"(\S*) (--\S+)\"\) values='(.*)' ;;$", script, re.M)}
        for known in (self.commands, self.called, self.values, self.of("schemes"), self.of("problems")):
            if not known:
                sys.exit(f"program.py: \"{program} completion bash\" and its help tell no commands or names")

    def ask(self, *line, folder=None):
        return subprocess.run([self.program, *line], cwd=folder, capture_output=True, text=True, check=True).stdout

    def of(self, kind, folder=None):
        if kind not in self.names:
            self.names[kind] = self.ask("completion", "--values", kind, folder=folder).split()
        return self.names[kind]


NUMBERS = ["1e-2", "1e-3", "0.1", "0", "-1e-2", "1e-300", "1e300", "nan", "inf", "-inf", "1e400", "0x10", "1,5", "1e",
           "", " ", "1e-2s", "--", "٣", "1" * 400, "9223372036854775808", "2147483648", "-0", "1e15"]
COUNTS = ["1", "3", "10", "0", "-1", "2.5", "1e1", "1e99", "ten", "99999999999999999999", "", "2147483648"]
WORDS = ["", " ", "x", "energy", "=", "==", "a=b=c", "\n", "\x1b[31m", "é" * 50, "%s%n", "../..", "/proc", "nan", "null", "'", "A" * 5000]
FILES = ["m.toml", "a.csv", "c.gcp", "r.urdf", "b.csv", "b.h5", "b.jsonl", "b.gcp", "b.pvd", "b.glb", "p.svg", "p.html", "p.json"]
BAD_FILES = ["", "/", ".", "no/such/folder/x", "/dev/full", "/proc/1/mem", "x" * 300, "/dev/null"]
ASSIGNED = ["spatial", "1e300", "5", "0", "-3", "nan", "", "1e7", "1e-5", ".5", "3", "20", "rattle", "composition", "klu", "none", "gauss",
            "pvae-0", "events", "true", "mm", "deg", "k=3"]
# What help calls a value, where completion has no kind of it; any other is a word.
CALLED = {**dict.fromkeys(["T", "H", "R", "A", "DT", "E", "S", "EPS", "SECONDS"], NUMBERS),
          **dict.fromkeys(["N", "K", "I"], COUNTS),
          "NAMES": ["k", "k,start.x", "start.der(x)", "start.x=0.1", "k,k", "x", "x=y,z", ",", "m,l,g,k", "k=nan"],
          "NAME=VALUES": ["k=grid(1,2,3)", "scheme=list(rattle,hbvm)", "step=log-grid(1e-3,1e-2,2)", "start.x=normal(0,1e-3)",
                          "k=uniform(1,2)", "k=grid(1,2,1e9)", "k=list()", "k=grid(", "start.der(x)=list(0,nan)"],
          "A:DT:B": ["0:1e-3:1e-2", "0,1e-3", "0:0:1", "1:-1:0", "0:1e-300:1", ":", "0,nan", "5"],
          "WHERE": ["start", "equilibrium", "0.1", "-1", "1e300"], "I/N": ["1/2", "0/2", "3/2", "1/0", "1/1e9"],
          "K/N": ["7/4000", "0/1", "2/1"], "FIGURES": ["energy_slope", "q_end,v_end", "max(x)", "max(", "x,,y", "seconds"],
          "NAME=VALUE": ["x=y", "x=1", "x=deg", "=", "x", "theta=deg"], "KIND": ["schemes", "options:hbvm", "parameters:m.toml", ":"]}


class Commands:
    """Drawn lines. What `whole` adds makes a line of a command long enough to run, and its work short."""

    def __init__(self, program):
        self.grammar = Grammar(program)
        self.inputs = {"r.urdf": (pathlib.Path(__file__).resolve().parents[1] / "data/models/urdf/gripper.urdf").read_bytes()}
        with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as folder:
            for line in (["new", "m"], ["run", "m.toml", "--step", "1e-2", "--steps", "10", "--output", "a.csv", "--checkpoint", "c.gcp"]):
                outcome = finish(start(program, line, folder), 60)
                if outcome.status != 0:
                    sys.exit(f"program.py: gnomon {' '.join(line)}: {outcome.err}")
            self.inputs.update({path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()})
            self.grammar.of("parameters:m.toml", folder)

    def value(self, rng, kind, called, line):
        if kind == "files":
            return rng.choice(FILES if rng.random() < .8 else BAD_FILES)
        if kind == "folders":
            return rng.choice([".", "folder", "no/such/folder", "m.toml", "", "/proc"])
        if kind == "any":
            pool = CALLED.get(called, WORDS)
            return rng.choice(pool[:4] if rng.random() < .7 else pool)
        if kind == "problems" and rng.random() < .4:
            return rng.choice(["m.toml", "m.toml", "m.toml", "a.csv", "r.urdf"])
        if kind.startswith("words "):
            pool = kind.split()[1:]
        elif kind == "commands":
            pool = list(self.grammar.commands)
        elif kind in ("options", "solver-options", "reference-options", "parameters"):
            owners = {"options": "schemes", "solver-options": "solvers", "reference-options": "references", "parameters": "problems"}
            known = [*self.grammar.of(owners[kind]), *(["m.toml"] if kind == "parameters" else [])]
            asked = [word for word in [*line, rng.choice(known)] if word in known]
            pool = [name for word in asked for name in self.grammar.of(f"{kind}:{word}")]
        else:
            pool = self.grammar.of(kind)
        word = rng.choice(pool if pool and rng.random() < .95 else WORDS)
        return word + rng.choice(ASSIGNED + NUMBERS[:4]) if word.endswith("=") else word

    def whole(self, rng, command):
        number, count = rng.choice(NUMBERS[:3] if rng.random() < .8 else NUMBERS), rng.choice(
            COUNTS[:3] if rng.random() < .8 else COUNTS)
        size = ["--step", number, "--steps", count]
        return {"run": size, "compare": size, "sweep": [*size, "--vary", "mass=grid(1,2,2)", "--output", "b.csv"],
                "advise": ["--until", "0.1", "--budget", "0.5"], "fit": ["a.csv", "--vary", "k", "--step", "1e-2"],
                "validate": rng.choice([["--cases", "folder"], ["--share", "7/4000"]])}.get(command, [])

    def draw(self, rng):
        grammar = self.grammar
        command = "run" if rng.random() < .4 else rng.choice(list(grammar.commands))
        kinds, flags = grammar.commands[command]
        line = [command]
        for kind in kinds[:1] if command == "fit" or rng.random() < .7 else kinds:
            line.append(self.value(rng, kind, "", line))
        line += self.whole(rng, command)
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            flag = rng.choice(flags)
            line.append(flag)
            kind = grammar.values.get((command, flag)) or grammar.values.get(("", flag))
            if kind:
                line.append(self.value(rng, kind, grammar.called.get((command, flag)), line))
        for _ in range(rng.choice([0, 0, 0, 0, 1, 2])):
            self.mutate(rng, line)
        # An argument of a process has no zero byte and is UTF-8 here.
        line = [word.replace("\0", "") for word in line]
        return line if line[:1] != ["bench"] or "--help" in line else [*line, "--repetitions", "nonsense"]

    @staticmethod
    def mutate(rng, line):
        at = rng.randrange(len(line))
        action = rng.randrange(6)
        if action == 0 and len(line) > 1:
            del line[at]
        elif action == 1:
            line.insert(at, line[at])
        elif action == 2:
            other = rng.randrange(len(line))
            line[at], line[other] = line[other], line[at]
        elif action == 3:
            line[at] = rng.choice(WORDS + NUMBERS)
        elif line[at]:
            word, k = line[at], rng.randrange(len(line[at]))
            line[at] = word[:k] + rng.choice(["", word[k] * 2, "-", "=", "Z", "é", " "]) + word[k + 1:]


def was_named(file, line, unfinished):
    """A file that the line asks for: by its name, as a model, as the pages of the manual, as the parts of a series or as
    what an unfinished sweep leaves."""
    stem, _, end = file.rpartition(".")
    return (file in line or any(word.endswith("=" + file) for word in line) or
            end == "toml" and "new" in line and stem in line or end == "1" and "man" in line or
            end == "part" and unfinished and stem in line or
            end == "vtp" and any(word.endswith(".pvd") for word in line))


def commands(arguments, number, drawn):
    rng = random.Random(f"{arguments.seed} commands {number}")
    line = drawn.draw(rng)
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as outer:
        folder = pathlib.Path(outer) / "up" / "work"  # "../.." is a place of this run, too
        folder.mkdir(parents=True)
        for file, data in drawn.inputs.items():
            (folder / file).write_bytes(data)
        try:
            outcome = finish(start(arguments.program, line, folder), arguments.seconds)
            check(outcome)
            if outcome.status == 0 and "--json" in line and outcome.out.startswith("{"):
                json.loads(outcome.out, parse_constant=refuse_constant)
            files = [path for path in pathlib.Path(outer).rglob("*") if path.is_file() and path.name not in drawn.inputs]
            left = {path.relative_to(folder).parts[0] if folder in path.parents else path.name for path in files}
            left = {file for file in left if not was_named(file, line, outcome.status != 0)}
            if left:
                raise Finding(f"left behind: {sorted(left)}")
            for file, data in drawn.inputs.items():
                named = any(file in word for word in line)
                if not (folder / file).is_file() or (folder / file).read_bytes() != data and not named:
                    raise Finding(f"{file} was changed")
        except Finding as finding:
            raise Finding(f"gnomon {' '.join(map(repr, line))}: {finding}") from None
    return f"{line[0] if line and line[0] in drawn.grammar.commands else '?'}: status {outcome.status}" + (
        " after SIGTERM" if outcome.interrupted else "")


# --- modules ---------------------------------------------------------------------------------------------------------

def modules(arguments, number, sound):
    """Modules that a copy or a download has damaged: cut, with another head, or of another kind. What lies deeper in the
    file is code, which the dynamic linker runs as it is."""
    rng = random.Random(f"{arguments.seed} modules {number}")
    data = bytearray(rng.choice(sound))
    action = rng.randrange(5)
    if action == 0:
        data = data[:rng.randrange(len(data))]
    elif action == 1:
        data[rng.randrange(20)] = rng.randrange(256)  # magic number, class, order of bytes, kind and machine
    elif action == 2:
        data = bytes(rng.randrange(256) for _ in range(rng.randrange(4096)))
    elif action == 3:
        data = b"\x7fELF" + bytes(rng.randrange(256) for _ in range(rng.randrange(16, 400)))
    else:
        data = data.replace(b"gnomon_plugin_", b"gnomon_plugim_")
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as folder:
        (pathlib.Path(folder) / "m.so").write_bytes(data)
        outcome = finish(start(arguments.program, ["list", "--plugin", "m.so"], folder), arguments.seconds)
        check(outcome)
        if outcome.status == 2 and "m.so" not in outcome.err:
            raise Finding(f"does not name the module: {outcome.err}")
        if outcome.status == 0 and action in (0, 2, 3, 4):
            raise Finding("a damaged module was loaded")
    return f"status {outcome.status}"


# --- model files -----------------------------------------------------------------------------------------------------

MODEL_FOLDERS = ["manual/gallery", "problems"]
MODEL_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|\s+|.", re.DOTALL)
MODEL_NUMBERS = ["0", "-0", "1e308", "-1e308", "1e-308", "nan", "inf", "-inf", "1e309", "99999999999999999999",
                 "2147483648", "9223372036854775807", "-1", "0x10", "1_000", "1979-05-27", "true", "''", "[]", "{}", "[[]]", "1e15", "1e3"]
MODEL_WORDS = ["x", "t", "pi", "lambda", "sum(i in 0..1e9: i)", "sum(i in 0..3: x)", "der(x)", "if(x < 0, 1, 0)", "winding(x, x)",
               "x[0]", "x[999999999]", "é", "\u202e", "\0", "\ud7ff", "😀" * 20, "x^x^x", "0/0", "sqrt(-1)", "log(0)", "1/0",
               "format", "bodies", "joints", "start", "for i in 0..1e8", "\n", '"', "'''", '"""', "#", "\\", "[x]", "a.b.c"]


def mutated(rng, text):
    """A model file with one mistake or several, in its tokens or lines, or cut off."""
    if rng.random() < .1:
        return text[:rng.randrange(len(text) + 1)]
    tokens = MODEL_TOKEN.findall(text)
    gently = rng.random() < .5  # numbers and names only, so that many are models all the same
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(tokens))
        shown = [k for k, token in enumerate(tokens) if not token.isspace()] or [at]
        numbers = [k for k in shown if tokens[k][0].isdigit()] or shown
        names = [k for k in shown if tokens[k][0].isalpha()] or shown
        action = rng.choice([3, 3, 3, 5, 6]) if gently else rng.randrange(9)
        if action == 0:
            tokens[rng.choice(shown)] = ""
        elif action == 1:
            tokens[at] *= 2
        elif action == 2:
            tokens.insert(at, rng.choice(MODEL_WORDS + MODEL_NUMBERS))
        elif action in (3, 4):
            tokens[rng.choice(numbers)] = rng.choice(MODEL_NUMBERS)
        elif action == 5:
            one, other = rng.choice(names), rng.choice(names)
            tokens[one], tokens[other] = tokens[other], tokens[one]
        elif action == 6:
            tokens[rng.choice(names)] = rng.choice(MODEL_WORDS)
        elif action == 7:
            depth = rng.choice([10, 300, 20000])
            opened, closed = rng.choice(["()", "[]", ("{a=", "}"), ("-(", ")"), ("a.", "a"), ("x^", "x"), ("sin(", ")")])
            tokens[rng.choice(shown)] = opened * depth + "1" + closed * depth
        else:
            lines = "".join(tokens).splitlines(keepends=True)
            line = rng.randrange(len(lines))
            lines[line] = rng.choice(["", lines[line] * 2, lines[rng.randrange(len(lines))]])
            tokens = MODEL_TOKEN.findall("".join(lines))
        tokens = [token for token in tokens if token] or [" "]
    return "".join(tokens)


def models(arguments, number, texts):
    """A model file that somebody has mistyped: what it means, its check, a few steps of it, or one sentence."""
    rng = random.Random(f"{arguments.seed} models {number}")
    data = mutated(rng, rng.choice(texts)).encode(errors="surrogatepass")
    if rng.random() < .05:
        data = data.replace(data[:1], bytes([rng.randrange(256)]), 3)
    line = rng.choice([["describe", "m.toml"], ["check", "m.toml"], ["equilibrium", "m.toml"],
                       ["run", "m.toml", "--step", "1e-3", "--steps", "5"], ["run", "m.toml", "--until", "1e-3"]])
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as folder:
        (pathlib.Path(folder) / "m.toml").write_bytes(data)
        try:
            outcome = finish(start(arguments.program, line, folder), arguments.seconds)
            check(outcome)
            if outcome.interrupted:
                raise Finding(f"longer than {arguments.seconds:g} s")
        except Finding as finding:
            kept = pathlib.Path(tempfile.gettempdir()) / f"gnomon-model-{arguments.seed}-{number}.toml"
            kept.write_bytes(data)
            raise Finding(f"gnomon {line[0]} {kept}: {finding}") from None
    return f"{line[0]}: status {outcome.status}"


# --- damaged tables --------------------------------------------------------------------------------------------------

SWEEP = ["sweep", "planar-pendulum", "--vary", "gravity=grid(1,9,40)", "--step", "1e-2", "--steps", "20", "--output"]


def sound_tables(program):
    """A trajectory in each format, the two shards of a sweep, and the sweep."""
    made = {}
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as folder:
        for file in ("a.csv", "a.jsonl", "a.h5"):
            made[file] = ["run", "double-spherical-pendulum", "--step", "1e-2", "--steps", "1000", "--output", file]
        for shard in ("1", "2"):
            made[shard + ".h5"] = [*SWEEP, shard + ".h5", "--shard", shard + "/2"]
        made["all.h5"] = ["sweep", "merge", "all.h5", "1.h5", "2.h5"]
        for file, line in made.items():
            outcome = finish(start(program, line, folder), 60)
            if outcome.status != 0:
                sys.exit(f"program.py: gnomon {' '.join(line)}: {outcome.err}")
        return {file: (pathlib.Path(folder) / file).read_bytes() for file in made}


def damaged(rng, data):
    data = bytearray(data)
    action = rng.randrange(4)
    at = rng.randrange(len(data))
    if action == 0:
        return bytes(data[:at])
    if action == 1:
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 2, 8, 100])))
    elif action == 2:
        del data[at:at + rng.choice([1, 1, 2, 8, 100, 4096])]
    else:
        # The heads of HDF5 files are as long as their numbers.
        for _ in range(rng.choice([1, 1, 1, 2, 10, 100])):
            data[rng.randrange(rng.choice([len(data), min(len(data), 4096)]))] ^= 1 << rng.randrange(8)
    return bytes(data)


def tables(arguments, number, sound):
    """What is damaged is refused by one sentence. HDF5 has checksums: numbers of a file that is taken are right."""
    rng = random.Random(f"{arguments.seed} tables {number}")
    file = rng.choice(["a.csv", "a.jsonl", "a.h5", "a.h5", "1.h5", "1.h5", "all.h5"])
    data = damaged(rng, sound[file])
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
        folder = pathlib.Path(name)
        for sound_file, bytes_of in sound.items():
            (folder / sound_file).write_bytes(bytes_of)
        bad = "bad" + pathlib.Path(file).suffix
        (folder / bad).write_bytes(data)
        merges = file == "1.h5"
        line = ["compare", bad, file, "--json"]
        if merges:
            line = ["sweep", "merge", "merged.h5", bad, "2.h5"]
        elif file == "all.h5":
            line = [*SWEEP, bad, "--resume", "--report", "r.html"]
        outcome = finish(start(arguments.program, line, name), arguments.seconds)
        check(outcome)
        if outcome.interrupted:
            raise Finding("does not end")
        if outcome.status == 0 and merges and (folder / "merged.h5").read_bytes() != sound["all.h5"]:
            raise Finding("merged from damaged numbers")
        if outcome.status == 0 and file == "a.h5":
            report = json.loads(outcome.out, parse_constant=refuse_constant)
            if report["common_times"] != 1001 or report["only_in_a"] or report["only_in_b"] or any(c["max_abs_difference"] != 0 for c in report["columns"]):
                raise Finding("damaged numbers were taken")
    return f"{pathlib.Path(file).suffix} status {outcome.status}"


# --- names that are commands elsewhere -------------------------------------------------------------------------------

COMMAND = "touch $CANARY"
PIECES = ["\n", "\r\n", "\t", "'", '"', "`", f"`{COMMAND}`", f"$({COMMAND})", f";{COMMAND};", f"|{COMMAND}", f"&&{COMMAND}",
          f"\n!{COMMAND}\n", f"'\nsystem(\"{COMMAND}\")\n#", f"\nset output '|{COMMAND}'\nreplot\n", f"' , system('{COMMAND}') , '",
          f"\nEND\n!{COMMAND}\n", "\\", "\\\n", "\x1b[31m", "\x1b]0;title\x07", "\x1b[2J", "\x08", "\x7f", "\u009b31m", "\u202e", "\u2028", "é",
          "中文", "🜚", "{/Symbol a}", "^2", "_i", "@x", "%s%n", "{}", "{0}", ",", ";", "#", "$data1", "<b>", "&amp;", "]]>", "=1+1",
          "a", "b", "mass", " ", "A" * 300, "A" * 5000]
SHOWN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def toml(text):
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text) + '"'


def model_of(names):
    one = [toml(name) for name in names[:3]] + [toml(names[3] + "2"), toml(names[4])]
    return f"""format = 1
name = {one[0]}
description = {one[1]}
coordinates = ["x", "y"]
mass = 1
potential = "0"
[constraints]
rod = "(x^2+y^2-1)/2"
[symmetries]
{one[2]} = {{ x = "-y", y = "x" }}
{one[3]} = {{ x = "-2*y", y = "2*x" }}
[integrals]
{one[4]} = "x^2 + y^2"
[drawing]
rod = [["0", "0"], ["x", "y"]]
[start]
position = {{ x = 1 }}
velocity = {{ y = 1 }}
"""


def refuse_controls(outcome):
    found = SHOWN.search(outcome.out + outcome.err)
    if found:
        raise Finding(f"prints {found.group()!r}: {(outcome.out + outcome.err)[max(0, found.start() - 60):][:120]!r}")


def refuse_another_word(line, file, folder, canary):
    """The command line that was printed runs the same file."""
    script = 'gnomon() { printf "%s\\0" "$@"; }\n' + line
    words = subprocess.run(["bash", "-c", script], cwd=folder, env=dict(os.environ, CANARY=canary), capture_output=True, check=False)
    if words.returncode != 0 or words.stdout.split(b"\0")[1] != os.fsencode(file):
        raise Finding(f"another command line: {line!r}")


def names(arguments, number, _):
    """A model, its file and a table whose names are commands of gnuplot, of the shell or of a terminal: they are names."""
    rng = random.Random(f"{arguments.seed} names {number}")
    draw = lambda: "".join(rng.choice(PIECES) for _ in range(rng.choice([1, 1, 2, 3, 5])))
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
        folder = pathlib.Path(name) / "work"
        folder.mkdir()
        canary = str(pathlib.Path(name) / "canary")
        for file in (".gnuplot", ".config/gnuplot/gnuplotrc"):
            (pathlib.Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
            (pathlib.Path(name) / file).write_text(f"system('{COMMAND}')\n")
        stem = draw().replace("/", "_").encode()[:200].decode(errors="ignore").lstrip("-.") or "m"
        model = stem + ".toml"
        (folder / model).write_text(model_of([draw() for _ in range(5)]), encoding="utf-8")
        end = rng.choice(["csv", "jsonl", "h5"])
        runs = ["run", model, "--step", "1e-2", "--steps", "20"]
        lines = [[*runs, "--output", "a.jsonl", "--report", "r.html", "--plot", "p.svg"],
                 [*runs, "--output", "b." + end, "--snapshots", "s.csv"],
                 ["compare", "a.jsonl", "b." + end, "--plot", "c.svg", "--report", "c.html"],
                 rng.choice([["describe", model], ["check", model], [*runs, "--set", draw()], ["describe", draw()],
                             ["compare", stem + ".csv", "a.jsonl"], [*runs, "--plot", stem + ".svg", "--json"],
                             [*runs, "--output", stem + ".csv", "--checkpoint", stem]])]
        if rng.random() < .1:
            lines.append(["advise", model, "--until", "0.1", "--error", "1e-2", "--budget", "0.5"])
        ends = []
        for line in lines:
            outcome = finish(start(arguments.program, line, folder, CANARY=canary, HOME=name, GNUPLOT_LIB=name), arguments.seconds)
            try:
                check(outcome)
                refuse_controls(outcome)
                if line[0] == "advise" and outcome.status == 0:
                    for printed in re.findall(r"^ *(gnomon run .*)$", outcome.out, re.M):
                        refuse_another_word(printed, model, folder, canary)
                if pathlib.Path(canary).exists():
                    raise Finding("EXECUTED")
                ends.append(str(outcome.status))
            except Finding as finding:
                raise Finding(f"gnomon {' '.join(map(repr, line))}: {finding}; {outcome.err[:300]}") from None
        for picture in folder.glob("?.svg"):
            try:
                xml.dom.minidom.parse(str(picture))
            except xml.parsers.expat.ExpatError as error:
                line = picture.read_text(errors="replace").splitlines()[error.lineno - 1]
                raise Finding(f"{picture.name} is no picture: {error}: {line[:200]!r}") from None
        if (folder / "a.jsonl").exists():
            head = json.loads((folder / "a.jsonl").read_text().split("\n")[0])
            refuse_another_word(head["provenance"]["command"], model, folder, canary)
            if end == "csv":
                with open(folder / "b.csv", newline="", encoding="utf-8") as stream:
                    titles = next(csv.reader(stream))
                wanted = [c["name"] + (f" [{c['unit']}]" if "unit" in c else "") for c in head["columns"]]
                if titles != wanted:
                    raise Finding(f"b.csv has the titles {titles!r}, expected {wanted!r}")
    return "status " + " ".join(ends[:3])


# --- signals, disks and writers --------------------------------------------------------------------------------------

RUNS = [["double-spherical-pendulum", "--set", "start=spatial", "--scheme", "hbvm", "--step", "1e-3", "--steps", "20000"],
        ["double-spherical-pendulum", "--scheme", "energy-momentum", "--step", "1e-3", "--steps", "60000"],
        ["walled-pendulum", "--step", "1e-3", "--steps", "60000"],
        ["n-four-bar", "--scheme", "line-integral-ggl", "--step", "1e-3", "--steps", "40000"]]


def end_of(program, folder, arguments):
    """t, q and p at the end of a run that went to its end: the last line of its trajectory."""
    outcome = finish(start(program, ["run", *arguments, "--output", "end.csv", "--every", "1000000"], folder), 300)
    check(outcome)
    if outcome.status not in (0, 1):
        raise Finding(f"status {outcome.status}: {outcome.err}")
    return (pathlib.Path(folder) / "end.csv").read_text().splitlines()[-1]


def signals(arguments, number, ends):
    """A run that is interrupted or killed goes on from its checkpoint to the same last bit."""
    rng = random.Random(f"{arguments.seed} signals {number}")
    which = rng.randrange(len(RUNS))
    run = RUNS[which]
    sent = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGKILL])
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
        folder = pathlib.Path(name)
        every = str(rng.choice([1, 7, 100, 1000]))
        process = start(arguments.program, ["run", *run, "--checkpoint", "c.gcp", "--checkpoint-every", every, "--output",
                                            "out.csv", "--every", "100"], name)
        time.sleep(rng.uniform(0.02, 1.0))
        process.send_signal(sent)
        outcome = finish(process, PATIENCE)
        outcome.interrupted = True
        if sent == signal.SIGKILL and outcome.status == -signal.SIGKILL:
            # What a kill leaves is the file under its temporary name, once.
            extra = {path.name for path in folder.iterdir()} - {"c.gcp", "out.csv"}
            if len(extra) > 2:
                raise Finding(f"left behind: {sorted(extra)}")
        else:
            if outcome.status == -sent and not any(folder.iterdir()):
                return "before the program watches for signals"
            check(outcome)
            extra = {path.name for path in folder.iterdir()} - {"c.gcp", "out.csv"}
            if extra:
                raise Finding(f"left behind: {sorted(extra)}")
            if outcome.status not in (0, 1, 130):
                raise Finding(f"status {outcome.status}: {outcome.err}")
        if not (folder / "c.gcp").exists():
            return "before the first checkpoint"
        if outcome.status in (0, 1):
            return "ended before the signal"
        steps = run[run.index("--steps") + 1]
        if end_of(arguments.program, name, ["--restart", "c.gcp", "--steps", steps]) != ends[which]:
            raise Finding(f"{run[0]}: it does not end where an undisturbed run does")
    return f"{sent.name}, went on"


def disk(arguments, number, _):
    """On a file system with little room, mounted for this run alone: the checkpoint of before stays whole."""
    rng = random.Random(f"{arguments.seed} disk {number}")
    room = rng.randrange(24, 2000)
    filled = rng.randrange(room)
    every = rng.choice([1, 10, 100])
    script = f"""
        mount -t tmpfs -o size={room}k tmpfs "$1" || exit 90
        cd "$1"
        "$2" run double-spherical-pendulum --step 1e-3 --steps 100 --checkpoint c.gcp >/dev/null 2>err0 || exit 91
        cp c.gcp before.gcp 2>/dev/null || exit 92
        head -c {filled}k /dev/zero > filler 2>/dev/null
        "$2" run --restart c.gcp --steps 3000 --checkpoint c.gcp --checkpoint-every {every} --output out.csv 2>"$3/err" >"$3/out"
        echo $? > "$3/status"
        ls -A > "$3/files"
        rm -f filler out.csv
        "$2" run --restart c.gcp --steps 4000 2>"$3/err2" >/dev/null
        echo $? > "$3/again"
    """
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
        folder = pathlib.Path(name)
        (folder / "disk").mkdir()
        (folder / "notes").mkdir()
        done = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", folder / "disk",
                               arguments.program, folder / "notes"], capture_output=True, text=True, check=False)
        if done.returncode in (91, 92):
            return "no room for a first checkpoint"
        if done.returncode != 0:
            raise Finding(f"could not be set up: {done.returncode} {done.stderr}")
        read = lambda file: (folder / "notes" / file).read_text()
        outcome = Outcome(int(read("status")), read("out"), read("err"), False)
        check(outcome)
        if outcome.status not in (0, 2):
            raise Finding(f"status {outcome.status}: {outcome.err}")
        extra = set(read("files").split()) - {"c.gcp", "before.gcp", "filler", "out.csv", "err0"}
        if extra:
            raise Finding(f"left behind: {sorted(extra)}")
        if int(read("again")) not in (0, 1):
            raise Finding(f"the checkpoint is lost: {read('err2')}")
    return "fitted" if outcome.status == 0 else "refused, nothing lost"


def writers(arguments, number, _):
    """Several programs write the same checkpoint; whatever is there at any time is whole."""
    rng = random.Random(f"{arguments.seed} writers {number}")
    run = ["run", "planar-pendulum", "--step", "1e-2", "--steps", "2000", "--checkpoint", "c.gcp", "--checkpoint-every",
           str(rng.choice([1, 2, 5]))]
    with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
        folder = pathlib.Path(name)
        running = [start(arguments.program, run, name) for _ in range(rng.randrange(2, 4))]
        victim = rng.choice([None, running[0]])
        while not (folder / "c.gcp").exists() and any(process.poll() is None for process in running):
            time.sleep(0.005)
        for _ in range(3):
            outcome = finish(start(arguments.program, ["run", "--restart", "c.gcp", "--steps", "2010"], name), PATIENCE)
            check(outcome)
            if outcome.status not in (0, 1):
                raise Finding(f"a reader got status {outcome.status}: {outcome.err}")
        if victim:
            victim.kill()
        for process in running:
            outcome = finish(process, 120)
            if process is victim:
                continue
            check(outcome)
            if outcome.status != 0:
                raise Finding(f"a writer got status {outcome.status}: {outcome.err}")
        extra = {path.name for path in folder.iterdir()} - {"c.gcp"}
        if len(extra) > (1 if victim else 0):
            raise Finding(f"left behind: {sorted(extra)}")
        outcome = finish(start(arguments.program, ["run", "--restart", "c.gcp", "--steps", "2010"], name), PATIENCE)
        check(outcome)
        if outcome.status not in (0, 1):
            raise Finding(f"the checkpoint is lost: {outcome.err}")
    return "whole"


# --- soak ------------------------------------------------------------------------------------------------------------

SOAKS = [["run", "double-spherical-pendulum", "--set", "start=spatial", "--scheme", "hbvm", "--step", "1e-3", "--steps",
          "1000000000", "--every", "10000", "--output", "/dev/null"],
         ["run", "walled-pendulum", "--step", "1e-2", "--steps", "1000000000"],
         ["run", "rotating-wire-bead", "--scheme", "symplectic-euler-natural", "--step", "1e-4", "--steps", "1000000000",
          "--checkpoint", "c.gcp", "--checkpoint-every", "1000"]]


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def soak(arguments):
    """Memory after a tenth of the time and at the end: flat to 2 % and 1 MB. Events are a result and may be kept."""
    findings = 0
    soaks = [(arguments.program, line) for line in SOAKS]
    beside = pathlib.Path(arguments.program).with_name("gnomon-campaign")
    if beside.exists():
        soaks.append((str(beside), ["systems", "--count", "1000000000"]))
        soaks.append((str(beside), ["checkpoints", "--count", "1000000000"]))
    each = arguments.seconds / len(soaks)
    for program, line in soaks:
        with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as name:
            process = start(program, line, name, out=subprocess.DEVNULL)
            sizes, begun = [], time.monotonic()
            while time.monotonic() - begun < each and process.poll() is None:
                sizes.append((time.monotonic() - begun, resident(process.pid)))
                time.sleep(min(1, each / 50))
            ended = process.poll()
            if ended is None:
                sizes.append((each, resident(process.pid)))
            process.kill()
            process.communicate()
        early = max(size for t, size in sizes if t <= max(each / 4, sizes[0][0]))
        late = max(size for t, size in sizes if t >= each * 3 / 4) if ended is None else 0
        flat = ended is None and late <= 1.02 * early + 1024
        findings += not flat
        verdict = "flat" if flat else f"ENDED with status {ended}" if ended is not None else "GROWS"
        print(f"{verdict}: {early} kB, then {late} kB after {each:.0f} s: {' '.join(line)}", flush=True)
    return findings


# --- all -------------------------------------------------------------------------------------------------------------

def prepared(arguments):
    if arguments.campaign == "commands":
        return Commands(arguments.program)
    if arguments.campaign == "modules":
        found = sorted(pathlib.Path(arguments.modules or ".").glob("*.so"))
        if not found:
            sys.exit(f"program.py: there are no modules (*.so) in {arguments.modules!r}; --modules FOLDER names one")
        return [path.read_bytes() for path in found[:5]]
    if arguments.campaign == "models":
        folders = arguments.folders or [pathlib.Path(__file__).resolve().parents[2] / place for place in MODEL_FOLDERS]
        found = sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*.toml"))
        if not found:
            sys.exit(f"program.py: there are no model files (*.toml) in {', '.join(map(str, folders))}")
        return [file.read_text() for file in found]
    if arguments.campaign == "tables":
        return sound_tables(arguments.program)
    if arguments.campaign == "names" and not (shutil.which("gnuplot") and shutil.which("bash")):
        print("NOT RUN: this machine has no gnuplot or no bash")
        sys.exit(77)
    if arguments.campaign == "signals":
        with tempfile.TemporaryDirectory(prefix="gnomon_campaign_") as folder:
            return [end_of(arguments.program, folder, run) for run in RUNS]
    if arguments.campaign == "disk":
        tried = subprocess.run(["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                               capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            print(f"NOT RUN: this machine mounts no file system for a test: {tried.stderr.strip()}")
            sys.exit(77)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    one = {"commands": commands, "modules": modules, "models": models, "tables": tables, "names": names, "signals": signals,
           "disk": disk, "writers": writers}
    parser.add_argument("campaign", choices=[*one, "soak"])
    parser.add_argument("--program", required=True, help="the gnomon program")
    parser.add_argument("--modules", help="folder with sound modules, for that campaign")
    parser.add_argument("--folders", nargs="+", help="with model files, for that campaign; the gallery and the problems")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10, help="of a command, before it gets SIGTERM; of a soak")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    if not shutil.which(arguments.program):
        parser.error(f"there is no program {arguments.program!r}")
    if arguments.campaign == "soak":
        return 1 if soak(arguments) else 0

    common = prepared(arguments)
    outcomes, findings = {}, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        numbers = range(arguments.first, arguments.first + arguments.count)
        tasks = {pool.submit(one[arguments.campaign], arguments, number, common): number for number in numbers}
        for task in concurrent.futures.as_completed(tasks):
            try:
                outcome = task.result()
            except Finding as finding:
                findings += 1
                outcome = "finding"
                print(f"--seed {arguments.seed} --first {tasks[task]} --count 1: {finding}", flush=True)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:8d}  {outcome}")
    print(f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
