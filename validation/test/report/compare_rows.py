#!/usr/bin/env python3
"""Compares the rows of two runs of `gnomon validate --json FILE`.

    compare_rows.py BEFORE.json AFTER.json [--within RELATIVE]

Says which rows are missing, which are new, whose verdict changed and whose number is another one. Numbers must agree to
the last bit, or to the relative difference given. The time of a step ("time") and the peak memory of the process
("memory") are left out: they depend on the machine and on which cases ran before. A case that was renamed is found by
its former name. Exit status: 0 no difference, 1 differences, 2 a file that cannot be read.
"""
import argparse
import json
import math
import struct
import sys

UNSTEADY = {"time", "memory"}


def read_rows(path):
    """{(case, quantity): row}, in the order of the file, and {former case name: case name}."""
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        table = {(row["case"], row["quantity"]): row for row in rows}
        former = {row["formerly"]: row["case"] for row in rows if "formerly" in row}
        for row in rows:
            row["measured"], row["verdict"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{path} is not a report of gnomon validate --json: {type(error).__name__} {error}.", file=sys.stderr)
        sys.exit(2)
    if len(table) != len(rows):
        print(f"{path} holds {len(rows) - len(table)} rows with the case and quantity of another row.", file=sys.stderr)
        sys.exit(2)
    return table, former


def order_of(value):
    """The number of a double in the order of all doubles: neighbours differ by one."""
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def difference(before, after):
    """None for equal numbers, otherwise the relative difference (inf where one is not finite)."""
    if before == after:
        return None
    if before is None or after is None:
        return math.inf
    return abs(after - before) / max(abs(before), abs(after))


def how_far(before, after):
    if before is None or after is None:
        return "only one of them is finite"
    steps = abs(order_of(float(before)) - order_of(float(after)))
    if steps <= 100:
        return "the last bit differs" if steps == 1 else f"{steps} units in the last place"
    return f"relative difference {difference(before, after):.2g}"


def text(value):
    return "not finite" if value is None else repr(value)


def compare(before, after, within):
    """The differences, one sentence each."""
    old_rows, old_former = before
    new_rows, new_former = after
    # The names of cases that only one of the two knows, from the old one to the new one, whichever file has both.
    new_name = {**{case: name for name, case in old_former.items()}, **new_former}
    cases = {case for case, _ in new_rows}
    renamed = {(case, quantity): (case if case in cases else new_name.get(case, case), quantity)
               for case, quantity in old_rows}

    differences, compared = [], 0
    for key, old in old_rows.items():
        new = new_rows.get(renamed[key])
        name = f"{key[0]} {key[1]}"
        if new is None:
            differences.append(f"{name}: the row is missing.")
            continue
        if old["verdict"] != new["verdict"]:
            differences.append(f"{name}: the verdict was {old['verdict']} and is {new['verdict']}.")
        if old.get("gate") != new.get("gate"):
            differences.append(f"{name}: the gate was {old.get('gate')} and is {new.get('gate')}.")
        if key[1] in UNSTEADY:
            continue
        compared += 1
        apart = difference(old["measured"], new["measured"])
        if apart is not None and not apart <= within:
            differences.append(f"{name}: was {text(old['measured'])} and is {text(new['measured'])}, "
                               f"{how_far(old['measured'], new['measured'])}.")
    known = set(renamed.values())
    for key in new_rows:
        if key not in known:
            differences.append(f"{key[0]} {key[1]}: the row is new.")
    return differences, compared


def main():
    parser = argparse.ArgumentParser(description="compares the rows of two runs of gnomon validate --json FILE")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--within", type=float, default=0.0, metavar="RELATIVE",
                        help="relative difference of numbers that is let pass (0: to the last bit)")
    arguments = parser.parse_args()
    before, after = read_rows(arguments.before), read_rows(arguments.after)
    differences, compared = compare(before, after, arguments.within)
    for sentence in differences:
        print(sentence)
    agree = "to the last bit" if arguments.within == 0 else f"within {arguments.within:g}"
    print(f"{len(before[0])} rows before, {len(after[0])} after; {compared} numbers compared {agree}: "
          f"{len(differences)} difference{'' if len(differences) == 1 else 's'}.")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
