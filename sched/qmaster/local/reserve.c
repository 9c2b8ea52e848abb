/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for advance reservations: qrsub(1). Operators and members of the userset arusers may
 * make them, at most max_advance_reservations of sge_conf(5) in total. The scheduler finds the
 * instances.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "conf/base/number.h"
#include "sched/dispatch/phase.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"
#include "sched/qmaster/members/members.h"

/* members with the same meaning as in a job's request */
static const char *const as_of_jobs[] = {
	"account", "checkpoint", "hard_queue_list", "hard_resource_list", "master_queue_list", "now", "pe", "pe_range"
};
#define AS_OF_JOBS (sizeof(as_of_jobs) / sizeof(*as_of_jobs))

/* Permissions */

static int check_right(const struct local *local, const struct client *client, struct error *error)
{
	const struct cell *cell = sched_cell(local->sched);
	const struct userset *users = cell_userset(cell, "arusers");
	uint32_t most = access_global_number(cell, "max_advance_reservations");
	size_t n = 0;

	if (!client_is_operator(client) && !(users && access_userset_has(users, client)))
		return error_set(error, -EPERM, "denied: \"%s\" must be an operator or in userset \"arusers\"",
				 client->owner);
	for (size_t i = 0; i < local->advances.n; i++)
		n += !local->advances.items[i].deleted;
	return most == 0 || n < most
		       ? 0
		       : error_set(error, -EINVAL,
				   "rejected: only %u advance reservations are allowed (max_advance_reservations)",
				   most);
}

/* Check a list such as "ann,@dev". Users need not exist yet; usersets must exist. */
static int check_access(const struct cell *cell, const char *list, struct error *error)
{
	while (true) {
		size_t length = strcspn(list, ",");
		char set[256];

		if (length == 0)
			return error_set(
				error, -EINVAL,
				"reservation rejected: access_list: the name of a user, or @ and a userset, is "
				"missing");
		snprintf(set, sizeof(set), "%.*s", (int)(length < sizeof(set) ? length : sizeof(set) - 1), list);
		if (*set == '@' && !cell_userset(cell, set + 1))
			return error_set(error, -EINVAL, "reservation rejected: the userset \"%.80s\" does not exist",
					 set + 1);
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

/* Members */

static int check_members(const struct value *asked, struct error *error)
{
	static const char *const own[] = { "access_list", "duration", "end_time", "hard_error", "name", "start_time" };

	value_each(member, asked) {
		bool known = false;

		for (size_t i = 0; i < AS_OF_JOBS; i++)
			known |= strcmp(as_of_jobs[i], member->name) == 0;
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			known |= strcmp(own[i], member->name) == 0;
		if (!known)
			return error_set(error, -EINVAL, "reservation rejected: \"%.60s\" cannot be requested",
					 member->name);
	}
	return 0;
}

/* Check members as in a job's request, with its messages. */
static int check_as_job(struct local *local, const struct client *client, struct job_request *job,
			struct taking *taking, struct error *error)
{
	int rc = check_request(local, client, job, taking, error);
	char text[sizeof(error->text)];

	if (rc && strncmp(error->text, "job rejected: ", 14) == 0) {
		memcpy(text, error->text, sizeof(text));
		error_set(error, rc, "reservation rejected: %s", text + 14);
	}
	return rc;
}

/* Read the members that jobs have, too, as a request of a job. */
static int job_ask(struct job_request *job, struct taking *taking, const struct value *asked)
{
	int rc = 0;

	job_request_init(job);
	for (size_t i = 0; rc == 0 && i < AS_OF_JOBS; i++) {
		const struct value *value = value_member(asked, as_of_jobs[i]);

		if (value && value->type != VALUE_NULL)
			rc = job_request_ask_member(job, taking, value);
	}
	return rc;
}

/* Copy these members, except "now", to the reservation. Lists of resources are complete now. */
static int parts_copy(struct local_advance *advance, const struct job_request *job)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < job->members.n; i++) {
		const struct listed_member *member = &job->members.items[i];

		if (strcmp(member->name, "now") == 0)
			continue;
		rc = member->kept ? local_advance_set(advance, member->kept)
				  : local_advance_set_text(advance, member->name, job_request_text(job, member->name));
	}
	return rc;
}

static int take_parts(struct local *local, const struct client *client, const struct value *asked,
		      struct local_advance *advance, bool *now, struct error *error)
{
	struct job_request job;
	const struct job_spec *spec = &job.spec;
	int rc = check_members(asked, error);

	if (rc == 0 && job_ask(&job, &advance->taking, asked))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0)
		rc = check_as_job(local, client, &job, &advance->taking, error);
	if (rc)
		return rc;
	*now = spec->now;
	if (spec->pe && *spec->pe && !(spec->pe_range && *spec->pe_range))
		return error_set(error, -EINVAL, "reservation rejected: pe_range: missing");
	if (spec->master_queues && !spec->pe)
		return error_set(error, -EINVAL, "reservation rejected: master_queue_list: it requires pe");
	return parts_copy(advance, &job) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static int take_rest(const struct local *local, const struct client *client, const struct value *asked,
		     struct local_advance *advance, struct error *error)
{
	const struct value *name = value_member(asked, "name"), *access = value_member(asked, "access_list"),
			   *hard = value_member(asked, "hard_error");
	const char *list = value_text(access) && *value_text(access) ? value_text(access) : client->owner;
	int rc = 0;

