/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the qmaster tells of usage. While we are its scheduler it is
 *
 *     our own order      which has had effect then: the version is the next one, the time stamp ours
 *     emptied            8.1.9 forgets a user's usage when anything of him is changed: it is given
 *                        back. `qconf -clearusage` means it: it changes nothing else, or, for a
 *                        named user, sets his shares and all else to nothing
 *     older than ours    in a total update, after a crash of the qmaster: it is given back
 *     newer than ours    another scheduler's: taken
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "tickets/tickets.h"

#define NAME_BYTES 512			/* of a name that events may have */

struct told_sharer {				/* an element */
	uint32_t kind;
	const struct gdi_element *element;
	const char *name;
	struct object_usage usage;
	struct usage_value *values;
	struct debited_usage *debited;
	struct project_usage *projects;
	uint64_t configuration;		/* a sum over what it is configured to be */
	bool plain;			/* which is nothing at all */
	bool empty;			/* no usage */
};

/* The element */

static uint32_t field(const struct told_sharer *t, uint32_t user, uint32_t project)
{
	return t->kind == SHARER_USER ? user : project;
}

static bool name_is_good(const char *name)
{
	size_t n = 0;

	for (size_t length; name[n]; n += length)
		if ((length = utf8_length(name + n)) == 0 || n + length > NAME_BYTES)
			return false;
	return n > 0;
}

static size_t values_count(struct gdi_list list)
{
	return list.left;
}

static size_t told_count(const struct told_sharer *t)
{
	struct gdi_list projects = gdi_list(t->element, field(t, UU_project, PR_project));
	struct gdi_list debited = gdi_list(t->element, field(t, UU_debited_job_usage, PR_debited_job_usage));
	size_t n = values_count(gdi_list(t->element, field(t, UU_usage, PR_usage))) +
		   values_count(gdi_list(t->element, field(t, UU_long_term_usage, PR_long_term_usage)));
	struct gdi_element e;

	while (gdi_next(&projects, &e))
		n += values_count(gdi_list(&e, UPP_usage)) + values_count(gdi_list(&e, UPP_long_term_usage));
	while (gdi_next(&debited, &e))
		n += values_count(gdi_list(&e, UPU_old_usage_list));
	return n;
}

static struct usage_values values_take(struct gdi_list list, struct usage_value **room)
{
	struct usage_values values = { *room, 0 };
	struct gdi_element e;

	while (gdi_next(&list, &e)) {
		const char *name = gdi_text(&e, UA_name);

		if (!name_is_good(name))
			continue;
		*(*room)++ = (struct usage_value){ name, fmin(fmax(gdi_double(&e, UA_value), 0.0), TICKETS_LIMIT) };
		values.n++;
	}
	return values;
}

static uint64_t text_sum(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
	return (sum ^ 0xff) * 0x100000001b3u;
}

static uint64_t names_sum(uint64_t sum, struct gdi_list names)
{
	struct gdi_element e;

	while (gdi_next(&names, &e))
		sum = text_sum(sum, gdi_text(&e, US_name));
	return sum;
}

static void told_configuration(struct told_sharer *t)
{
	uint64_t numbers = (uint64_t)gdi_u32(t->element, field(t, UU_oticket, PR_oticket)) << 32 | gdi_u32(t->element, field(t, UU_fshare, PR_fshare));
	uint64_t sum = numbers * 0x9e3779b97f4a7c15u;

	if (t->kind == SHARER_USER) {
		uint32_t until = gdi_u32(t->element, UU_delete_time);
		const char *project = gdi_text(t->element, UU_default_project);

		t->plain = numbers == 0 && until == 0 && (!*project || strcmp(project, "NONE") == 0);
		t->configuration = text_sum(sum + until, project);
	} else {
		t->plain = numbers == 0 && gdi_list(t->element, PR_acl).left == 0 && gdi_list(t->element, PR_xacl).left == 0;
		t->configuration = names_sum(text_sum(names_sum(sum, gdi_list(t->element, PR_acl)), ""), gdi_list(t->element, PR_xacl));
	}
}

static void told_free(struct told_sharer *t)
{
	free(t->values);
	free(t->debited);
	free(t->projects);
}

