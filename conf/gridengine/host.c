/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_conf(5): execution hosts; the one called "global" carries what belongs to the whole cluster
 */
#include <stdlib.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

/* load_values, processors and the like are printed, but never part of what is put in. */
static const struct field table[] = {
	REQUIRED("hostname", field_name, struct host, name, NULL),
	REQUIRED("load_scaling", field_numbers, struct host, load_scaling, "NONE"),
	REQUIRED("complex_values", field_pairs, struct host, complex_values, "NONE"),
	OPTIONAL("load_values", field_pairs, struct host, load_values, "NONE"),
	REQUIRED("user_lists", field_names, struct host, user_lists, "NONE"),
	REQUIRED("xuser_lists", field_names, struct host, xuser_lists, "NONE"),
	REQUIRED("projects", field_names, struct host, projects, "NONE"),
	REQUIRED("xprojects", field_names, struct host, xprojects, "NONE"),
	REQUIRED("usage_scaling", field_numbers, struct host, usage_scaling, "NONE"),
	{ .name = "processors" }, { .name = "report_variables" }, { .name = "license_constraints" },
	{ .name = "license_oversubscription" }, { .name = "version" },
};

static int host_read(struct reader *r, const char *path, void *item)
{
	struct fields f;
	int rc = fields_read(&f, table, sizeof(table) / sizeof(*table), path, item, r->report);

	fields_close(&f);
	return rc;
}

static void host_clear(void *item)
{
	struct host *host = item;

	free(host->name);
	pairs_free(&host->load_scaling);
	pairs_free(&host->complex_values);
	pairs_free(&host->load_values);
	pairs_free(&host->usage_scaling);
	strlist_free(&host->user_lists);
	strlist_free(&host->xuser_lists);
	strlist_free(&host->projects);
	strlist_free(&host->xprojects);
}

const struct kind kind_hosts = {
	"hosts", offsetof(struct cell, hosts), offsetof(struct cell, nhosts), sizeof(struct host), host_read, host_clear,
};
