/* SPDX-License-Identifier: Apache-2.0 */
/* host_conf(5): execution hosts; the host "global" has values of the whole cluster */
#include <stdlib.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

/*
 * load_values, processors and similar attributes are printed by qconf but are never part of its
 * input.
 */
static const struct field table[] = {
	REQUIRED("hostname", field_name, struct host_conf, name, NULL),
	REQUIRED("load_scaling", field_numbers, struct host_conf, load_scaling, "NONE"),
	REQUIRED("complex_values", field_pairs, struct host_conf, complex_values, "NONE"),
	OPTIONAL("load_values", field_pairs, struct host_conf, load_values, "NONE"),
	REQUIRED("user_lists", field_names, struct host_conf, user_lists, "NONE"),
	REQUIRED("xuser_lists", field_names, struct host_conf, xuser_lists, "NONE"),
	REQUIRED("projects", field_names, struct host_conf, projects, "NONE"),
	REQUIRED("xprojects", field_names, struct host_conf, xprojects, "NONE"),
	REQUIRED("usage_scaling", field_numbers, struct host_conf, usage_scaling, "NONE"),
	{ .name = "processors" }, { .name = "report_variables" }, { .name = "license_constraints" },
	{ .name = "license_oversubscription" }, { .name = "version" },
};

static int host_read(struct reader *reader, const char *path, void *item)
{
	struct fields fields;
	int rc = fields_read(&fields, table, sizeof(table) / sizeof(*table), path, item, reader->report);

	fields_close(&fields);
	return rc;
}

static void host_clear(void *item)
{
	struct host_conf *host = item;

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
	"hosts", offsetof(struct cell, hosts), offsetof(struct cell, nhosts), sizeof(struct host_conf), host_read,
	host_clear,
};
