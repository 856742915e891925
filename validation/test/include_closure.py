#!/usr/bin/env python3
"""Counts the files of this tree that a source file includes, directly or not, itself counted, and their lines.

    include_closure.py FILE... [--at-most N]      a table of each, one indented line a file; status 1 above N files

Files are found as the compiler does: beside the including file, then in the include folders of the build. A header and
its source count as one.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["lib/include", "lib/src", "plugins/schemes", "plugins", "problems", "validation"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def find(name, including):
    """The file of the tree that is meant, or None for one of another library."""
    for folder in [including.parent] + [ROOT / folder for folder in FOLDERS]:
        path = folder / name
        if path.is_file():
            return path.resolve()
    return None


def closure(path, depth=0, seen=None):
    """{file: (depth, lines)} in the order of first inclusion."""
    seen = {} if seen is None else seen
    if path not in seen:
        text = path.read_text(encoding="utf-8")
        seen[path] = (depth, text.count("\n"))
        for name in INCLUDE.findall(text):
            included = find(name, path)
            if included is not None:
                closure(included, depth + 1, seen)
    return seen


def report(file):
    """Prints the table of a file and returns how many files it has."""
    files = closure(file.resolve())
    for path, (depth, lines) in files.items():
        name = path.relative_to(ROOT) if ROOT in path.parents else path
        print(f"{'  ' * depth}{name}  {lines}")
    count = len({path.with_suffix("") for path in files})
    print(f"{count} files with {sum(lines for _, lines in files.values())} lines")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILE")
    parser.add_argument("--at-most", type=int, metavar="N", help="files; more are an error")
    arguments = parser.parse_args()
    for file in arguments.files:
        if not file.is_file():
            parser.error(f'there is no file "{file}"')
    counts = {file: report(file) for file in arguments.files}
    if arguments.at_most is not None:
        sys.exit("\n".join(f"{file} includes {count} files of this tree, expected at most {arguments.at_most}"
                           for file, count in counts.items() if count > arguments.at_most) or 0)


if __name__ == "__main__":
    main()
