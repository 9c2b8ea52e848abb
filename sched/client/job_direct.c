/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "sched/client/job_inside.h"
#include "sched/client/line.h"

bool job_is_text(const char *text)
{
	return line_can_hold(text, strlen(text));
}

/* Set a member. The function takes the value. */
static int member_set(json_t *object, const char *member, json_t *value)
{
	return json_object_set_new(object, member, value) ? -ENOMEM : 0;
}

static int text_set(json_t *object, const char *member, const char *text)
{
	return job_is_text(text) ? member_set(object, member, json_string(text)) : -EINVAL;
}

int job_set_name(struct job *job, const char *name)
{
	return text_set(job->members, "job_name", name);
}

int job_set_start(struct job *job, int64_t time_s)
{
	return member_set(job->members, "execution_time", json_integer(time_s));
}

int job_set_session(struct job *job, const char *session)
{
	return text_set(job->execution, "session", session);
}

int job_set_ends_on_error(struct job *job)
{
	return member_set(job->execution, "ends_on_error", json_true());
}

int job_set_join(struct job *job, bool join)
{
	return member_set(job->execution, "join", json_boolean(join));
}

int job_set_mail_list(struct job *job, char *const *addresses, size_t n)
{
	json_t *list = json_array();
	int rc = list ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < n; k++)
		rc = !job_is_text(addresses[k])				     ? -EINVAL
		     : json_array_append_new(list, json_string(addresses[k])) ? -ENOMEM
									     : 0;
	if (rc == 0)
		return member_set(job->execution, "mail_list", list);
	json_decref(list);
	return rc;
}

int job_set_no_mail(struct job *job)
{
	return text_set(job->execution, "mail_options", "n");
}

int job_set_variable(struct job *job, const char *name, size_t length, const char *value)
{
	json_t *text;
	int rc;

	if (!line_can_hold(name, length) || !job_is_text(value))
		return -EINVAL;
	job->variables = job->variables ? job->variables : json_object();
	text = json_string(value);
	rc = json_object_setn(job->variables, name, length, text) ? -ENOMEM : 0;
	json_decref(text);
	return rc;
}
