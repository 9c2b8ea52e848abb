/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of values.c: the bytes of a line, and the strings and numbers on it. */
#ifndef SCHED_QMASTER_MEMBERS_SCAN_H
#define SCHED_QMASTER_MEMBERS_SCAN_H

#include "sched/qmaster/members/values.h"

#define SCAN_BEHIND 8u		/* bytes that may be written behind a text */

struct scanner {
	struct error *error;
	const char *line, *end;
	const char *p;		/* next byte */
	/* where the next text goes: room for what is left of the line, and SCAN_BEHIND */
	char *to;
};

static inline uint32_t scan_at(const struct scanner *s)
{
	return (uint32_t)(s->p - s->line) + 1;
}

static inline bool scan_is(const struct scanner *s, char c)
{
	return s->p < s->end && *s->p == c;
}

static inline bool scan_digit(const struct scanner *s)
{
	return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

/* The next byte that is no white space, -1 at the end. */
static inline int scan_next(struct scanner *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
		s->p++;
	return s->p < s->end ? (unsigned char)*s->p : -1;
}

/*
 * Both fill the error and return -EINVAL: "byte 17: " and what is wrong, or "':' is expected, not
 * '='".
 */
int scan_fail(struct scanner *s, const char *what);
int scan_due(struct scanner *s, const char *what);

/* At the opening quote; `plain` as in struct value. 0 or -EINVAL. */
int scan_string(struct scanner *s, const char **text, uint32_t *n, bool *plain);

/* At a digit or the sign: type and value. 0 or -EINVAL. */
int scan_number(struct scanner *s, struct value *value);

#endif
