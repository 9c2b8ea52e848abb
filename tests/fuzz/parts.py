# SPDX-License-Identifier: Apache-2.0
"""The parts that each harness of tests/fuzz/ needs, and the syntax of its dictionary. tests/system/fuzz_parts uses it."""
import os
import re

MAKEFILE, DEFECTS, README = "GNUmakefile", "tests/tests.mk", "tests/fuzz/README.md"
WORD_BYTES_MOST = 64  # libFuzzer ignores longer words
HARNESS = re.compile(r"^int LLVMFuzzerTestOneInput\(.*\)$", re.M)
# Parse like ParseDictionaryFile() of libFuzzer 14: a name before the word is ignored, and a quote in it needs no
# backslash.
COMMENT = re.compile(rb"\s*(#.*)?", re.S)
ENTRY = re.compile(rb'[^"]*"((?:[\t-\r -\[\]-~]|\\[\\"]|\\x[0-9A-Fa-f]{2})+)"\s*', re.S)
ESCAPE = re.compile(rb'\\(?:[\\"]|x..)')


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def files(folder):
    return {name for name in os.listdir(folder) if not name.startswith(".")} if os.path.isdir(folder) else set()


def harnesses(top):
    """From the name of each harness to its source."""
    folder = os.path.join(top, "tests/fuzz")
    sources = {name[:-2]: read(os.path.join(folder, name)) for name in files(folder) if name.endswith(".c")}
    return {name: source for name, source in sources.items() if HARNESS.search(source)}


def parts(top):
    """From the description of each part to the names of the harnesses that have it."""
    corpora = os.path.join(top, "tests/fuzz/corpus")
    return {
        "harness, tests/fuzz/{}.c": set(harnesses(top)),
        "corpus, tests/fuzz/corpus/{}/ with a file": {name for name in files(corpora) if files(os.path.join(corpora, name))},
        "dictionary, tests/fuzz/dict/{}": files(os.path.join(top, "tests/fuzz/dict")),
        "row in the table of " + README + ", | `{}` |": set(re.findall(r"^\| `(\w+)` \|", read(os.path.join(top, README)), re.M)),
        "defect in " + DEFECTS + ", {}-broken: defect": set(re.findall(r"^\$B/tests/fuzz/(\w+)-broken: defect = \w+$",
                                                                       read(os.path.join(top, DEFECTS)), re.M)),
    }


def missing(top):
    """A sentence for each part that is missing."""
    have = parts(top)
    everything = set().union(*have.values())
    return [f"{name}: missing: {part.format(name)}" for name in sorted(everything) for part, names in have.items() if name not in names]


def dictionary_faults(path):
    """A sentence for each line that libFuzzer refuses or ignores."""
    lines = read(path, "rb").split(b"\n")
    words = 0
    for number, line in enumerate(lines, 1):
        if COMMENT.fullmatch(line):
            continue
        entry = ENTRY.fullmatch(line)
        if not entry:
            yield f"{path}:{number}: libFuzzer refuses this line: {line.decode(errors='replace')}"
        elif len(ESCAPE.sub(b"x", entry[1])) > WORD_BYTES_MOST:
            yield f"{path}:{number}: libFuzzer ignores words of more than {WORD_BYTES_MOST} bytes: {line.decode(errors='replace')}"
        words += 1
    if not words:
        yield f"{path}: no word in this dictionary"


def faults(top):
    """Return the faults of all parts, one sentence each."""
    dictionaries = os.path.join(top, "tests/fuzz/dict")
    return missing(top) + [fault for name in sorted(files(dictionaries)) for fault in dictionary_faults(os.path.join(dictionaries, name))]
