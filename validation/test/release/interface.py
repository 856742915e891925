#!/usr/bin/env python3
"""The binary interface of libgnomon_c beside that of the last release, by abidw and abidiff (libabigail).

    interface.py compare LIBRARY HEADERS RELEASED.abi    ends with status 1 where it differs and the soname does not say so
    interface.py write LIBRARY HEADERS RELEASED.abi      writes RELEASED.abi: the last step of a release

The rule (CONTRIBUTING.md, Version numbers): functions may be added; one that is gone or has other arguments, a value of an
enumeration that changes, or a type that is laid out otherwise asks for a greater soname. With a soname greater than the
released one nothing is compared. LIBRARY has debug information, in which the types are; HEADERS is the folder of gnomon/.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INCOMPATIBLE = 8  # bit of abidiff's status; 4 alone: something was added
ERROR = 3  # bits of abidiff's status: an error, or wrong usage


def soname(dump):
    """The number of the soname of an abidw file."""
    return int(re.search(r"soname='libgnomon_c\.so\.(\d+)'", dump.read_text(encoding="utf-8")).group(1))


def write(library, headers, dump):
    """What the library exports, without types of other libraries, and without what depends on the machine."""
    call = ["abidw", "--drop-private-types", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path"]
    call += ["--headers-dir", headers, "--out-file", dump, library]
    subprocess.run(call, check=True)
    # Which libraries it needs is no part of the interface.
    text = dump.read_text(encoding="utf-8")
    dump.write_text(re.sub(r"  <elf-needed>.*?</elf-needed>\n", "", text, flags=re.S), encoding="utf-8")
    if "<enum-decl" not in text and "<function-type" not in text:
        dump.unlink()
        sys.exit(f"{library} has no debug information; expected a library compiled with -g")


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("compare", "write"):
        sys.exit("usage: interface.py compare|write LIBRARY HEADERS RELEASED.abi")
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: abidw and abidiff are not installed (Debian: abigail-tools)")
        sys.exit(77)
    library, headers, released = (pathlib.Path(p) for p in sys.argv[2:])
    if sys.argv[1] == "write":
        write(library, headers, released)
        return
    with tempfile.TemporaryDirectory() as folder:
        now = pathlib.Path(folder) / "now.abi"
        write(library, headers, now)
        before, after = soname(released), soname(now)
        if after < before:
            sys.exit(f"GNOMON_C_ABI_VERSION is {after}; expected {before}, that of the last release, or a greater one")
        if after > before:
            print(f"GNOMON_C_ABI_VERSION is {after}, that of the last release {before}: nothing is compared")
            return
        done = subprocess.run(["abidiff", released, now], stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="")
        if done.returncode & ERROR:
            sys.exit("abidiff could not compare")
        if done.returncode & INCOMPATIBLE:
            sys.exit(f"the C interface is another one; expected GNOMON_C_ABI_VERSION {before + 1} in gnomon/abi.h")


main()
