/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of values.c: the bytes of a line, and the strings and numbers on it. */
#ifndef SCHED_QMASTER_MEMBERS_SCAN_H
#define SCHED_QMASTER_MEMBERS_SCAN_H

#include "sched/qmaster/members/values.h"

#define SCAN_BEHIND 8u		/* bytes after a text that may be overwritten */

struct scanner {
	struct error *error;
	const char *line, *end;
	const char *p;		/* next byte */
	/* Destination of the next text. It has room for the rest of the line and SCAN_BEHIND. */
	char *to;
};

static inline uint32_t scan_at(const struct scanner *scanner)
{
	return (uint32_t)(scanner->p - scanner->line) + 1;
}

static inline bool scan_is(const struct scanner *scanner, char c)
{
	return scanner->p < scanner->end && *scanner->p == c;
}

static inline bool scan_digit(const struct scanner *scanner)
{
	return scanner->p < scanner->end && *scanner->p >= '0' && *scanner->p <= '9';
}

/* Return the next byte that is not white space, -1 at the end. */
static inline int scan_next(struct scanner *scanner)
{
	while (scanner->p < scanner->end &&
	       (*scanner->p == ' ' || *scanner->p == '\t' || *scanner->p == '\r' || *scanner->p == '\n'))
		scanner->p++;
	return scanner->p < scanner->end ? (unsigned char)*scanner->p : -1;
}

/*
 * Set the error and return -EINVAL. scan_fail() writes "byte 17: " and `what`. scan_due() writes a
 * text like "byte 17: ':' is expected, not '='".
 */
int scan_fail(struct scanner *scanner, const char *what);
int scan_due(struct scanner *scanner, const char *what);

/*
 * Read a string, starting at its opening quote. `plain` is described in struct value. 0 or -EINVAL.
 */
int scan_string(struct scanner *scanner, const char **text, uint32_t *n, bool *plain);

/* Read the type and value of a number, starting at a digit or the sign. 0 or -EINVAL. */
int scan_number(struct scanner *scanner, struct value *value);

#endif
