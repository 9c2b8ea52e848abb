/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/completion.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Kinds of values; each script has a function that completes a kind. */
enum completion_kind { KIND_NONE, KIND_ANY, KIND_FILE, KIND_DIRECTORY, KIND_JOB, KIND_USER, KIND_GROUP, KIND_WORDS, KINDS };

/*
 * Return the next word of alternatives such as "user|exact" or "[memory|store [FILE|STATE]]", and
 * its length. NULL: no more.
 */
static const char *word_next(const char **text, size_t *n)
{
	const char *word = *text;
	int depth = 0;

	if (!*word)
		return NULL;
	*n = strcspn(word, " |[]");
	for (; **text && (depth > 0 || **text != '|'); (*text)++)
		depth += (**text == '[') - (**text == ']');
	*text += **text == '|';
	return word;
}

/* Return the alternatives without brackets around them. */
static const char *words_begin(const char *text)
{
	return text + (*text == '[');
}

/* Return whether a text is a list of alternatives that are words of small letters, or letters. */
static bool is_words(const char *text)
{
	size_t n, words = 0, capitals = 0, longest = 0;

	text = words_begin(text);
	for (const char *word; (word = word_next(&text, &n)); words++) {
		for (size_t k = 0; k < n; k++) {
			if (!isalpha((unsigned char)word[k]))
				return false;
			capitals += isupper((unsigned char)word[k]) != 0;
		}
		longest = n > longest ? n : longest;
	}
	return words > 1 && longest > 0 && (longest == 1 || capitals == 0);
}

/* Return the kind of a value or an operand, from the name that its help gives it. */
static enum completion_kind kind_of(const char *value)
{
	static const struct {
		const char *part;
		enum completion_kind kind;
	} parts[] = {
		{ "PATH", KIND_FILE }, { "FILE", KIND_FILE }, { "TRACE", KIND_FILE }, { "SCRIPT", KIND_FILE },
		{ "JOURNAL", KIND_FILE }, { "DIR", KIND_DIRECTORY }, { "CELL", KIND_DIRECTORY }, { "JOB", KIND_JOB },
		{ "USER", KIND_USER }, { "GROUP", KIND_GROUP },
	};

	if (!value || !*value)
		return KIND_NONE;
	if (is_words(value))
		return KIND_WORDS;
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
		if (strstr(value, parts[k].part))
			return parts[k].kind;
	return KIND_ANY;
}

/* Write alternatives, separated by spaces. */
static void words_write(const char *text, FILE *to)
{
	const char *before = "";
	size_t n;

	text = words_begin(text);
	for (const char *word; (word = word_next(&text, &n)); before = " ")
		fprintf(to, "%s%.*s", before, (int)n, word);
}

/* Write a text for single quotes of a shell; characters of `escaped` get a backslash. */
static void quoted_write(const char *text, const char *escaped, FILE *to)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", to);
			continue;
		}
		if (strchr(escaped, *text))
			putc('\\', to);
		putc(*text, to);
	}
}

/* Return the row whose value and sentence an option has: that of the first of its names. */
static const struct argument *row_meant(const struct argument *row)
{
	while (row->kind == ARGUMENT_SAME)
		row--;
	return row;
}

/* Return whether the option may be written without its value. */
static bool is_optional(const struct argument *row)
{
	return row->kind == ARGUMENT_CALL_OR_NONE || row->kind == ARGUMENT_OWN_OR_NONE;
}

/* bash */

static const char *const bash_kinds[KINDS] = {
	[KIND_NONE] = "", [KIND_ANY] = "", [KIND_FILE] = "files", [KIND_DIRECTORY] = "directories", [KIND_JOB] = "jobs",
	[KIND_USER] = "users", [KIND_GROUP] = "groups",
};

static void bash_value(const char *value, FILE *to)
{
	enum completion_kind kind = kind_of(value);

	if (kind == KIND_WORDS) {
		fputs("words ", to);
		words_write(value, to);
	} else {
		fputs(bash_kinds[kind], to);
	}
}

