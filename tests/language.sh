#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The language of the tree stays within the limits of tests/language.py. Each kind of fault is made once on purpose, and must be found.
cd "$(dirname "$0")/.." || exit 1
failures=0
python3 tests/language.py . || failures=1

faulty=$(mktemp -d) || exit 1
trap 'rm -rf "$faulty"' EXIT

# control KIND FILE: the text on standard input exceeds the limit of this kind and of no other kind
control() {
	rm -rf "$faulty/tree"
	mkdir -p "$faulty/tree/$(dirname "$2")"
	cat >"$faulty/tree/$2"
	found=$(python3 tests/language.py "$faulty/tree") && { echo "FAIL $1: the fault in $2 is not found"; failures=1; }
	case $found in
	*"$2:"*"$1: "*) ;;
	*) echo "FAIL $1: the finding is not about $2, but: $found"; failures=1 ;;
	esac
}

# repeat N TEXT: so many lines
repeat() {
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

echo '/* What is asked for. */' | control opener shm/a.c
echo 'int f(const struct job *j);' | control letter shm/a.c
repeat 31 '/* The writer tells readers. */' | control dialect shm/a.c
repeat 31 'const char *text = "nobody is there";' | control dialect shm/a.c
repeat 31 'A reader looks behind the row.' | control dialect man/a.1.scd
(repeat 31 word; echo .) | control long man/a.1.scd
(repeat 4 'Who reads it waits.

' ) | control vague README.md
printf 'int f(void)\n{\n\treturn %0130d;\n}\n' 0 | control wide shm/a.c
printf 'A word %0130d.\n' 0 | control wide man/a.1.scd
mkdir -p "$faulty/many/shm" && for k in 1 2; do repeat 601 'int a;' >"$faulty/many/shm/$k.c"; done
python3 tests/language.py "$faulty/many" | grep '^shm/2.c: 601 lines' >/dev/null || { echo "FAIL file: long files are not found"; failures=1; }
mkdir -p "$faulty/full/shm" "$faulty/full/sched" && for k in $(seq 81); do : >"$faulty/full/shm/$k.c"; : >"$faulty/full/sched/$k.c"; done
python3 tests/language.py "$faulty/full" | grep '^shm/: 81 files' >/dev/null || { echo "FAIL folder: full folders are not found"; failures=1; }
rm -rf "$faulty/tree" && mkdir "$faulty/tree"
python3 tests/language.py "$faulty/tree" >/dev/null && { echo "FAIL an empty tree passes"; failures=1; }

# Tables and literal blocks are exempt.
mkdir -p "$faulty/table/shm" "$faulty/table/man"
printf 'static const char *const rows[] = {\n\t"%0130d",\n};\n' 0 >"$faulty/table/shm/a.c"
printf '|  a\n:  %0130d\n```\n%s\n```\n' 0 "$(repeat 40 word)" >"$faulty/table/man/a.1.scd"
python3 tests/language.py "$faulty/table" >/dev/null || { echo "FAIL a table or a literal block is found"; python3 tests/language.py "$faulty/table"; failures=1; }
[ "$failures" = 0 ]