	if ((name && !value_text(name)) || (access && !value_text(access)) ||
	    (hard && hard->type != VALUE_TRUE && hard->type != VALUE_FALSE))
		return error_set(error, -EINVAL,
				 "reservation rejected: name and access_list are strings, hard_error is true or false");
	if (name && *name->text)
		rc = check_name(name->text, error);
	if (rc == 0)
		rc = check_access(sched_cell(local->sched), list, error);
	if (rc)
		return rc;
	rc = name ? local_advance_set(advance, name) : 0;
	rc = rc == 0 && hard ? local_advance_set(advance, hard) : rc;
	rc = rc ? rc : local_advance_set_text(advance, "access_list", list);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* Times */

static int time_of(const struct value *asked, const char *member, int64_t least, int64_t *time, struct error *error)
{
	const struct value *value = value_member(asked, member);

	*time = -1;
	if (!value || value->type == VALUE_NULL)
		return 0;
	*time = value_integer(value);
	if (value->type != VALUE_INTEGER || *time < least || *time > TIME_MAX_S)
		return error_set(error, -EINVAL,
				 "reservation rejected: %s: a whole number of seconds is expected, from %lld", member,
				 (long long)least);
	return 0;
}

static int times_take(const struct value *asked, struct local_advance *advance, struct error *error)
{
	int64_t duration;

	if (time_of(asked, "start_time", 0, &advance->start_time, error) ||
	    time_of(asked, "end_time", 1, &advance->end_time, error) || time_of(asked, "duration", 1, &duration, error))
		return -EINVAL;
	advance->submission_time = clock_date();
	if (advance->start_time >= 0 && advance->start_time < advance->submission_time)
		return error_set(error, -EINVAL, "reservation rejected: the start time is in the past");
	advance->start_time = advance->start_time < 0 ? advance->submission_time : advance->start_time;
	if (advance->end_time < 0 && duration < 0)
		return error_set(error, -EINVAL, "reservation rejected: an end or a duration is needed");
	if (duration > TIME_MAX_S - advance->start_time)
		return error_set(error, -EINVAL, "reservation rejected: duration: it is too long");
	advance->end_time = advance->end_time < 0 ? advance->start_time + duration : advance->end_time;
	if (advance->end_time <= advance->start_time)
		return error_set(error, -EINVAL, "reservation rejected: the start time is later than the end time");
	if (duration >= 0 && advance->end_time - advance->start_time != duration)
		return error_set(error, -EINVAL,
				 "reservation rejected: the difference between end and start time is not the duration");
	return 0;
}

/* Check types and characters as its event requires, before instances are searched. */
static int check_form(const struct local_advance *advance, struct error *error)
{
	char *text;
	size_t bytes;

	if (*advance->fault.text)
		return error_set(error, -EINVAL, "reservation rejected: %.230s", advance->fault.text);
	text = local_advance_text(advance);
	bytes = text ? strlen(text) : 0;
	free(text);
	if (bytes == 0)
		return error_set(error, -ENOMEM, "out of memory");
	return bytes <= REQUEST_BYTES ? 0 :
	       error_set(error, -EINVAL, "reservation rejected: its request takes more than %d bytes", REQUEST_BYTES);
}

/* Instances */

static int place_find(struct local *local, const struct client *client, struct local_advance *advance, bool now,
		      struct error *error)
{
	const struct advance_event *asked = &advance->asked;
	const struct advance_wish wish = {
		.begin = advance->start_time,
		.end = advance->end_time,
		.owner = client->owner,
		.group = client->group,
		.hard = asked->hard,
		.pe = asked->pe,
		.pe_range = asked->pe_range,
		.hard_queues = asked->hard_queues,
		.master_queues = asked->master_queues,
		.ckpt = asked->ckpt,
		.now = now,
		.access = asked->access,
	};
	struct advance_place_found found;
	struct error why = { "" };
	int rc = sched_find_advance(local->sched, advance->submission_time, &wish, &found, &why);

	if (rc == 0)
		rc = local_advance_grant(advance, found.items, found.n, found.pe)
			     ? error_set(error, -ENOMEM, "out of memory")
			     : 0;
	else
		rc = error_set(error, rc == -ENOENT ? -EINVAL : rc, "no suitable queues: %.230s", why.text);
	if (rc == -EINVAL)
		advance->taking.refusal.reason = REPLY_NO_SUITABLE_QUEUE;
	free(found.items);
	return rc;
}

/* Creation */

/*
 * Make a reservation of a request. Its texts are those of a copy of the request's line, because the
 * reservation stays in memory.
 */
static int advance_make(struct local *local, struct client *client, struct local_advance *advance, struct error *error)
{
	int rc = check_right(local, client, error);
	const struct value *line = values_copy(&client->request.values, &advance->memory),
			   *asked = value_member(line, "reservation");
	bool now = false;

	advance->uid = client->uid;
	advance->owner = strdup(client->owner);
	if (rc == 0 && (!line || !advance->owner))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0 && !value_is(asked, VALUE_OBJECT))
		rc = error_set(error, -EINVAL, "reservation: an object is expected");
	if (rc == 0)
		rc = times_take(asked, advance, error);
	if (rc == 0)
		rc = take_parts(local, client, asked, advance, &now, error);
	if (rc == 0)
		rc = take_rest(local, client, asked, advance, error);
	if (rc == 0)
		rc = check_form(advance, error);
	return rc ? rc : place_find(local, client, advance, now, error);
}

