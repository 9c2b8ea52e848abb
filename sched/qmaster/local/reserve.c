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

static const char *text_of(json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

static bool has_text(json_t *object, const char *member)
{
	return text_of(object, member) && *text_of(object, member);
}

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

static int check_members(json_t *asked, struct error *error)
{
	static const char *const own[] = { "access_list", "duration", "end_time", "hard_error", "name", "start_time" };
	const char *name;
	json_t *value;

	json_object_foreach(asked, name, value) {
		bool known = false;

		for (size_t i = 0; i < AS_OF_JOBS; i++)
			known |= strcmp(as_of_jobs[i], name) == 0;
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			known |= strcmp(own[i], name) == 0;
		if (!known)
			return error_set(error, -EINVAL, "reservation rejected: \"%.60s\" cannot be requested", name);
	}
	return 0;
}

/* Check members as in a job's request, with its messages. */
static int check_as_job(struct local *local, const struct client *client, json_t *job, struct error *error)
{
	int rc = check_request(local, client, job, error);
	char text[sizeof(error->text)];

	if (rc && strncmp(error->text, "job rejected: ", 14) == 0) {
		memcpy(text, error->text, sizeof(text));
		error_set(error, rc, "reservation rejected: %s", text + 14);
	}
	return rc;
}

static int take_parts(struct local *local, const struct client *client, json_t *asked, json_t *into,
		      struct error *error)
{
	json_t *job = json_object();
	int rc = job ? check_members(asked, error) : error_set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; rc == 0 && i < AS_OF_JOBS; i++) {
		json_t *value = json_object_get(asked, as_of_jobs[i]);

		if (value && !json_is_null(value) && json_object_set(job, as_of_jobs[i], value))
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (rc == 0)
		rc = check_as_job(local, client, job, error);
	if (rc == 0 && has_text(job, "pe") && !has_text(job, "pe_range"))
		rc = error_set(error, -EINVAL, "reservation rejected: pe_range: missing");
	if (rc == 0 && text_of(job, "master_queue_list") && !text_of(job, "pe"))
		rc = error_set(error, -EINVAL, "reservation rejected: master_queue_list: it requires pe");
	if (rc == 0 && json_object_update(into, job))
		rc = error_set(error, -ENOMEM, "out of memory");
	json_decref(job);
	return rc;
}

static int take_rest(const struct local *local, const struct client *client, json_t *asked, json_t *into,
		     struct error *error)
{
	json_t *name = json_object_get(asked, "name"), *access = json_object_get(asked, "access_list"),
	       *hard = json_object_get(asked, "hard_error");
	const char *list =
		json_is_string(access) && *json_string_value(access) ? json_string_value(access) : client->owner;
	int rc = 0;

	if ((name && !json_is_string(name)) || (access && !json_is_string(access)) || (hard && !json_is_boolean(hard)))
		return error_set(error, -EINVAL,
				 "reservation rejected: name and access_list are strings, hard_error is true or false");
	if (name && *json_string_value(name))
		rc = check_name(json_string_value(name), error);
	if (rc == 0)
		rc = check_access(sched_cell(local->sched), list, error);
	if (rc == 0 &&
	    ((name && json_object_set(into, "name", name)) || (hard && json_object_set(into, "hard_error", hard)) ||
	     json_object_set_new(into, "access_list", json_string(list))))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc;
}

/* Times */

static int time_of(json_t *asked, const char *member, int64_t least, int64_t *time, struct error *error)
{
	json_t *value = json_object_get(asked, member);

	*time = -1;
	if (!value || json_is_null(value))
		return 0;
	*time = json_integer_value(value);
	if (!json_is_integer(value) || *time < least || *time > TIME_MAX_S)
		return error_set(error, -EINVAL,
				 "reservation rejected: %s: a whole number of seconds is expected, from %lld", member,
				 (long long)least);
	return 0;
}

static int times_take(json_t *asked, struct local_advance *advance, struct error *error)
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
static int check_form(struct local *local, const struct local_advance *advance, struct error *error)
{
	json_t *members = json_pack("{s:i,s:s,s:I,s:I,s:[{s:s,s:i}]}", "number", 1, "owner", advance->owner,
				    "start_time", (json_int_t)advance->start_time, "end_time",
				    (json_int_t)advance->end_time, "granted", "queue", "q@h", "slots", 1);
	struct error found = { "" };
	int rc = members && json_object_update_missing(members, advance->reservation) == 0 ? 0 : -ENOMEM;

	json_object_del(members, "now");
	if (rc == 0)
		rc = report_check_advance(local, members, &found);
	json_decref(members);
	return rc ? error_set(error, rc, "reservation rejected: %.230s", rc == -ENOMEM ? "out of memory" : found.text)
		  : 0;
}

/* Instances */

static int granted_put(json_t *into, const struct advance_place_found *found, struct error *error)
{
	json_t *granted = json_array();
	bool complete = granted != NULL;

	for (size_t i = 0; complete && i < found->n; i++)
		complete = !json_array_append_new(granted, json_pack("{s:s,s:I}", "queue", found->items[i].queue,
								     "slots", (json_int_t)found->items[i].slots));
	complete = complete && !json_object_set(into, "granted", granted) &&
		   (!found->pe || !json_object_set_new(into, "granted_pe", json_string(found->pe)));
	json_decref(granted);
	return complete ? 0 : error_set(error, -ENOMEM, "out of memory");
}

static int place_find(struct local *local, const struct client *client, struct local_advance *advance,
		      struct error *error)
{
	json_t *r = advance->reservation;
	const struct advance_wish wish = {
		.begin = advance->start_time,
		.end = advance->end_time,
		.owner = client->owner,
		.group = client->group,
		.hard = text_of(r, "hard_resource_list"),
		.pe = text_of(r, "pe"),
		.pe_range = text_of(r, "pe_range"),
		.hard_queues = text_of(r, "hard_queue_list"),
		.master_queues = text_of(r, "master_queue_list"),
		.ckpt = text_of(r, "checkpoint"),
		.now = json_is_true(json_object_get(r, "now")),
		.access = text_of(r, "access_list"),
	};
	struct advance_place_found found;
	struct error why = { "" };
	int rc = sched_find_advance(local->sched, advance->submission_time, &wish, &found, &why);

	if (rc == 0)
		rc = granted_put(r, &found, error);
	else
		rc = error_set(error, rc == -ENOENT ? -EINVAL : rc, "no suitable queues: %.230s", why.text);
	free(found.items);
	json_object_del(r, "now");
	return rc;
}

/* Creation */

static int advance_make(struct local *local, struct client *client, json_t *asked, struct local_advance *a,
			struct error *error)
{
	int rc = check_right(local, client, error);

	*a = (struct local_advance){ .uid = client->uid, .owner = strdup(client->owner), .reservation = json_object() };
	if (rc == 0 && !json_is_object(asked))
		rc = error_set(error, -EINVAL, "reservation: an object is expected");
	if (rc == 0 && (!a->owner || !a->reservation))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0)
		rc = times_take(asked, a, error);
	if (rc == 0)
		rc = take_parts(local, client, asked, a->reservation, error);
	if (rc == 0)
		rc = take_rest(local, client, asked, a->reservation, error);
	if (rc == 0)
		rc = check_form(local, a, error);
	if (rc == 0 && json_dumpb(a->reservation, NULL, 0, JSON_COMPACT) > REQUEST_BYTES)
		rc = error_set(error, -EINVAL, "reservation rejected: its request takes more than %d bytes",
			       REQUEST_BYTES);
	return rc ? rc : place_find(local, client, a, error);
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

void request_reserve(struct local *local, struct client *client, json_t *request)
{
	bool verify = json_is_true(json_object_get(request, "verify"));
	struct error error = { "" };
	struct local_advance advance;
	uint32_t number = 0;
	int rc = advance_make(local, client, json_object_get(request, "reservation"), &advance, &error);

	if (rc == 0 && !verify)
		rc = advance_enter(local, &advance, &number, &error);
	if (rc)
		result_add(client,
			   rc == -EPERM	   ? RESULT_DENIED
			   : rc == -EINVAL ? RESULT_WRONG
					   : RESULT_NOT_STORED,
			   0, 0, "%s%s", verify ? "verification: " : "", error.text);
	else if (verify)
		result_add(client, RESULT_DONE, 0, 0, "verification: found suitable queue(s)");
	else
		result_add(client, RESULT_DONE, number, 0, "Your advance reservation %u has been granted", number);
	free(advance.owner);
	json_decref(advance.reservation);
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
static int64_t run_time(const struct cell *cell, json_t *request)
{
	const char *list = text_of(request, "hard_resource_list");
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

static int check_time(const struct cell *cell, const struct local_advance *advance, json_t *request,
		      struct error *error)
{
	int64_t time = run_time(cell, request), now = clock_date(),
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

int local_advance_check_job(struct local *local, const struct client *client, json_t *request, struct error *error)
{
	const struct cell *cell = sched_cell(local->sched);
	json_t *ar = json_object_get(request, "ar");
	json_int_t number = json_integer_value(ar);
	const struct local_advance *advance =
		number > 0 && number <= STORE_JOB_NUMBER_MAX ? local_advance_find(local, (uint32_t)number) : NULL;

	if (!ar || json_is_null(ar) || (json_is_integer(ar) && number == 0))
		return 0;
	if (!json_is_integer(ar) || !advance)
		return error_set(error, -EINVAL, "job rejected: there is no advance reservation %lld",
				 (long long)number);
	if (advance->deleted)
		return error_set(error, -EINVAL, "job rejected: the advance reservation %u is no longer available",
				 advance->number);
	if (!list_admits(cell, client,
			 text_of(advance->reservation, "access_list") ? text_of(advance->reservation, "access_list")
								      : client->owner))
		return error_set(error, -EPERM, "job rejected: the advance reservation %u does not admit \"%.60s\"",
				 advance->number, client->owner);
	if (text_of(request, "pe") && *text_of(request, "pe") && !text_of(advance->reservation, "granted_pe"))
		return error_set(error, -EINVAL, "job rejected: the advance reservation %u has no parallel environment",
				 advance->number);
	return check_time(cell, advance, request, error);
}
