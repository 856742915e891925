#!/usr/bin/env python3
"""Checks the rooms (folders) of the tree: which may include which, and how many files each holds.

    check_rooms.py ROOT

- Inside lib the rooms are ordered, and a file includes only its own room and rooms before it.
- Rooms before `sundials` include no header of SUNDIALS.
- lib knows neither plugins, problems nor validation; plugins and problems know lib only, and not each other.
- Problems see neither schemes nor solvers, schemes see no solvers, solvers see no problems.
- The kernels of the schemes: `common` includes no other room, and no two rooms include each other.
- A folder that has no folders holds at most 20 source files, a header and its source counted as one; problems/,
  plugins/schemes/ and validation/gallery/ grow by one file each.

Prints one line for each offence and exits with status 1 when there is any.
"""
import collections
import os
import re
import sys

ORDER = ["base", "formula", "model", "start", "scheme", "solve", "sundials", "run", "contact", "mechanism", "registry", "ensemble", "c_api"]
SUNDIALS = ("sundials/", "nvector/", "sunmatrix/", "sunlinsol/", "sunnonlinsol/", "kinsol/", "ida/", "cvode/")
SOURCES = (".hpp", ".cpp", ".h", ".c", ".py", ".toml")
LIMIT = 20
GROWING = ("problems", "plugins/schemes", "validation/gallery")
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
            if header.split("/")[0] in ("plugins", "problems", "validation", "schemes", "solvers", "kernels"):
                offences.append(f"{where}, and lib knows neither plugins, problems nor validation")


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


def check_sizes(root, offences):
    for top in ("lib", "plugins", "validation"):
        for place, folders, files in os.walk(os.path.join(root, top)):
            folder = os.path.relpath(place, root)
            count = len({re.sub(r"\.[hc](pp)?$", "", name) for name in files if name.endswith(SOURCES)})
            if count > LIMIT and folder not in GROWING:
                offences.append(f"{folder}: holds {count} files, at most {LIMIT} are expected")


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "lib")):
        sys.exit("usage: check_rooms.py ROOT, the folder that holds lib, plugins, problems and validation")
    root, offences = sys.argv[1], []
    for check in (check_lib, check_plugins, check_kernels, check_sizes):
        check(root, offences)
    for offence in offences:
        print(offence)
    sys.exit(1 if offences else 0)


main()
