#!/usr/bin/env python3
"""Checks that objects have the level of optimisation that their command asks for.

    levels.py BUILD SCRATCH

GCC takes -O options back where it uses a header that was precompiled at another level. For each precompiled header of a
build one object that uses it is compiled again without it: the machine code must have the same size, within 2 %, and the
commands of a header and of its users must name the same level. Prints a line for each, and ends with status 1 otherwise.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

LEAST, TOLERANCE = 8000, 0.02  # bytes of code that tell levels apart


def code_size(path):
    """Bytes of machine code in an object; 0 where it is not built."""
    if not os.path.exists(path):
        return 0
    lines = subprocess.run(["size", "-A", path], check=True, capture_output=True, text=True).stdout.splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def level(arguments):
    """The last -O of a command; "-O0" without one."""
    return ([word for word in arguments if re.fullmatch(r"-O\w*", word)] or ["-O0"])[-1]


def main():
    build, scratch = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(scratch, exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    users, makers = {}, {}
    for command in commands:
        arguments = shlex.split(command["command"])
        if command["file"].endswith("cmake_pch.hxx.cxx"):
            makers[command["file"][:-len(".cxx")]] = arguments
            continue
        target = os.path.join(command["directory"], arguments[arguments.index("-o") + 1])
        for header in (word for word in arguments if word.endswith("cmake_pch.hxx")):
            size = code_size(target)
            if size >= LEAST:
                users.setdefault(header, []).append((size, command["directory"], arguments))
    failed = not users
    for header, found in sorted(users.items()):
        size, directory, arguments = min(found, key=lambda user: user[0])
        plain = os.path.join(scratch, "plain.hpp")
        shutil.copyfile(header, plain)  # without its .gch
        output = os.path.join(scratch, "plain.o")
        again = [plain if word == header else word for word in arguments]
        again[again.index("-o") + 1] = output
        subprocess.run(again + ["-w"], cwd=directory, check=True)
        expected, made_at = code_size(output), level(makers[header])
        right = abs(size - expected) <= TOLERANCE * expected and made_at == level(arguments)
        failed = failed or not right
        name = header.split("/CMakeFiles/")[1].split(".dir/")[0]
        print(f"{'ok' if right else 'FAILED'}: {name} {made_at}, {os.path.basename(arguments[-1])} {level(arguments)}: "
              f"{size} bytes of code, {expected} without the precompiled header")
    sys.exit(1 if failed else 0)


main()
