#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the language of comments, messages and manual pages, and the sizes of files and folders, against fixed limits.

usage: language.py DIR [KIND]       KIND: print every finding of this kind

Prints one line for each kind: its findings, the number of places that were looked at, and the limit. Findings of a kind that exceeds its
limit are listed. Exit code 1 if a limit is exceeded or nothing was looked at.
"""
import collections
import os
import re
import sys

# kind: (limit, what is counted). A limit below 1 is a share of the places that were looked at, any other a number of findings.
LIMITS = {
    "opener": (0.01, "comments that open with a bare pronoun, relative or preposition"),
    "letter": (0.04, "pointers to structs that are named by one letter"),
    "dialect": (30, "words that have no meaning for a reader from outside, in comments, messages and manual pages"),
    "long": (0.03, "sentences of manual pages and *.md with more than 30 words"),
    "vague": (3, "sentences of manual pages and *.md that open with What, Who, Whose, Of, Those or Behind"),
    "wide": (0.001, "lines over 120 columns in code, over 130 in manual pages, outside tables"),
    "file": (1, "files of C with more than 600 lines"),
    "folder": (1, "folders of C with more than 80 files"),
}
OPENERS = re.compile(r"(?i)(the same|those|these|that|this|it|its|ones?|what|who|whose|as|of|by|all|none|nothing|nobody|both|others?|so|such|then|"
                     r"there|each|(in|on|with) which|behind)\b")
VAGUE = re.compile(r"(?i)(what|who|whose|of|those|behind)\b")
DIALECT = re.compile(r"(?i)\b(told|untold|retold|retell|tells|nobody|somebody|whoever|whom|behind|anew|alike|lacks|in vain|mend(ed|s)?|strangers?|is had|"
                     r"be had|takes part|took part|comes? to nothing|(?-i:[Hh]e|[Hh]im|[Hh]is))\b")
POINTER = re.compile(r"\bstruct\s+\w+\s*\*+\s*(?:const\s+)?(\w+)\s*(?=[,;)=\[])")
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
NAMES = re.compile(r"[\w/]+\.[ch]\b|\b\w+/\w+\b|(?<=\W)-he\b")       # of files, tests and an option
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')


def sources(top):
    """Paths below `top`, without builds and recorded data."""
    for folder, folders, names in os.walk(top):
        here = os.path.relpath(folder, top)
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build")) and os.path.join(here, name) != "tests/reference")
        for name in sorted(names):
            yield os.path.normpath(os.path.join(here, name))


def blank(match):
    return "\n" * match[0].count("\n")


class Language:
    def __init__(self, top):
        self.top = top
        self.findings = collections.defaultdict(list)
        self.places = collections.Counter()

    def check(self, kind, found, where, text):
        self.places[kind] += 1
        if found:
            self.findings[kind].append(f"{where}: {text}")

    def words_check(self, where, text):
        for word in DIALECT.finditer(NAMES.sub("", text)):
            self.findings["dialect"].append(f"{where}: {word[0]}: {text}")

    def comments_check(self, name, text):
        for found in COMMENT.finditer(text):
            words = re.sub(r"\s+", " ", re.sub(r"\n\s*\*+", " ", found[1])).strip(" *!<")
            where = f"{name}:{text.count(chr(10), 0, found.start()) + 1}"
            if not words.startswith(("SPDX", "Copyright")) and len(words.split()) > 2:
                self.check("opener", OPENERS.match(words), where, words)
            self.words_check(where, words)

    def code_check(self, name, text):
        code = COMMENT.sub(blank, text)
        for found in LITERAL.finditer(code):
            self.words_check(f"{name}:{code.count(chr(10), 0, found.start()) + 1}", found[0])
        for found in POINTER.finditer(code):
            self.check("letter", len(found[1]) == 1, f"{name}:{code.count(chr(10), 0, found.start()) + 1}", found[0])

    def lines_check(self, name, text, limit):
        table = False           # an initialiser at file scope, where a row is a line; or the rows of a macro
        for number, line in enumerate(text.split("\n"), 1):
            table = (table or re.match(r"\S.*= *\{|#define", line) is not None) and not line.startswith("}")
            self.check("wide", len(line.expandtabs(8)) > limit and not table and not line.startswith(("|", ":")), f"{name}:{number}", line.strip())
            table = table and not line.endswith("};") and not (line.startswith("#define") and not line.endswith("\\"))

    def sentences(self, text, manual):
        """(line, sentence) of each paragraph that is prose: no heading, table, literal block or list of options."""
        paragraph, begin, literal = [], 0, False
        for number, line in enumerate(text.split("\n") + [""], 1):
            plain = line.strip()
            literal ^= plain == "```"
            if not plain or literal or plain.startswith(("#", "|", "[", "```", ";")) or (not manual and line.startswith("    ")):
                for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z*_])", " ".join(paragraph)):
                    if sentence:
                        yield begin, re.sub(r"[*_`]", "", sentence)
                paragraph = []
                continue
            begin = begin if paragraph else number
            paragraph.append(plain)

    def prose_check(self, name, text):
        for number, sentence in self.sentences(text, name.endswith(".scd")):
            where = f"{name}:{number}"
            self.check("long", len(sentence.split()) > 30, where, sentence)
            self.check("vague", VAGUE.match(sentence), where, sentence)
            self.words_check(where, sentence)

    def read(self):
        folders = collections.Counter()
        for name in sources(self.top):
            is_code = name.endswith((".c", ".h"))
            if not is_code and not name.endswith((".scd", ".md")):
                continue
            with open(os.path.join(self.top, name), encoding="utf-8") as file:
                text = file.read()
            self.places["dialect"] += 1
            if is_code:
                folders[os.path.dirname(name)] += 1
                self.check("file", text.count("\n") > 600, name, f"{text.count(chr(10))} lines")
            if is_code and not name.startswith("tests/"):
                self.comments_check(name, text)
                self.code_check(name, text)
                self.lines_check(name, text, 120)
            elif not is_code:
                self.prose_check(name, text)
                self.lines_check(name, text, 130)
        for folder, count in folders.items():
            self.check("folder", count > 80, folder + "/", f"{count} files")

    def report(self, wanted=None):
        """Print the figures; True if a limit is exceeded."""
        bad = self.places["dialect"] == 0
        for kind, (limit, meaning) in LIMITS.items():
            found, places = self.findings[kind], self.places[kind]
            exceeded = len(found) > (limit * places if limit < 1 else limit)
            if exceeded or kind == wanted:
                print("\n".join(found))
            print(f"{kind}: {len(found)} of {places}, at most {f'{limit:.1%}' if limit < 1 else limit}: {meaning}")
            bad = bad or exceeded
        return bad


def main():
    language = Language(sys.argv[1])
    language.read()
    return language.report(*sys.argv[2:3])


if __name__ == "__main__":
    sys.exit(main())
