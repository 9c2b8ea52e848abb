/* SPDX-License-Identifier: Apache-2.0 */
/* project(5) */
#include <stdlib.h>
#include <string.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

static const struct field table[] = {
	REQUIRED("name", field_name, struct project, name, NULL),
	REQUIRED("oticket", field_u32, struct project, oticket, "0"),
	REQUIRED("fshare", field_u32, struct project, fshare, "0"),
	REQUIRED("acl", field_names, struct project, acl, "NONE"),
	REQUIRED("xacl", field_names, struct project, xacl, "NONE"),
	{ .name = "usage" }, { .name = "usage_time_stamp" }, { .name = "long_term_usage" }, { .name = "project" },
	{ .name = "debited_job_usage" }, { .name = "version" },
};

static void project_check(struct reader *reader, const struct fields *fields, const char *path, const void *item)
{
	const struct project *project = item;
	int line = fields_line(fields, "name");

	if (project->name && !strcmp(project->name, "default"))
		report_add(reader->report, FAULT, path, line, "\"default\" is not allowed as a project's name");
	if (project->name && cell_user(reader->cell, project->name))
		report_add(reader->report, FAULT, path, line,
			   "project \"%s\" has the name of a user: the two exclude each other", project->name);
}

const struct kind kind_projects = { KIND("projects", projects, struct project), KIND_TABLE(table), .check = project_check };