static int advance_enter(struct local *local, struct local_advance *advance, uint32_t *number, struct error *error)
{
	int rc = store_next_advance_number(local->store, &advance->number, error);

	*number = advance->number;
	if (rc) {
		local_fail(local, error);
		return rc;
	}
	rc = local_advance_add(local, advance, error);
	*advance = (struct local_advance){ 0 };		/* ownership has moved */
	return rc;
}

void request_reserve(struct local *local, struct client *client, const struct value *request)
{
	bool verify = member_is_true(request, "verify");
	struct local_advance advance = { 0 };
	struct error error = { "" };
	char text[sizeof(error.text) + 20];
	uint32_t number = 0;
	int rc = advance_make(local, client, &advance, &error);

	if (rc == 0 && !verify)
		rc = advance_enter(local, &advance, &number, &error);
	snprintf(text, sizeof(text), "%s%s", verify ? "verification: " : "", error.text);
	if (rc)
		result_refuse(client, rc, &advance.taking.refusal, 0, text);
	else if (verify)
		result_add(client, REPLY_VERIFIED, 0, 0, "verification: found suitable queue(s)");
	else
		result_add(client, REPLY_DONE, number, 0, "Your advance reservation %u has been granted", number);
	local_advance_free(&advance);
}

/* Jobs in a reservation */

static bool list_admits(const struct cell *cell, const struct client *client, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		char name[256];
		const struct userset *set;

		snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), list);
		set = *name == '@' ? cell_userset(cell, name + 1) : NULL;
		if (set ? access_userset_has(set, client) : strcmp(name, client->owner) == 0)
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

/* Return the run time that the job requests, in seconds; INT64_MAX: none. */
static int64_t run_time(const struct cell *cell, const char *list)
{
	struct resource_list resources;
	int64_t shortest = INT64_MAX;
	uint32_t seconds;

	if (!list || resource_list_read(&resources, cell, list))
		return shortest;
	for (size_t i = 0; i < resources.n; i++) {
		const char *name = resources.items[i].complex ? resources.items[i].complex->name : "";

		if ((strcmp(name, "h_rt") == 0 || strcmp(name, "s_rt") == 0) &&
		    number_time(resource_value(&resources.items[i]), &seconds) == 0 && seconds < shortest)
			shortest = seconds;
	}
	resource_list_free(&resources);
	return shortest;
}

static int check_time(const struct cell *cell, const struct local_advance *advance, const char *list,
		      struct error *error)
{
	int64_t time = run_time(cell, list), now = clock_date(),
		begin = now > advance->start_time ? now : advance->start_time;

	if (time != INT64_MAX && time > advance->end_time - advance->start_time)
		return error_set(error, -EINVAL,
				 "job rejected: its run time is longer than the advance reservation %u lasts",
				 advance->number);
	if (time != INT64_MAX && time > advance->end_time - begin)
		return error_set(error, -EINVAL,
				 "job rejected: its run time exceeds the end time of the advance reservation %u",
				 advance->number);
	return 0;
}

int local_advance_check_job(struct local *local, const struct client *client, const struct job_request *request,
			    struct error *error)
{
	const struct cell *cell = sched_cell(local->sched);
	const struct listed_member *ar = member_list_find(&request->members, "ar");
	const struct local_advance *advance;
	int64_t number;
	bool is_integer = job_request_integer(request, "ar", &number);

	if (!ar || value_is(ar->kept, VALUE_NULL) || (is_integer && number == 0))
		return 0;
	advance = number > 0 && number <= STORE_JOB_NUMBER_MAX ? local_advance_find(local, (uint32_t)number) : NULL;
	if (!advance)
		return error_set(error, -EINVAL, "job rejected: there is no advance reservation %lld",
				 (long long)number);
	if (advance->deleted)
		return error_set(error, -EINVAL, "job rejected: the advance reservation %u is no longer available",
				 advance->number);
	if (!list_admits(cell, client, advance->asked.access ? advance->asked.access : client->owner))
		return error_set(error, -EPERM, "job rejected: the advance reservation %u does not admit \"%.60s\"",
				 advance->number, client->owner);
	if (request->spec.pe && *request->spec.pe && !advance->asked.granted_pe)
		return error_set(error, -EINVAL, "job rejected: the advance reservation %u has no parallel environment",
				 advance->number);
	return check_time(cell, advance, request->spec.hard, error);
}
