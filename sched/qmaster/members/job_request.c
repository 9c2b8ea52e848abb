/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/job_request.h"

#include <errno.h>
#include <string.h>

#include "sched/qmaster/members/event.h"

#define BEGIN offsetof(struct event, job)
/* Offset, in the forms, of a member of struct job_request. */
#define AT(member) (BEGIN + offsetof(struct job_request, member))

_Static_assert(offsetof(struct job_request, spec) == 0, "forms of job_add are used with struct job_request");

/* The ids of tasks are kept as a text, because arrays that depend on each other compare them. */
static const struct event_member tasks_form = { "tasks", take_any_text, AT(tasks), OPTIONAL, 0, 0, 0 };

/*
 * Return the form of a member. NULL: it is kept as a value, like holds, which struct local_job has.
 */
static const struct event_member *form_of(const char *name)
{
	if (strcmp(name, tasks_form.name) == 0)
		return &tasks_form;
	return strcmp(name, "hold") == 0 ? NULL : event_member(event_form_of(EVENT_JOB_ADD), name);
}

static struct member_base base_of(const struct job_request *request)
{
	return (struct member_base){ (void *)request, BEGIN };
}

static void given_set(struct job_request *request, const struct event_member *form, bool given)
{
	uint32_t *bits = event_job_bits(&request->spec, form), bit = (uint32_t)form->bit;

	*bits = given ? *bits | bit : *bits & ~bit;
}

void job_request_init(struct job_request *request)
{
	*request = (struct job_request){ .tasks = NULL };
}

/* Reading */

static int member_take(struct job_request *request, struct taking *taking, const struct event_member *form,
		       const struct value *value)
{
	int rc = member_list_take(&request->members, taking, base_of(request), form, value);

	if (rc == -EINVAL && (!*request->fault.text || value->at < request->fault_at)) {
		error_set(&request->fault, rc, "%s: %s", form->name, taking->error.text);
		request->fault_at = value->at;
	}
	if (rc == 0)
		given_set(request, form, true);
	return rc == -ENOMEM ? rc : 0;
}

int job_request_read(struct job_request *request, struct taking *taking, const struct value *object)
{
	int rc = 0;

	job_request_init(request);
	value_each(value, object)
		if (rc == 0)
			rc = member_take(request, taking, form_of(value->name), value);
	return rc;
}

static bool is_settled_later(const char *name)
{
	static const char *const names[] = { "hold", "hold_jid", "hold_jid_ad", "after_ok", "hard_resource_list",
					     "soft_resource_list" };
	size_t i = 0;

	while (i < sizeof(names) / sizeof(*names) && strcmp(names[i], name) != 0)
		i++;
	return i < sizeof(names) / sizeof(*names);
}

int job_request_ask_member(struct job_request *request, struct taking *taking, const struct value *value)
{
	const struct event_member *form = form_of(value->name);

	return is_settled_later(value->name)
		       ? member_list_put(&request->members, taking, (struct listed_member){ form, value->name, value })
		       : member_take(request, taking, form, value);
}

int job_request_ask(struct job_request *request, struct taking *taking, const struct value *object)
{
	int rc = 0;

	job_request_init(request);
	if (!object)
		return 0;
	value_each(value, object) {
		if (rc)
			return rc;
		rc = job_request_ask_member(request, taking, value);
	}
	return rc;
}

int job_request_settle(struct job_request *request, struct taking *taking, const char *name,
		       const struct value *value)
{
	const struct value *kept = value ? value : member_list_kept(&request->members, name);
	const struct event_member *form = form_of(name);

	if (!kept)
		return 0;
	return form ? member_take(request, taking, form, kept)
		    : member_list_put(&request->members, taking, (struct listed_member){ NULL, name, kept });
}

/* Setting */

/*
 * Set a value of the caller's. The value is copied, because it is kept if it does not have its
 * form.
 */
static int value_set(struct job_request *request, struct taking *taking, const char *name, struct value value)
{
	const struct event_member *form = form_of(name);
	const struct value *kept = member_list_kept(&request->members, name);
	struct value *copy = taking_array(taking, 1, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = value;
	copy->at = kept ? kept->at : UINT32_MAX;
	copy->name = form ? form->name : name;
	copy->span = 1;
	return form ? member_take(request, taking, form, copy)
		    : member_list_put(&request->members, taking, (struct listed_member){ NULL, name, copy });
}

int job_request_set_text(struct job_request *request, struct taking *taking, const char *name, const char *text)
{
	return value_set(request, taking, name,
			 (struct value){ .type = VALUE_STRING, .text = text, .n = (uint32_t)strlen(text) });
}

int job_request_set_integer(struct job_request *request, struct taking *taking, const char *name, int64_t number)
{
	return value_set(request, taking, name, (struct value){ .type = VALUE_INTEGER, .integer = number });
}

int job_request_set_bool(struct job_request *request, struct taking *taking, const char *name, bool yes)
{
	return value_set(request, taking, name, (struct value){ .type = yes ? VALUE_TRUE : VALUE_FALSE });
}

int job_request_check(struct job_request *request, struct taking *taking, struct error *error)
{
	*request->fault.text = '\0';
	for (size_t i = 0; i < request->members.n; i++) {
		const struct listed_member *member = &request->members.items[i];

		if (member->form && member->kept && member_take(request, taking, member->form, member->kept))
			return error_set(error, -ENOMEM, "out of memory");
		if (*request->fault.text)
			return error_set(error, -EINVAL, "%s", request->fault.text);
	}
	return 0;
}

int job_request_set_jobs(struct job_request *request, struct taking *taking, struct number_list jobs)
{
	const struct event_member *form = form_of("hold_jid");

	request->spec.hold_jid = jobs.items;
	request->spec.nhold_jid = jobs.n;
	given_set(request, form, true);
	return member_list_put(&request->members, taking, (struct listed_member){ form, form->name, NULL });
}

int job_request_update(struct job_request *request, struct taking *taking, const struct job_request *changes)
{
	struct job_request none;
	int rc = 0;

	job_request_init(&none);
	for (size_t i = 0; rc == 0 && i < changes->members.n; i++) {
		const struct listed_member *member = &changes->members.items[i];
		bool is_null = value_is(member->kept, VALUE_NULL);

		rc = member_list_put(&request->members, taking, *member);
		if (!member->form)
			continue;
		member_copy(base_of(request), base_of(is_null ? &none : changes), member->form);
		given_set(request, member->form, !is_null);
	}
	if (!*request->fault.text)
		request->fault = changes->fault;
	return rc;
}

/* Queries */

bool job_request_has(const struct job_request *request, const char *name)
{
	return member_list_find(&request->members, name) != NULL;
}

const char *job_request_text(const struct job_request *request, const char *name)
{
	const struct event_member *form = form_of(name);

	return form ? member_text_in(base_of(request), form) : NULL;
}

bool job_request_integer(const struct job_request *request, const char *name, int64_t *number)
{
	const struct listed_member *member = member_list_find(&request->members, name);
	const void *at = member && member->form ? member_place(base_of(request), member->form) : NULL;

	*number = 0;
	if (!member || !at || (member->kept && member->kept->type != VALUE_INTEGER))
		return false;
	if (member->kept)
		*number = member->kept->integer;
	else if (member->form->take == take_u32)
		*number = *(const uint32_t *)at;
	else if (member->form->take == take_i32)
		*number = *(const int32_t *)at;
	else if (member->form->take == take_i64)
		*number = *(const int64_t *)at;
	else
		return false;
	return true;
}

void job_request_write(struct out *out, const struct job_request *request)
{
	member_list_write(out, &request->members, base_of(request), NULL);
}
