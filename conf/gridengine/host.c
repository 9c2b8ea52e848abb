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

const struct kind kind_hosts = { KIND("hosts", hosts, struct host_conf), KIND_TABLE(table) };