/* 0; 1: it has no name that can be used. -ENOMEM. told_free() in any case. */
static int told_take(struct told_sharer *t)
{
	struct gdi_list projects = gdi_list(t->element, field(t, UU_project, PR_project));
	struct gdi_list debited = gdi_list(t->element, field(t, UU_debited_job_usage, PR_debited_job_usage));
	struct usage_value *room;
	struct gdi_element e;

	t->name = t->usage.name = gdi_text(t->element, field(t, UU_name, PR_name));
	t->values = malloc((told_count(t) + 1) * sizeof(*t->values));
	t->projects = malloc((projects.left + 1) * sizeof(*t->projects));
	t->debited = malloc((debited.left + 1) * sizeof(*t->debited));
	if (!t->values || !t->projects || !t->debited)
		return -ENOMEM;
	room = t->values;
	t->usage.time_stamp = gdi_u32(t->element, field(t, UU_usage_time_stamp, PR_usage_time_stamp));
	t->usage.usage = values_take(gdi_list(t->element, field(t, UU_usage, PR_usage)), &room);
	t->usage.long_term = values_take(gdi_list(t->element, field(t, UU_long_term_usage, PR_long_term_usage)), &room);
	while (t->kind == SHARER_USER && gdi_next(&projects, &e))
		if (name_is_good(gdi_text(&e, UPP_name)))
			t->projects[t->usage.nprojects++] = (struct project_usage){ gdi_text(&e, UPP_name), values_take(gdi_list(&e, UPP_usage), &room),
										    values_take(gdi_list(&e, UPP_long_term_usage), &room) };
	while (gdi_next(&debited, &e))
		t->debited[t->usage.ndebited++] = (struct debited_usage){ gdi_u32(&e, UPU_job_number),
									  values_take(gdi_list(&e, UPU_old_usage_list), &room) };
	t->usage.projects = t->projects;
	t->usage.debited = t->debited;
	t->empty = t->usage.usage.n == 0 && t->usage.nprojects == 0;
	told_configuration(t);
	return name_is_good(t->name) ? 0 : 1;
}

/* What it means */

/* What the qmaster has booked of jobs is what this list says, and no more. */
static int note_debited(struct sge *g, const struct told_sharer *t, uint32_t object)
{
	struct usage_book *b = usage_book(g);
	struct mirror *m = usage_mirror(g);
	struct usage usage = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->usage.ndebited; i++) {
		uint32_t job = usage_job_get(b, t->usage.debited[i].job_number);

		rc = job == NONE ? -ENOMEM : usage_from(&usage, &m->usage_names, m->strings, &t->usage.debited[i].usage);
		if (rc == 0) {
			struct usage_job *j = &b->jobs[job];

			/* an entry that is empty is an entry */
			j->there = t->usage.debited[i].usage.n > 0 ? usage_hash(&usage) | (usage_hash(&usage) == 0) : 1;
			j->update = b->updates + mirror_in_snapshot(m);
			if (j->object == NONE) {
				j->kind = t->kind;
				j->object = object;
			}
		}
	}
	usage_free(&usage);
	return rc;
}

static uint32_t object_find(struct sge *g, const struct told_sharer *t)
{
	const struct mirror *m = usage_mirror(g);
	uint32_t string = strings_find(m->strings, t->name);

	return string == NONE ? NONE : objects_find(&m->objects[t->kind], string);
}

static bool has_used(const struct object *o)
{
	return o->usage.n > 0 || o->nprojects > 0;
}

/* Emptied on purpose. An administrator who changes a user says something of him. */
static bool is_cleared(const struct told_sharer *t, const struct usage_given *given)
{
	return t->plain || !given->configured || given->configuration == t->configuration;
}

static int take_it(struct sge *g, const struct told_sharer *t, struct error *error)
{
	struct event event;

	event_init(&event, t->kind == SHARER_USER ? EVENT_USER_USAGE : EVENT_PROJECT_USAGE);
	event.object = t->usage;
	return intake_event(g->intake, &event, error);
}

static int clear_it(struct sge *g, const struct told_sharer *t, struct usage_given *given)
{
	log_line(LOG_NOTE, "usage of %s %s was cleared", t->kind == SHARER_USER ? "user" : "project", t->name);
	given->changed = true;		/* what is debited of jobs may be ahead of what it has */
	return mirror_usage_forget(usage_mirror(g), t->kind == SHARER_USER, t->name, false);
}

