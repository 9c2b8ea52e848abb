/* SPDX-License-Identifier: Apache-2.0 */
/* Why something from outside was refused, in words for the person who sent it. */
#ifndef CONF_ERROR_H
#define CONF_ERROR_H

struct error {
	char text[256];		/* one line, no newline; "" = none */
};

/*
 * Fills `e` (may be NULL) and returns `rc`, so that a parser can `return error_set(e, -EINVAL,
 * "...")`.
 */
int error_set(struct error *error, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
