/* SPDX-License-Identifier: Apache-2.0 */
/* sge_conf(5), the global configuration. A scheduler needs only a few of its parameters. */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

/* Set whether unknown users get a user object automatically. */
static int field_enforce_user(const struct field *field, void *member, const char *text, struct error *error)
{
	*(bool *)member = !strcasecmp(text, "auto");
	if (!*(bool *)member && strcasecmp(text, "none") && strcasecmp(text, "true") && strcasecmp(text, "false"))
		return error_set(error, -EINVAL,
				 "error parsing value \"%.30s\" of %s: auto, true, false or none is allowed", text,
				 field->name);
	return 0;
}

#define GLOBAL(key, type, member, text) OPTIONAL(key, type, struct global_conf, member, text)
#define OTHER(key) { .name = key }

static const struct field table[] = {
	OTHER("execd_spool_dir"), OTHER("mailer"), OTHER("xterm"), OTHER("load_sensor"), OTHER("prolog"),
	OTHER("epilog"),
	OTHER("shell_start_mode"), OTHER("login_shells"), OTHER("min_uid"), OTHER("min_gid"), OTHER("user_lists"),
	OTHER("xuser_lists"), OTHER("projects"), OTHER("xprojects"), OTHER("enforce_project"),
	GLOBAL("enforce_user", field_enforce_user, enforce_user_auto, "auto"),
	OTHER("load_report_time"), OTHER("max_unheard"), OTHER("reschedule_unknown"), OTHER("loglevel"),
	OTHER("administrator_mail"), OTHER("set_token_cmd"), OTHER("pag_cmd"), OTHER("token_extend_time"),
	OTHER("shepherd_cmd"),
	OTHER("qmaster_params"), OTHER("execd_params"), OTHER("reporting_params"), OTHER("finished_jobs"),
	OTHER("gid_range"),
	OTHER("qlogin_command"), OTHER("qlogin_daemon"), OTHER("rlogin_command"), OTHER("rlogin_daemon"),
	OTHER("rsh_command"),
	OTHER("rsh_daemon"),
	GLOBAL("max_aj_instances", field_u32, max_aj_instances, "2000"),
	GLOBAL("max_aj_tasks", field_u32, max_aj_tasks, "75000"),
	OTHER("max_u_jobs"), OTHER("max_jobs"), OTHER("max_advance_reservations"),
	GLOBAL("auto_user_oticket", field_u32, auto_user_oticket, "0"),
	GLOBAL("auto_user_fshare", field_u32, auto_user_fshare, "0"),
	GLOBAL("auto_user_default_project", field_string, auto_user_default_project, "none"),
	GLOBAL("auto_user_delete_time", field_time, auto_user_delete_time, "86400"),
	OTHER("delegated_file_staging"),
	GLOBAL("reprioritize", field_bool, reprioritize, "0"),
	OTHER("jsv_url"), OTHER("jsv_allowed_mod"), OTHER("gdi_request_limits"), OTHER("libjvm_path"),
	OTHER("additional_jvm_args"),
	OTHER("topology_file"), OTHER("mail_tag"), OTHER("conf_version"), OTHER("version"),
};
_Static_assert(sizeof(table) / sizeof(*table) <= FIELDS_MAX, "struct fields has too few places");

static int global_conf_read_file(struct reader *reader, const char *path)
{
	struct global_conf *global = &reader->cell->global;
	struct fields fields;
	int rc = fields_read(&fields, table, sizeof(table) / sizeof(*table), path, global, reader->report);

	if (rc != -ENOMEM)
		rc = fields_typed(&fields, &global->typed);
	if (!rc && fields_line(&fields, "max_aj_instances") && global->max_aj_instances == 0)
		report_add(
			reader->report, WARNING, path, fields_line(&fields, "max_aj_instances"),
			"max_aj_instances 0 means unlimited, as documented; Grid Engine 8.1.9 starts no task with it");
	fields_close(&fields);
	return rc;
}

int global_conf_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "global_conf");
	int rc = path ? global_conf_read_file(reader, path) : -ENOMEM;

	free(path);
	return rc;
}

void global_conf_free(struct global_conf *global)
{
	free(global->auto_user_default_project);
	pairs_free(&global->typed);
}