static void give_it_back(struct sge *g, const struct told_sharer *t, struct usage_given *given)
{
	log_line(LOG_DETAIL, "%s %s has lost usage at the qmaster: it is given back", t->kind == SHARER_USER ? "user" : "project", t->name);
	given->changed = true;
	usage_book(g)->look = true;
}

/*
 * In a total update, or of a user that is new. What is missing is given back, as nobody knows how
 * it was lost: it is rather a crash than `qconf -clearusage` at this very moment.
 */
static int compare(struct sge *g, const struct told_sharer *t, uint32_t object, struct usage_given *given, struct error *error)
{
	const struct mirror *m = usage_mirror(g);
	const struct object *o = &m->objects[t->kind].items[object];
	bool has = has_used(o) || o->long_term.n > 0;
	int rc;

	if (given->request && t->usage.time_stamp >= given->stamp)
		usage_given_confirm(usage_book(g), given);
	rc = note_debited(g, t, object);
	if (rc != 0)
		return error_set(error, rc, "out of memory");
	if (!has || usage_is_ahead(m, &t->usage, o)) {
		given->stamp = t->usage.time_stamp;
		given->changed = false;
		return take_it(g, t, error);
	}
	if (usage_is_behind(m, &t->usage, o))
		give_it_back(g, t, given);
	return 0;
}

/* While the place is ours. */
static int follow(struct sge *g, const struct told_sharer *t, struct usage_given *given, uint32_t version, struct error *error)
{
	const struct object *o = &usage_mirror(g)->objects[t->kind].items[object_find(g, t)];

	if (given->request && version == given->version + 1 && t->usage.time_stamp == given->stamp) {
		usage_given_confirm(usage_book(g), given);
		return 0;
	}
	if (given->request)		/* the version that it names is no more */
		usage_given_failed(usage_book(g), given);
	if (t->usage.time_stamp > given->stamp) {
		given->stamp = t->usage.time_stamp;
		given->changed = false;
		return take_it(g, t, error);
	}
	if (!t->empty || !has_used(o))
		return 0;
	if (!is_cleared(t, given))
		give_it_back(g, t, given);
	else if (clear_it(g, t, given))
		return error_set(error, -ENOMEM, "out of memory");
	return 0;
}

static int told_apply(struct sge *g, const struct told_sharer *t, bool changed, struct error *error)
{
	uint32_t object = objects_add(&usage_mirror(g)->objects[t->kind], usage_mirror(g)->strings, t->name);
	uint32_t version = gdi_u32(t->element, field(t, UU_version, PR_version));
	struct usage_given *given = object == UINT32_MAX ? NULL : usage_given_of(g, t->kind, object);
	int rc;

	if (!given)
		return error_set(error, -ENOMEM, "out of memory");
	if (!changed) {
		rc = compare(g, t, object, given, error);
	} else if (place_is_ours(g)) {
		rc = follow(g, t, given, version, error);
	} else {
		given->stamp = t->usage.time_stamp;
		given->changed = false;
		rc = note_debited(g, t, object) ? error_set(error, -ENOMEM, "out of memory") : take_it(g, t, error);
	}
	given->configured = true;
	given->configuration = t->configuration;
	return rc;
}

int usage_told(struct sge *g, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	struct told_sharer t = { .kind = user ? SHARER_USER : SHARER_PROJECT, .element = element };
	int rc = told_take(&t);

	if (rc == -ENOMEM)
		error_set(error, rc, "out of memory");
	else if (rc == 0)
		rc = told_apply(g, &t, type == GDI_EV_USER_MOD || type == GDI_EV_PROJECT_MOD, error);
	told_free(&t);
	return rc > 0 ? 0 : rc;
}

void usage_gone(struct sge *g, enum gdi_event type, const char *name)
{
	const struct told_sharer t = { .kind = type == GDI_EV_USER_DEL ? SHARER_USER : SHARER_PROJECT, .name = name };
	uint32_t object = object_find(g, &t);
	struct usage_given *given = object == NONE ? NULL : usage_given_of(g, t.kind, object);

	if (!given)
		return;
	if (mirror_usage_forget(usage_mirror(g), t.kind == SHARER_USER, name, true))
		log_line(LOG_FAILURE, "no memory to forget the usage of %s", name);
	given->configured = given->changed = false;
	given->stamp = 0;
	usage_given_settle(usage_book(g), given);
	given->confirmed = ++given->sent;
	usage_book(g)->look = true;
}
