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

static void user_check(struct reader *reader, const struct fields *fields, const char *path, const void *item)
{
	const struct user *user = item;

	if (user->name && !strcmp(user->name, "default"))
		report_add(reader->report, FAULT, path, fields_line(fields, "name"),
			   "\"default\" is not allowed as a user's name: in the share tree it means all other users");
}

const struct kind kind_users = { KIND("users", users, struct user), KIND_TABLE(table), .check = user_check };
