/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines. A table of options names for each option the field of a struct that it sets, and
 * the value that it may have. The names in the table select one of two notations:
 *
 *     "cell"           GNU: --cell DIR, --cell=DIR, -c DIR, abbreviations; for the daemons
 *     "-pri" "--json"  Grid Engine: only the full name; for the verbs of the command line
 *
 * Options may follow operands in both; "--" ends the options.
 *
 * A daemon calls arguments_parse(), which reports faults and the way to get help. Commands call
 * options_read() of options.h, which adds messages.
 */
#ifndef SCHED_PROCESS_ARGUMENTS_H
#define SCHED_PROCESS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Type of the field: */
enum argument_kind {
	ARGUMENT_FLAG,			/* bool, set to true; without a value */
	ARGUMENT_BITS,			/* unsigned, to which `bits` are added; without a value */
	ARGUMENT_TEXT,			/* const char *, into argv */
	ARGUMENT_INT,			/* int, or unsigned if `least` is not negative */
	ARGUMENT_INT64,			/* int64_t */
	ARGUMENT_OWN,			/* struct that take() fills */
	/* Like ARGUMENT_OWN; take() gets NULL if there is no value after "=". */
	ARGUMENT_OWN_OR_NONE,
	/* Option of a verb that call() handles. It has a value if `value` is set. */
	ARGUMENT_CALL,
	/* Like ARGUMENT_CALL; call() gets NULL if there is no value after "=". */
	ARGUMENT_CALL_OR_NONE,
	ARGUMENT_SAME,			/* another name of the row before */
};

struct messages;
struct words;

struct argument {
	const char *name;		/* NULL ends a table */
	enum argument_kind kind;
	size_t field;			/* offset in the struct of options */
	char letter;			/* letter after a single dash; 0: none */
	int64_t least, most;		/* range of a number in decimal digits */
	unsigned bits;
	const char *due;		/* expected values, for the message about any other */
	/* returns NULL, or the expected values */
	const char *(*take)(void *field, const char *value);
	/* returns 0, or an exit code with a message in words->messages */
	int (*call)(void *field, struct words *words);
	const void *detail;		/* for call() */
	const char *value, *sentence;	/* for help: value after the option, effect of the option */
};

/* Iterator over the words of a command line. Private, except for the members with a description. */
struct words {
	const struct argument *table;
	/* `argv` is sorted: operands, which may be written before options, come last. */
	int argc;
	char **argv;
	int next;			/* start with 1; the first operand at ARGUMENTS_END */
	/* the first operand ends the options: the rest is another command */
	bool keeps_order;
	/* Operands that are already at the end. Not counted in `argc` until ARGUMENTS_END. */
	int moved;
	/* origin of the words for messages of verbs; NULL: after argv[0] */
	const char *place;
	struct messages *messages;	/* of commands: receives faults; borrowed */
	const struct argument *row;	/* row of the current option */
	const char *value;		/* value of the option, NULL: none */
	const char *word;		/* word in which it is written */
	size_t word_bytes;		/* length of the word up to its "=" */
	char letter;			/* letter by which it is written, 0: none */
	const char *letters;		/* letters of "-vc" that follow */
};

enum arguments_next {
	ARGUMENTS_OPTION,
	/* No option is left, or "--" was read. Operands are next. */
	ARGUMENTS_END,
	ARGUMENTS_UNKNOWN,		/* no such option */
	ARGUMENTS_NO_VALUE,		/* the value is missing */
	ARGUMENTS_VALUE,		/* the option has a value and may not have one */
};

enum arguments_next arguments_next(struct words *words);

/*
 * Put the current value into `options`. Returns NULL, or the expected values. Not for
 * ARGUMENT_CALL.
 */
const char *arguments_take(const struct words *words, void *options);

struct arguments {
	const char *program;
	const char *usage;		/* text of --help */
	const struct argument *table;
	size_t n;
	/* called after all options: returns 0, or arguments_wrong() */
	int (*check)(void *options);
};

/*
 * Fill `options`, which has its defaults already, from argv. Texts are borrowed. Returns 0, or
 * -EINVAL after a message. --help (-h) and --version need no rows and end the process here.
 */
int arguments_parse(const struct arguments *arguments, void *options, int argc, char **argv);

/* Report an invalid option ("--name"; `value` may be NULL). Returns -EINVAL. */
int arguments_wrong(const struct arguments *arguments, const char *option, const char *value, const char *due);

#endif
