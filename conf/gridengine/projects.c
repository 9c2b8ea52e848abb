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

static int project_read(struct reader *reader, const char *path, void *item)
{
	struct project *project = item;
	struct fields fields;
	int rc = fields_read(&fields, table, sizeof(table) / sizeof(*table), path, project, reader->report);
	int line = fields_line(&fields, "name");

	if (project->name && !strcmp(project->name, "default"))
		report_add(reader->report, FAULT, path, line, "\"default\" is not allowed as a project's name");
	if (project->name && cell_user(reader->cell, project->name))
		report_add(reader->report, FAULT, path, line,
			   "project \"%s\" has the name of a user: the two exclude each other", project->name);
	fields_close(&fields);
	return rc;
}

static void project_clear(void *item)
{
	struct project *project = item;

	free(project->name);
	strlist_free(&project->acl);
	strlist_free(&project->xacl);
}

const struct kind kind_projects = {
	"projects", offsetof(struct cell, projects), offsetof(struct cell, nprojects), sizeof(struct project),
	project_read, project_clear,
};
