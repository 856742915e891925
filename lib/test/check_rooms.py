#!/usr/bin/env python3
"""Checks the rooms (folders) of the tree: which may include which, how many files each holds, and that no threshold
stands outside of the header of all of them.

    check_rooms.py ROOT

- Inside lib the rooms are ordered, and a file includes only its own room and rooms before it.
- Rooms before `sundials` include no header of SUNDIALS.
- lib knows no other folder; plugins and problems know lib only, and not each other. Then come output, validation, program,
  and python and manual, each of which knows those before it.
- Problems see neither schemes nor solvers, schemes see no solvers, solvers see no problems.
- The kernels of the schemes: `common` includes no other room, and no two rooms include each other.
- A folder that has no folders holds at most 20 source files, a header and its source counted as one; problems/,
  plugins/schemes/ and manual/gallery/ grow by one file each.
- The list of folders and rooms in CONTRIBUTING.md is the tree's.
- A comment of C++ ends at column 120 (clang-format holds the code to that, and leaves comments alone).
- A number with a negative power of ten, as 1e-12, is one of gnomon/base/thresholds.hpp, or an argument of an OptionSpec:
  in lib (its tests have their own) and in plugins.

Prints one line for each offence and exits with status 1 when there is any.
"""
import collections
import os
import re
import sys

FOLDERS = ["lib", "plugins", "problems", "output", "validation", "program", "python", "manual"]
ORDER = ["base", "formula", "model", "start", "scheme", "solve", "sundials", "run", "contact", "mechanism", "registry", "ensemble", "fit", "c_api"]
SUNDIALS = ("sundials/", "nvector/", "sunmatrix/", "sunlinsol/", "sunnonlinsol/", "kinsol/", "ida/", "cvode/")
SOURCES = (".hpp", ".cpp", ".h", ".c", ".py", ".toml")
LIMIT = 20
COLUMNS = 120
THRESHOLDS = "gnomon/base/thresholds.hpp"
GROWING = ("problems", "plugins/schemes", "manual/gallery")
# Headers outside the rooms: what C and C++ share, the C interface, and the one that includes everything.
TOP = {"gnomon.h": "c_api", "flags.h": "base", "abi.h": "base", "gnomon.hpp": "c_api"}


def included(path):
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            found = re.match(r'\s*#include [<"]([^>"]+)[>"]', line)
            if found:
                yield number, found.group(1)


def lib_room(path):
    """The room of a path relative to lib/include/gnomon or lib/src; None for what is in no room."""
    room = path.split("/")[0]
    return TOP.get(path, room if room in ORDER else None)


def sources(root, *folders):
    for folder in folders:
        for place, _, files in os.walk(os.path.join(root, folder)):
            for name in sorted(files):
                if name.endswith((".hpp", ".cpp", ".h", ".c")):
                    yield os.path.relpath(os.path.join(place, name), root)


def check_lib(root, offences):
    for file in sources(root, "lib/include/gnomon", "lib/src"):
        room = lib_room(re.sub(r"^lib/(include/gnomon|src)/", "", file))
        if room is None:
            offences.append(f"{file}: is in none of the rooms {', '.join(ORDER)}")
            continue
        for number, header in included(os.path.join(root, file)):
            where = f"{file}:{number}: includes {header}"
            if header.startswith(SUNDIALS) and ORDER.index(room) < ORDER.index("sundials"):
                offences.append(f"{where}, and room {room} knows no SUNDIALS")
            local = header[len("gnomon/"):] if header.startswith("gnomon/") else header
            other = lib_room(local)
            if other and ORDER.index(other) > ORDER.index(room):
                offences.append(f"{where}, and room {room} comes before {other}")
            if header.split("/")[0] in ("plugins", "problems", "schemes", "solvers", "kernels"):
                offences.append(f"{where}, and lib knows neither plugins nor problems")


def check_plugins(root, offences):
    forbidden = {"plugins/schemes": ("gnomon/solve/", "gnomon/run/", "gnomon/contact/", "solvers/", "problems/"),
                 "plugins/solvers": ("gnomon/model/problem", "gnomon/run/", "gnomon/contact/", "schemes/", "problems/"),
                 "plugins/algebra": ("gnomon/model/", "gnomon/scheme/", "gnomon/run/", "schemes/", "problems/"),
                 "problems": ("gnomon/scheme/", "gnomon/sundials/", "gnomon/run/", "schemes/", "solvers/")}
    for folder, headers in forbidden.items():
        for file in sources(root, folder):
            for number, header in included(os.path.join(root, file)):
                if header.startswith(headers):
                    offences.append(f"{file}:{number}: includes {header}, which {folder} does not know")


