/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of qmasters, as the command line names them. */
#ifndef SCHED_DAEMON_QMASTERS_H
#define SCHED_DAEMON_QMASTERS_H

#include <stddef.h>

#include "sched/qmaster/qmaster.h"

#define QMASTER_LOCAL "local:"		/* `where` of --local */

struct schedd_options;

struct qmaster_kind {
	const char *where;		/* beginning of its `where` */
	const char *option;		/* option for it instead of --events; NULL: none */
	const char *help;		/* lines for --help */
	/*
	 * Returns the reason why --once is not possible with that source, or NULL. NULL: it is
	 * always possible.
	 */
	const char *(*endless)(const char *where);
	/* Returns the options for its qmaster_open; NULL: it has none. */
	const void *(*options)(const struct schedd_options *options);
	qmaster_open *open;
};

/* Find the kind of qmaster that `where` names; there is always one. */
const struct qmaster_kind *qmasters_find(const char *where);

/* Open the qmaster that setup->where names. */
qmaster_open qmasters_open;

/* Write the lines of --help for all kinds, cut to `bytes`. */
void qmasters_help(char *text, size_t bytes);

#endif