static const char bash_begin[] =
	"# Completion of fairlead(1) in bash: \"fairlead completion bash\" writes it.\n"
	"_fairlead_complete() {\n"
	"	local kind=${1%% *} values=\n"
	"	case $kind in\n"
	"	words) values=${1#words } ;;\n"
	"	jobs) values=$(fairlead \"${cell[@]}\" stat -u '*' 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }') ;;\n"
	"	files) COMPREPLY+=($(compgen -f -- \"$word\")) ;;\n"
	"	directories) COMPREPLY+=($(compgen -d -- \"$word\")) ;;\n"
	"	users) COMPREPLY+=($(compgen -u -- \"$word\")) ;;\n"
	"	groups) COMPREPLY+=($(compgen -g -- \"$word\")) ;;\n"
	"	esac\n"
	"	COMPREPLY+=($(compgen -W \"$values\" -- \"$word\"))\n"
	"}\n"
	"\n"
	"_fairlead() {\n"
	"	local IFS=$' \\t\\n' word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= k cell=()\n"
	"	COMPREPLY=()\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	for ((k = 1; k < COMP_CWORD; k++)); do\n"
	"		if [ \"${COMP_WORDS[k]}\" = -c ]; then\n"
	"			cell=(-c \"${COMP_WORDS[++k]}\")\n"
	"		elif [ -z \"$verb\" ]; then\n"
	"			verb=${COMP_WORDS[k]}\n"
	"		fi\n"
	"	done\n"
	"	if [ \"$before\" = -c ]; then\n"
	"		_fairlead_complete directories\n"
	"		return\n"
	"	fi\n"
	"	case $verb in\n";

static const char bash_end[] =
	"	esac\n"
	"}\n"
	"complete -F _fairlead fairlead\n";

static void bash_command(const struct completion_command *command, FILE *to)
{
	fprintf(to, "	%s)\n		case $before in\n", command->name);
	for (const struct argument *row = command->options; row->name; row++) {
		const struct argument *meant = row_meant(row);

		if (!meant->value || is_optional(meant))
			continue;
		fprintf(to, "		%s) _fairlead_complete '", row->name);
		bash_value(meant->value, to);
		fputs("'; return ;;\n", to);
	}
	fputs("		esac\n		case $word in\n		-*) _fairlead_complete 'words --help", to);
	for (const struct argument *row = command->options; row->name; row++)
		fprintf(to, " %s", row->name);
	fputs("' ;;\n		*) _fairlead_complete '", to);
	bash_value(command->operands, to);
	fputs("' ;;\n		esac ;;\n", to);
}

static void bash_write(const struct completion_command *commands, size_t n, FILE *to)
{
	fputs(bash_begin, to);
	fputs("	'' | help)\n		_fairlead_complete 'words -c --help --version help", to);
	for (size_t k = 0; k < n; k++)
		fprintf(to, " %s", commands[k].name);
	fputs("' ;;\n", to);
	for (size_t k = 0; k < n; k++)
		bash_command(&commands[k], to);
	fputs(bash_end, to);
}

/* zsh */

static const char *const zsh_kinds[KINDS] = {
	[KIND_NONE] = " ", [KIND_ANY] = " ", [KIND_FILE] = "_files", [KIND_DIRECTORY] = "_files -/",
	[KIND_JOB] = "_fairlead_jobs", [KIND_USER] = "_users", [KIND_GROUP] = "_groups",
};

/* Write ":NAME:ACTION" of a value. */
static void zsh_value(const char *value, FILE *to)
{
	enum completion_kind kind = kind_of(value);

	putc(':', to);
	quoted_write(value, ":[]\\", to);
	putc(':', to);
	if (kind == KIND_WORDS) {
		putc('(', to);
		words_write(value, to);
		putc(')', to);
	} else {
		fputs(zsh_kinds[kind], to);
	}
}

static void zsh_command(const struct completion_command *command, FILE *to)
{
	fprintf(to, "	%s)\n		_arguments \\\n", command->name);
	for (const struct argument *row = command->options; row->name; row++) {
		const struct argument *meant = row_meant(row);

		fprintf(to, "			'*%s[", row->name);
		quoted_write(meant->sentence, ":[]\\", to);
		putc(']', to);
		if (meant->value && is_optional(meant))
			putc(':', to);
		if (meant->value)
			zsh_value(meant->value, to);
		fputs("' \\\n", to);
	}
	fputs("			'--help[print the options]'", to);
	if (*command->operands) {
		fputs(" \\\n			'*", to);
		zsh_value(command->operands, to);
		putc('\'', to);
	}
	fputs(" ;;\n", to);
}