def check_kernels(root, offences):
    base = "plugins/schemes/kernels"
    arrows = collections.defaultdict(set)
    for file in sources(root, base):
        room = file[len(base) + 1:].split("/")[0]
        for number, header in included(os.path.join(root, file)):
            if not header.startswith("kernels/"):
                continue
            other = header.split("/")[1]
            if other == room:
                continue
            if room == "common":
                offences.append(f"{file}:{number}: includes {header}, and common includes no other room")
            if room in arrows[other]:
                offences.append(f"{file}:{number}: includes {header}, and {other} includes {room}")
            arrows[room].add(other)


def subfolders(root, folder):
    return sorted(entry.name for entry in os.scandir(os.path.join(root, folder)) if entry.is_dir())


def check_folders(root, offences):
    owner = {name: folder for folder in ("output", "validation") for name in subfolders(root, folder) if name != "test"}
    owner["program"] = "program"
    for place, folder in enumerate(FOLDERS):
        for file in sources(root, folder):
            for number, header in included(os.path.join(root, file)):
                other = owner.get(header.split("/")[0], folder)
                if FOLDERS.index(other) > place:
                    offences.append(f"{file}:{number}: includes {header}, and {folder} comes before {other}")


def check_contributing(root, offences):
    with open(os.path.join(root, "CONTRIBUTING.md"), encoding="utf-8") as page:
        listed = page.read().split("## Where things live\n")[1].split("\n\n")[0]
    for what, found, expected in (("folders", re.findall(r"^    (\w+)/", listed, re.M), FOLDERS + ["cmake"]),
                                  ("rooms of lib", re.findall(r"^      (\w+)  ", listed, re.M), ORDER)):
        if found != expected:
            offences.append(f"CONTRIBUTING.md: lists the {what} {' '.join(found)}, and there are {' '.join(expected)}")
    for folder in ("output", "validation"):
        part = re.search(rf"^    {folder}/.*?(?=^    \w|\Z)", listed, re.M | re.S).group(0)
        for name in subfolders(root, folder):
            if f"{name}/" not in part:
                offences.append(f"CONTRIBUTING.md: does not name {folder}/{name}/ among the folders of {folder}")


def check_sizes(root, offences):
    for top in FOLDERS:
        for place, folders, files in os.walk(os.path.join(root, top)):
            folder = os.path.relpath(place, root)
            count = len({re.sub(r"\.[hc](pp)?$", "", name) for name in files if name.endswith(SOURCES)})
            if count > LIMIT and folder not in GROWING:
                offences.append(f"{folder}: holds {count} files, at most {LIMIT} are expected")


def check_comments(root, offences):
    for file in sources(root, *FOLDERS):
        with open(os.path.join(root, file), encoding="utf-8") as source:
            for number, line in enumerate(source, 1):
                if re.match(r"\s*//", line) and len(line) > COLUMNS + 1:
                    offences.append(f"{file}:{number}: a comment has {len(line) - 1} columns, expected {COLUMNS} at most")


def code_of(text):
    """The lines of C++ without comments, strings, characters and the arguments of OptionSpecs."""
    def blank(found):
        return re.sub(r"[^\n]+", " ", found.group(0))

    text = re.sub(r"(?<=\d)'(?=\d)", "", text)  # the separators of digits
    strings = r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    text = re.sub(r"//[^\n]*|/\*.*?\*/|" + strings, blank, text, flags=re.S)
    return re.sub(r"\bOptionSpec::\w+\([^()]*\)", blank, text).split("\n")


def check_thresholds(root, offences):
    for file in sources(root, "lib/src", "lib/include", "plugins"):
        if file.endswith(THRESHOLDS):
            continue
        with open(os.path.join(root, file), encoding="utf-8") as source:
            for number, line in enumerate(code_of(source.read()), 1):
                for found in re.findall(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)[eE]-\d+", line):
                    offences.append(f"{file}:{number}: {found} is not one of {THRESHOLDS}")


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "lib")):
        sys.exit("usage: check_rooms.py ROOT, the folder that holds lib, plugins, problems and the others")
    root, offences = sys.argv[1], []
    for check in (check_lib, check_plugins, check_kernels, check_folders, check_contributing, check_sizes,
                  check_comments, check_thresholds):
        check(root, offences)
    for offence in offences:
        print(offence)
    sys.exit(1 if offences else 0)


main()
