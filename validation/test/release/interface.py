#!/usr/bin/env python3
"""The binary interface of libgnomon_c beside that of the last release, by abidw and abidiff (libabigail).

    interface.py compare LIBRARY HEADERS RELEASED.abi    ends with status 1 where it differs and the soname does not say so
    interface.py write LIBRARY HEADERS RELEASED.abi      writes RELEASED.abi: the last step of a release

The rule (CONTRIBUTING.md, Version numbers): functions may be added; one that is gone or has other arguments, a value of an
enumeration that changes, or a type that is laid out otherwise asks for a greater soname. With a soname greater than the
released one nothing is compared. HEADERS is the folder of gnomon/.

What is compared is what a program in C sees: a library with one pointer for each function that LIBRARY exports, of the type
that gnomon.h declares for it, and for each constant of gnomon.h an array whose length tells its value. abidw reads the types
from the debug information of gcc, which leaves out what is inside of types that other headers define: those of SUNDIALS.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FROM = 100000  # the length of the array of a constant 0
ERROR = 3  # bits of abidiff's status: an error, or wrong usage


def soname(dump):
    """The number of the soname of an abidw file."""
    return int(re.search(r"soname='libgnomon_c\.so\.(\d+)'", dump.read_text(encoding="utf-8")).group(1))


def output(*call):
    return subprocess.run([str(word) for word in call], check=True, stdout=subprocess.PIPE, text=True).stdout


def write(library, headers, dump):
    functions = sorted(re.findall(r" T (\w+)$", output("nm", "--dynamic", "--defined-only", library), re.M))
    name = re.search(r"\(SONAME\).*\[(.+)\]", output("readelf", "--dynamic", library)).group(1)
    if not functions:
        sys.exit(f"{library} exports no function; expected those of gnomon.h")
    with tempfile.TemporaryDirectory() as folder:
        source, seen = pathlib.Path(folder) / "gnomon.c", pathlib.Path(folder) / "libseen.so"
        source.write_text("#include <gnomon/gnomon.h>\n", encoding="utf-8")
        enums = re.findall(r"enum\s*\w*\s*\{([^}]*)\}", output("gcc", "-E", "-P", "-I", headers, source))
        constants = sorted(set(re.findall(r"\bGNOMON_\w+", " ".join(enums))))
        with source.open("a", encoding="utf-8") as file:
            file.writelines(f"__typeof__(&{f}) pointer_{f} = {f};\n" for f in functions)
            file.writelines(f"char value_{c}[{FROM} + {c}];\n" for c in constants)
        how = ["-g", "-femit-struct-debug-baseonly", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-I", headers]
        if subprocess.run(["gcc", *map(str, [*how, source, "-o", seen])]).returncode:
            sys.exit(f"{library} exports what gnomon.h does not declare: see above")
        output("abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--out-file", dump, seen)
    # Which libraries it needs and where it was compiled is no part of the interface.
    text = re.sub(r"  <elf-needed>.*?</elf-needed>\n", "", dump.read_text(encoding="utf-8"), flags=re.S)
    dump.write_text(re.sub(r" path='[^']*'", "", text), encoding="utf-8")


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
        # A bit of the status tells what is removed, none what is changed.
        counts = re.findall(r"changes summary: (\d+) Removed, (\d+) Changed", done.stdout)
        if done.returncode and (not counts or any(int(n) for pair in counts for n in pair)):
            sys.exit(f"the C interface is another one; expected GNOMON_C_ABI_VERSION {before + 1} in gnomon/abi.h")


main()
