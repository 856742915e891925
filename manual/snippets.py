#!/usr/bin/env python3
"""Takes the fenced blocks out of a Markdown file.

    snippets.py FILE LANGUAGE PREFIX SUFFIX [BEGINNING]

writes the blocks of a language that begin with BEGINNING (all, if left out) to the files PREFIX1SUFFIX, PREFIX2SUFFIX, .. and
ends with status 1 where there is none. A comment `% key: value` in the lines before a block belongs to it:

    % file: NAME       the block is this file for the other blocks of the page
    % status: N        the commands of the block end with status N, not 0
    % not run: WHY     only shown
"""
import dataclasses
import pathlib
import re
import sys


@dataclasses.dataclass
class Block:
    """A fenced block: its language, its text, the line where it begins and what the comments before it say."""

    language: str
    text: str
    line: int
    notes: dict


def blocks(text):
    """All fenced blocks of a Markdown text, in order."""
    found, notes, inside = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"(`{3,})\s*(\S*)", line)
        comment = re.match(r"% ([a-z ]+): (.*)", line)
        if inside is not None:
            if fence and fence.group(1) == inside and not fence.group(2):
                found.append(Block(language, "\n".join(lines) + "\n", begin, notes))
                notes, inside = {}, None
            else:
                lines.append(line)
        elif fence:
            inside, language, lines, begin = fence.group(1), fence.group(2), [], number
        elif comment:
            notes[comment.group(1)] = comment.group(2)
        elif line.strip():
            notes = {}
    return found


def of_language(text, language, beginning=""):
    """The texts of the blocks of one language that begin in this way and are not only shown."""
    return [
        b.text
        for b in blocks(text)
        if b.language == language and b.text.startswith(beginning) and "not run" not in b.notes
    ]


def main():
    file, language, prefix, suffix = sys.argv[1:5]
    texts = of_language(pathlib.Path(file).read_text(encoding="utf-8"), language, *sys.argv[5:6])
    for number, text in enumerate(texts, 1):
        pathlib.Path(f"{prefix}{number}{suffix}").write_text(text, encoding="utf-8")
    if not texts:
        sys.exit(f"{file} has no block of {language} like that")


if __name__ == "__main__":
    main()
