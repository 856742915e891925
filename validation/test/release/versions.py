#!/usr/bin/env python3
"""Whether all files name the version of CMakeLists.txt: versions.py ROOT. Prints those that do not; status 1 then."""
import pathlib
import re
import sys

PLACES = {
    "CITATION.cff": r"^version: (\S+)$",
    "python/pyproject.toml": r'^version = "(.+)"$',
    "CHANGELOG.md": r"^## (\S+)",
    "debian/changelog": r"^gnomon \((.+?)\)",
}


def named(file, pattern):
    found = re.search(pattern, file.read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else "none"


def main():
    root = pathlib.Path(sys.argv[1])
    expected = named(root / "CMakeLists.txt", r"^  VERSION (\S+)$")
    others = {file: named(root / file, pattern) for file, pattern in PLACES.items()}
    wrong = [f"{file} has version {is_}, expected {expected} as in CMakeLists.txt" for file, is_ in others.items() if is_ != expected]
    print("\n".join(wrong) or f"version {expected} everywhere")
    sys.exit(1 if wrong else 0)


main()
