/* SPDX-License-Identifier: Apache-2.0 */
/* user(5) */
#include <stdlib.h>
#include <string.h>

#include "conf/fields.h"
#include "conf/gridengine/readers.h"

/*
 * Attributes that a running system adds when it spools the object are not part of a configuration.
 */
static const struct field table[] = {
	REQUIRED("name", field_name, struct user, name, NULL),
	REQUIRED("oticket", field_u32, struct user, oticket, "0"),
	REQUIRED("fshare", field_u32, struct user, fshare, "0"),
	REQUIRED("delete_time", field_epoch, struct user, delete_time, "0"),
	REQUIRED("default_project", field_string, struct user, default_project, "NONE"),
	{ .name = "usage" }, { .name = "usage_time_stamp" }, { .name = "long_term_usage" }, { .name = "project" },
	{ .name = "debited_job_usage" }, { .name = "version" },
};

static int user_read(struct reader *reader, const char *path, void *item)
{
	struct user *user = item;
	struct fields fields;
	int rc = fields_read(&fields, table, sizeof(table) / sizeof(*table), path, user, reader->report);

	if (user->name && !strcmp(user->name, "default"))
		report_add(reader->report, FAULT, path, fields_line(&fields, "name"),
			   "\"default\" is not allowed as a user's name: in the share tree it means all other users");
	fields_close(&fields);
	return rc;
}

static void user_clear(void *item)
{
	struct user *user = item;

	free(user->name);
	free(user->default_project);
}

const struct kind kind_users = {
	"users", offsetof(struct cell, users), offsetof(struct cell, nusers), sizeof(struct user), user_read,
	user_clear,
};
