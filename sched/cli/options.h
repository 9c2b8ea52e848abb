/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as Grid Engine has them, words behind one dash, and GNU's behind two. One table of them
 * parses and explains.
 *
 *     for (int k; (k = options_next(&o)) != OPTIONS_END;)
 *             switch (k) { ... o.value ... case OPTIONS_BAD: return EXIT_USAGE; }
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

struct option {
	const char *name;	/* "-pri", "--json" */
	const char *argument;	/* what stands behind it, NULL: nothing */
	const char *sentence;
};

enum { OPTIONS_END = -1, OPTIONS_BAD = -2 };

struct options {
	const struct option *table;	/* ends with a NULL name */
	int argc;
	char **argv;		/* argv[0] is the verb */
	int next;		/* the first operand at OPTIONS_END; start with 1 */
	const char *value;	/* of the option just returned */
};

/*
 * The table's index of the next option; its argument is the next word, or what stands behind "=" of
 * a "--name=". "--" ends the options, as does the first operand. OPTIONS_BAD: there is no such
 * option, or its argument is missing; a message was printed.
 */
int options_next(struct options *o);

/* One line an option. */
void options_help(const struct option *table, FILE *to);

/* Decimal digits only, min..max. 0, or -1 after a message that names the option. */
int options_number(const char *name, const char *value, unsigned long min, unsigned long max, unsigned long *number);

#endif