static void zsh_write(const struct completion_command *commands, size_t n, FILE *to)
{
	fputs("#compdef fairlead\n"
	      "# Completion of fairlead(1) in zsh: \"fairlead completion zsh\" writes it.\n"
	      "_fairlead_jobs() {\n"
	      "	local -a jobs\n"
	      "	jobs=(${(f)\"$(fairlead stat -u '*' 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }')\"})\n"
	      "	_describe job jobs\n"
	      "}\n"
	      "\n"
	      "_fairlead() {\n"
	      "	local context state state_descr line\n"
	      "	typeset -A opt_args\n"
	      "	_arguments -C '-c[use this cell]:CELL:_files -/' '--help[print the commands]' '--version[print the version]' \\\n"
	      "		'1:command:->command' '*::argument:->argument'\n"
	      "	if [[ $state = command ]]; then\n"
	      "		local -a commands\n"
	      "		commands=(\n",
	      to);
	for (size_t k = 0; k < n; k++) {
		fprintf(to, "			'%s:", commands[k].name);
		quoted_write(commands[k].sentence, ":\\", to);
		fputs("'\n", to);
	}
	fputs("		)\n"
	      "		_describe command commands\n"
	      "		return\n"
	      "	fi\n"
	      "	[[ $state = argument ]] || return\n"
	      "	case $line[1] in\n",
	      to);
	for (size_t k = 0; k < n; k++)
		zsh_command(&commands[k], to);
	fputs("	esac\n"
	      "}\n"
	      "_fairlead \"$@\"\n",
	      to);
}

/* fish */

static const char *const fish_kinds[KINDS] = {
	[KIND_NONE] = "", [KIND_ANY] = " -x", [KIND_FILE] = " -r -F", [KIND_DIRECTORY] = " -x -a '(__fish_complete_directories)'",
	[KIND_JOB] = " -x -a '(__fairlead_jobs)'", [KIND_USER] = " -x -a '(__fish_complete_users)'",
	[KIND_GROUP] = " -x -a '(__fish_complete_groups)'",
};

static void fish_value(const char *value, FILE *to)
{
	enum completion_kind kind = kind_of(value);

	if (kind != KIND_WORDS) {
		fputs(fish_kinds[kind], to);
		return;
	}
	fputs(" -x -a '", to);
	words_write(value, to);
	putc('\'', to);
}

static void fish_command(const struct completion_command *command, FILE *to)
{
	for (const struct argument *row = command->options; row->name; row++) {
		const struct argument *meant = row_meant(row);
		const char *name = row->name + strspn(row->name, "-");

		fprintf(to, "complete -c fairlead -n '__fish_seen_subcommand_from %s' -%c %s", command->name,
			row->name[1] == '-' ? 'l' : name[1] ? 'o' : 's', name);
		if (!is_optional(meant))
			fish_value(meant->value, to);
		fputs(" -d '", to);
		quoted_write(meant->sentence, "\\", to);
		fputs("'\n", to);
	}
	if (kind_of(command->operands) > KIND_ANY) {
		fprintf(to, "complete -c fairlead -n '__fish_seen_subcommand_from %s'", command->name);
		fish_value(command->operands, to);
		putc('\n', to);
	}
}

static void fish_write(const struct completion_command *commands, size_t n, FILE *to)
{
	fputs("# Completion of fairlead(1) in fish: \"fairlead completion fish\" writes it.\n"
	      "function __fairlead_jobs\n"
	      "	fairlead stat -u '*' 2>/dev/null | string match -r '^ *[0-9]+' | string trim\n"
	      "end\n"
	      "complete -c fairlead -f\n"
	      "complete -c fairlead -s c -x -a '(__fish_complete_directories)' -d 'use this cell'\n"
	      "complete -c fairlead -l help -d 'print the commands, or the options of a command'\n"
	      "complete -c fairlead -n __fish_use_subcommand -l version -d 'print the version'\n",
	      to);
	for (size_t k = 0; k < n; k++) {
		fprintf(to, "complete -c fairlead -n __fish_use_subcommand -a %s -d '", commands[k].name);
		quoted_write(commands[k].sentence, "\\", to);
		fputs("'\n", to);
	}
	for (size_t k = 0; k < n; k++)
		fish_command(&commands[k], to);
}

int completion_write(const char *shell, const struct completion_command *commands, size_t n, FILE *to)
{
	static const struct {
		const char *shell;
		void (*write)(const struct completion_command *commands, size_t n, FILE *to);
	} shells[] = { { "bash", bash_write }, { "zsh", zsh_write }, { "fish", fish_write } };

	for (size_t k = 0; k < sizeof(shells) / sizeof(*shells); k++)
		if (!strcmp(shells[k].shell, shell)) {
			shells[k].write(commands, n, to);
			return 0;
		}
	return -EINVAL;
}
