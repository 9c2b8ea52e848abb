/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: select tasks in queue instances that offer these resources in the published run, that is now.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/cli/acct/acct.h"
#include "sched/cli/cluster/cluster.h"

struct finding_instances {
	struct requests_wanted wanted;
	struct acct_instances *instances;
	int error;
	struct messages *messages;	/* borrowed */
};

static int instances_add(struct finding_instances *instances, const struct fl_view *view, const struct cell *cell)
{
	struct found_values found = { .totals = true };
	struct fl_instance instance;
	int rc = 0;

	for (size_t k = 0, n = fl_instances(view); rc == 0 && k < n && fl_instance(view, k, &instance) == 0; k++) {
		rc = attributes_of(&found, view, cell, instance.host, &k);
		if (rc == 0 && wanted_fits(&instances->wanted, &found, cell)) {
			char **name = array_add(&instances->instances->names, &instances->instances->n, sizeof(*name));

			rc = name && (*name = strdup(instance.name)) != NULL ? 0 : -ENOMEM;
		}
	}
	attributes_free(&found);
	return rc;
}

void acct_instances_free(struct acct_instances *instances)
{
	for (size_t i = 0; i < instances->n; i++)
		free(instances->names[i]);
	free(instances->names);
	*instances = (struct acct_instances){ .names = NULL };
}

bool acct_instances_have(const struct acct_instances *instances, const char *queue, const char *host)
{
	size_t length = strlen(queue);

	for (size_t i = 0; i < instances->n; i++)
		if (strncmp(instances->names[i], queue, length) == 0 && instances->names[i][length] == '@' &&
		    strcmp(instances->names[i] + length + 1, host) == 0)
			return true;
	return false;
}

static int find(const struct fl_view *view, struct out *out, void *context)
{
	struct cluster_cell cell = { .loaded = false };
	struct finding_instances *instances = context;
	int code = EXIT_OK;

	(void)out;
	acct_instances_free(instances->instances);
	instances->error = cluster_cell_load(&cell, view);
	if (instances->error == 0)
		code = wanted_check(instances->messages, &instances->wanted, "acct", &cell.cell);
	if (instances->error == 0 && !code)
		instances->error = instances_add(instances, view, &cell.cell);
	cluster_cell_free(&cell);
	return code;
}

int acct_instances_find(struct messages *messages, const char *cell, const char *list, struct acct_instances *instances)
{
	struct finding_instances finding_instances = { .instances = instances, .messages = messages };
	char *copy = strdup(list);
	int code = copy ? wanted_add(messages, &finding_instances.wanted, "acct", copy) : message_no_memory(messages);

	if (!code)
		code = section_show(messages, cell, find, &finding_instances);
	if (!code && finding_instances.error)
		code = cluster_failed(messages, cell, finding_instances.error);
	free(finding_instances.wanted.items);
	free(copy);
	return code;
}
