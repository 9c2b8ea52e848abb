/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "sched/client/job_inside.h"
#include "sched/client/line.h"

bool job_is_text(const char *text)
{
	return line_can_hold(text, strlen(text));
}

int job_set_name(struct job *job, const char *name)
{
	const char *copy = job_copy(job, name, strlen(name));

	if (!job_is_text(name))
		return -EINVAL;
	return copy ? job_request_set_text(&job->request, &job->taking, "job_name", copy) : -ENOMEM;
}

int job_set_start(struct job *job, int64_t time_s)
{
	return job_request_set_integer(&job->request, &job->taking, "execution_time", time_s);
}

static int set(struct job *job, const struct execution *from, const char *member)
{
	return execution_set(&job->execution, &job->taking, from, member);
}

int job_set_session(struct job *job, const char *session)
{
	const char *copy = job_copy(job, session, strlen(session));

	if (!job_is_text(session))
		return -EINVAL;
	return copy ? set(job, &(const struct execution){ .session = copy }, "session") : -ENOMEM;
}

int job_set_ends_on_error(struct job *job)
{
	return set(job, &(const struct execution){ .ends_on_error = true }, "ends_on_error");
}

int job_set_join(struct job *job, bool join)
{
	return set(job, &(const struct execution){ .join = join }, "join");
}

int job_set_mail_list(struct job *job, char *const *addresses, size_t n)
{
	const char **list = taking_array(&job->taking, n, sizeof(*list));

	for (size_t k = 0; list && k < n; k++) {
		if (!job_is_text(addresses[k]))
			return -EINVAL;
		list[k] = job_copy(job, addresses[k], strlen(addresses[k]));
		if (!list[k])
			return -ENOMEM;
	}
	return list ? set(job, &(const struct execution){ .mail_list = { list, n } }, "mail_list") : -ENOMEM;
}

int job_set_no_mail(struct job *job)
{
	return set(job, &(const struct execution){ .mail_options = "n" }, "mail_options");
}

int job_set_variable(struct job *job, const char *name, size_t length, const char *value)
{
	if (!line_can_hold(name, length) || !job_is_text(value))
		return -EINVAL;
	return job_variables_set(job, &job->variables, name, length, value);
}
