#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts of fairlead completion complete each command and each option that --help lists, in the shells that are installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=$(realpath "${B:-build}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PATH="$B:$PATH" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work" HOME="$work"
failures=0 shells=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

"$B/fairlead" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p' >"$work/verbs"
[ "$(wc -l <"$work/verbs")" -gt 30 ] || fail "--help lists $(wc -l <"$work/verbs") commands"
for verb in $(cat "$work/verbs"); do	# VERB OPTION
	"$B/fairlead" "$verb" --help | sed '/^with the journal/,$d' | sed -n "s/^  \(-[^ ]*\).*/$verb \1/p"
done >"$work/options"
[ "$(wc -l <"$work/options")" -gt 200 ] || fail "the commands have $(wc -l <"$work/options") options"
for shell in bash zsh fish; do
	"$B/fairlead" completion $shell >"$work/$shell" || fail "no script for $shell"
done
"$B/fairlead" completion csh 2>/dev/null && fail "csh is no such shell"
"$B/fairlead" completion 2>/dev/null && fail "a shell is expected"
[ -w /dev/full ] && "$B/fairlead" completion bash >/dev/full 2>/dev/null && fail "a full disk is not reported"

# Print what bash offers for the last word of each line of standard input: LINE: WORD...
cat >"$work/bash_test" <<'END'
source "$1"
while IFS= read -r line; do
	read -r -a COMP_WORDS <<<"$line"
	[ "${line% }" = "$line" ] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_fairlead fairlead
	echo "$line: ${COMPREPLY[*]}"
done
END
if command -v bash >/dev/null; then
	shells=$((shells + 1))
	{ echo "fairlead " && sed 's/^/fairlead /' "$work/options"; } | bash --norc "$work/bash_test" "$work/bash" >"$work/offered" 2>&1
	for verb in $(cat "$work/verbs"); do
		head -n 1 "$work/offered" | grep -q " $verb\( \|\$\)" || fail "bash does not complete $verb"
	done
	while read -r verb option; do
		grep -qF -- "fairlead $verb $option: " "$work/offered" && grep -F -- "fairlead $verb $option: " "$work/offered" | grep -qF -- " $option" ||
			fail "bash does not complete $verb $option"
	done <"$work/options"
	[ "$(echo 'fairlead doctor me' | bash --norc "$work/bash_test" "$work/bash")" = "fairlead doctor me: memory" ] || fail "bash: words of operands"
	mkdir "$work/directory"
	[ "$(cd "$work" && echo 'fairlead -c direc' | bash --norc "$work/bash_test" "$work/bash")" = "fairlead -c direc: directory" ] || fail "bash: -c"
fi
if command -v zsh >/dev/null; then	# _arguments gets all options of the command
	shells=$((shells + 1))
	zsh -fn "$work/zsh" || fail "zsh: syntax"
	cat >"$work/zsh_test" <<-'END'
		_arguments() { [[ $1 = -C ]] && { state=argument; line=($verb); return 0 }; print -rl -- "$@" }
		_describe() { print -rl -- ${(P)2} }
		verb=$2
		source $1
	END
	for verb in $(cat "$work/verbs"); do
		zsh -f "$work/zsh_test" "$work/zsh" "$verb" >"$work/offered" 2>&1
		sed -n "s/^$verb //p" "$work/options" | while read -r option; do
			grep -qF -- "*$option[" "$work/offered" || echo "zsh does not complete $verb $option"
		done
	done >"$work/missing"
	[ ! -s "$work/missing" ] || fail "$(cat "$work/missing")"
fi
if command -v fish >/dev/null; then
	shells=$((shells + 1))
	fish --no-execute "$work/fish" || fail "fish: syntax"
	{
		echo "source $work/fish"
		echo "complete -C 'fairlead '"
		for verb in $(cat "$work/verbs"); do
			echo "echo = $verb; complete -C 'fairlead $verb -'; complete -C 'fairlead $verb --'"
		done
		echo "echo = end"
	} >"$work/fish_test"
	fish --no-config "$work/fish_test" >"$work/offered" 2>&1
	for verb in $(cat "$work/verbs"); do
		sed '/^=/,$d' "$work/offered" | grep -q "^$verb	" || fail "fish does not complete $verb"
	done
	while read -r verb option; do
		sed -n "/^= $verb\$/,/^=/p" "$work/offered" | grep -q -- "^$option\(	\|\$\)" || fail "fish does not complete $verb $option"
	done <"$work/options"
fi
[ $shells != 0 ] || { echo "no shell with completion"; exit 77; }
echo "completion: $failures failures"
[ "$failures" = 0 ]
