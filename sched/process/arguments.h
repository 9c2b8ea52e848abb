/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines: a table of options says for each which field of a struct it fills, and what may
 * stand behind it. Two manners of writing them, told apart by the names in the table:
 *
 *     "cell"           as GNU has them: --cell DIR, --cell=DIR, -c DIR, abbreviations; the daemons
 *     "-pri" "--json"  as Grid Engine has them, and nothing shorter; the verbs of the command line
 *
 * Options may follow operands, in both; "--" ends the options.
 *
 * A daemon calls arguments_parse(), which says what is wrong and how to get help. The verbs walk
 * with arguments_next() and say it in their own way.
 */
#ifndef SCHED_PROCESS_ARGUMENTS_H
#define SCHED_PROCESS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The field: */
enum argument_kind {
	ARGUMENT_FLAG,			/* bool, set to true; has no value */
	ARGUMENT_BITS,			/* unsigned, to which `bits` are added; has no value */
	ARGUMENT_TEXT,			/* const char *, into argv */
	ARGUMENT_INT,			/* int, or unsigned with no limit below 0 */
	ARGUMENT_INT64,			/* int64_t */
	ARGUMENT_OWN,			/* a struct of its own, which take() fills */
	/* likewise, with the value NULL if there is none behind "=" */
	ARGUMENT_OWN_OR_NONE,
	/* of a verb, which call() fills; has a value if `value` is there */
	ARGUMENT_CALL,
	/* likewise, with the value NULL if there is none behind "=" */
	ARGUMENT_CALL_OR_NONE,
	ARGUMENT_SAME,			/* another name of the row before */
};

struct words;

struct argument {
	const char *name;		/* NULL ends a table */
	enum argument_kind kind;
	size_t field;			/* offset in the struct of options */
	char letter;			/* behind a single dash; 0: none */
	int64_t least, most;		/* of a number, decimal digits */
	unsigned bits;
	const char *due;		/* what is said of any other */
	const char *(*take)(void *field, const char *value);	/* NULL, or what is due instead */
	int (*call)(void *field, struct words *words);	/* 0, or an exit code after a message */
	const void *detail;		/* for call() */
	const char *value, *sentence;	/* for help: what stands behind it, what it does */
};

/* A walk over the words of a command line. Private, but for what is said here. */
struct words {
	const struct argument *table;
	/* `argv` is sorted: operands, which may stand before options, come last */
	int argc;
	char **argv;
	int next;			/* start with 1; the first operand at ARGUMENTS_END */
	bool keeps_order;		/* the first operand ends the options: what follows is another command's */
	int moved; /* operands that are at the end already, not counted in `argc` until ARGUMENTS_END */
	const char *place;		/* for messages of verbs: where they stand; NULL: behind argv[0] */
	const struct argument *row;	/* of the option at hand, which has */
	const char *value;		/* this value, NULL: none, */
	const char *word;		/* and was written so, */
	size_t word_bytes;		/* up to its "=" */
	char letter;			/* or as this letter, 0: not */
	const char *letters;		/* of "-vc": those that are still to come */
};

enum arguments_next {
	ARGUMENTS_OPTION,
	/* no option is left, or "--" stood here: the operands are next */
	ARGUMENTS_END,
	ARGUMENTS_UNKNOWN,		/* no such option */
	ARGUMENTS_NO_VALUE,		/* its value is missing */
	ARGUMENTS_VALUE,		/* it takes none */
};

enum arguments_next arguments_next(struct words *words);

/* Puts the value at hand into `options`. NULL, or what is due instead. Not for ARGUMENT_CALL. */
const char *arguments_take(const struct words *words, void *options);

struct arguments {
	const char *program;
	const char *usage;		/* the text of --help */
	const struct argument *table;
	size_t n;
	int (*check)(void *options);	/* once all are taken: 0, or arguments_wrong() */
};

/*
 * Fills `options`, which has its defaults already, with argv; texts are borrowed. 0, or -EINVAL
 * after saying what is wrong. --help (-h) and --version, which need no rows, end the process here.
 */
int arguments_parse(const struct arguments *arguments, void *options, int argc, char **argv);

/* Says what is wrong with an option ("--name"; value may be NULL). -EINVAL */
int arguments_wrong(const struct arguments *arguments, const char *option, const char *value, const char *due);

#endif
