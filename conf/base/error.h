/* SPDX-License-Identifier: Apache-2.0 */
/* Reason why input was refused, for the person who sent it. */
#ifndef CONF_BASE_ERROR_H
#define CONF_BASE_ERROR_H

struct error {
	char text[256];		/* single line without a newline; "" = no error */
};

/*
 * Fill `error` (may be NULL) and return `rc`, so that a parser can `return error_set(error,
 * -EINVAL, "...")`.
 */
int error_set(struct error *error, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
