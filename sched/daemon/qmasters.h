/* SPDX-License-Identifier: Apache-2.0 */
/* The qmasters that there are, as the command line names them. */
#ifndef SCHED_DAEMON_QMASTERS_H
#define SCHED_DAEMON_QMASTERS_H

#include <stddef.h>

#include "sched/qmaster/qmaster.h"

#define QMASTER_LOCAL "local:"		/* `where` of --local */

struct schedd_options;

struct qmaster_kind {
	const char *where;		/* how its `where` begins */
	const char *option;		/* chooses it in place of --events; NULL: there is none */
	const char *help;		/* its lines of --help */
	/* why --once is not for that source, or NULL; the same, NULL: it is for all of them */
	const char *(*endless)(const char *where);
	/* what its qmaster_open takes, out of the command line; NULL: nothing */
	const void *(*options)(const struct schedd_options *options);
	qmaster_open *open;
};

/* Who is meant by `where`; there is always one. */
const struct qmaster_kind *qmasters_find(const char *where);

/* The one that setup->where names. */
qmaster_open qmasters_open;

/* What --help says of them, cut to `bytes`. */
void qmasters_help(char *text, size_t bytes);

#endif
