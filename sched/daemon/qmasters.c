/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/qmasters.h"

#include <string.h>

#include "sched/qmaster/json/json.h"
#include "sched/qmaster/local/local.h"

/* How `where` begins; the first that fits. */
static const struct {
	const char *where;
	qmaster_open *open;
} qmasters[] = {
	{ QMASTER_LOCAL, local_open },
	{ "", json_open },
};

int qmasters_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	size_t i = 0;

	while (strncmp(setup->where, qmasters[i].where, strlen(qmasters[i].where)) != 0)
		i++;
	return qmasters[i].open(q, setup, error);
}
