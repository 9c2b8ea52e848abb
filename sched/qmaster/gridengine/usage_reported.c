/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage reported by the qmaster. While we are its scheduler, a report is one of these:
 *
 *     our own order      which has taken effect: the version is the next one, the time stamp is ours
 *     emptied            8.1.9 drops a user's usage when any attribute is changed: it is sent again.
 *                        `qconf -clearusage` is obeyed: it changes no other attribute or, for a named
 *                        user, resets the shares and all other attributes
 *     older than ours    in a total update after a crash of the qmaster: it is sent again
 *     newer than ours    from another scheduler: taken
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "tickets/tickets.h"

#define NAME_BYTES 512			/* limit of names in events */

struct reported_sharer {				/* a UU or PR element */
	uint32_t kind;
	const struct gdi_element *element;
	const char *name;
	struct object_usage usage;
	struct usage_value *values;
	struct debited_usage *debited;
	struct project_usage *projects;
	uint64_t configuration;		/* checksum of its configuration */
	bool plain;			/* the configuration is empty */
	bool empty;			/* no usage */
};

/* The element */

static uint32_t field(const struct reported_sharer *sharer, uint32_t user, uint32_t project)
{
	return sharer->kind == SHARER_USER ? user : project;
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

static size_t reported_count(const struct reported_sharer *sharer)
{
	struct gdi_list projects = gdi_list(sharer->element, field(sharer, UU_project, PR_project));
	struct gdi_list debited = gdi_list(sharer->element, field(sharer, UU_debited_job_usage, PR_debited_job_usage));
	size_t n = values_count(gdi_list(sharer->element, field(sharer, UU_usage, PR_usage))) +
		   values_count(gdi_list(sharer->element, field(sharer, UU_long_term_usage, PR_long_term_usage)));
	struct gdi_element element;

	while (gdi_next(&projects, &element))
		n += values_count(gdi_list(&element, UPP_usage)) +
		     values_count(gdi_list(&element, UPP_long_term_usage));
	while (gdi_next(&debited, &element))
		n += values_count(gdi_list(&element, UPU_old_usage_list));
	return n;
}

static struct usage_values values_take(struct gdi_list list, struct usage_value **room)
{
	struct usage_values values = { *room, 0 };
	struct gdi_element element;

	while (gdi_next(&list, &element)) {
		const char *name = gdi_text(&element, UA_name);

		if (!name_is_good(name))
			continue;
		*(*room)++ =
			(struct usage_value){ name, fmin(fmax(gdi_double(&element, UA_value), 0.0), TICKETS_LIMIT) };
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
	struct gdi_element element;

	while (gdi_next(&names, &element))
		sum = text_sum(sum, gdi_text(&element, US_name));
	return sum;
}

static void reported_configuration(struct reported_sharer *sharer)
{
	uint64_t numbers = (uint64_t)gdi_u32(sharer->element, field(sharer, UU_oticket, PR_oticket)) << 32 |
			   gdi_u32(sharer->element, field(sharer, UU_fshare, PR_fshare));
	uint64_t sum = numbers * 0x9e3779b97f4a7c15u;

	if (sharer->kind == SHARER_USER) {
		uint32_t until = gdi_u32(sharer->element, UU_delete_time);
		const char *project = gdi_text(sharer->element, UU_default_project);

		sharer->plain = numbers == 0 && until == 0 && (!*project || strcmp(project, "NONE") == 0);
		sharer->configuration = text_sum(sum + until, project);
	} else {
		sharer->plain = numbers == 0 && gdi_list(sharer->element, PR_acl).left == 0 &&
				gdi_list(sharer->element, PR_xacl).left == 0;
		sharer->configuration = names_sum(text_sum(names_sum(sum, gdi_list(sharer->element, PR_acl)), ""),
						  gdi_list(sharer->element, PR_xacl));
	}
}

static void reported_free(struct reported_sharer *sharer)
{
	free(sharer->values);
	free(sharer->debited);
	free(sharer->projects);
}

/*
 * Read the element. Returns 0, or 1 if its name cannot be used. -ENOMEM. Call reported_free() in
 * each case.
 */
static int reported_take(struct reported_sharer *sharer)
{
	struct gdi_list projects = gdi_list(sharer->element, field(sharer, UU_project, PR_project));
	struct gdi_list debited = gdi_list(sharer->element, field(sharer, UU_debited_job_usage, PR_debited_job_usage));
	struct usage_value *room;
	struct gdi_element element;

	sharer->name = sharer->usage.name = gdi_text(sharer->element, field(sharer, UU_name, PR_name));
	sharer->values = malloc((reported_count(sharer) + 1) * sizeof(*sharer->values));
	sharer->projects = malloc((projects.left + 1) * sizeof(*sharer->projects));
	sharer->debited = malloc((debited.left + 1) * sizeof(*sharer->debited));
	if (!sharer->values || !sharer->projects || !sharer->debited)
		return -ENOMEM;
	room = sharer->values;
	sharer->usage.time_stamp = gdi_u32(sharer->element, field(sharer, UU_usage_time_stamp, PR_usage_time_stamp));
	sharer->usage.usage = values_take(gdi_list(sharer->element, field(sharer, UU_usage, PR_usage)), &room);
	sharer->usage.long_term =
		values_take(gdi_list(sharer->element, field(sharer, UU_long_term_usage, PR_long_term_usage)), &room);
	while (sharer->kind == SHARER_USER && gdi_next(&projects, &element))
		if (name_is_good(gdi_text(&element, UPP_name)))
			sharer->projects[sharer->usage.nprojects++] =
				(struct project_usage){ gdi_text(&element, UPP_name),
							values_take(gdi_list(&element, UPP_usage), &room),
							values_take(gdi_list(&element, UPP_long_term_usage), &room) };
	while (gdi_next(&debited, &element))
		sharer->debited[sharer->usage.ndebited++] =
			(struct debited_usage){ gdi_u32(&element, UPU_job_number),
						values_take(gdi_list(&element, UPU_old_usage_list), &room) };
	sharer->usage.projects = sharer->projects;
	sharer->usage.debited = sharer->debited;
	sharer->empty = sharer->usage.usage.n == 0 && sharer->usage.nprojects == 0;
	reported_configuration(sharer);
	return name_is_good(sharer->name) ? 0 : 1;
}

/* Interpretation */

/* Store the usage that the qmaster has booked for jobs. The list is complete. */
static int note_debited(struct sge *sge, const struct reported_sharer *sharer, uint32_t object)
{
	struct usage_book *book = usage_book(sge);
	struct mirror *mirror = usage_mirror(sge);
	struct usage usage = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sharer->usage.ndebited; i++) {
		uint32_t job = usage_job_get(book, sharer->usage.debited[i].job_number);

		rc = job == NONE ? -ENOMEM
				 : mirror_usage_from(mirror, &usage, &sharer->usage.debited[i].usage);
		if (rc == 0) {
			struct usage_job *usage_job = &book->jobs[job];

			/* an empty entry also counts */
			usage_job->there = sharer->usage.debited[i].usage.n > 0
						   ? usage_hash(&usage) | (usage_hash(&usage) == 0)
						   : 1;
			usage_job->update = book->updates + mirror_in_snapshot(mirror);
			if (usage_job->object == NONE) {
				usage_job->kind = sharer->kind;
				usage_job->object = object;
			}
		}
	}
	usage_free(&usage);
	return rc;
}

static uint32_t object_find(struct sge *sge, const struct reported_sharer *sharer)
{
	return mirror_find_object(usage_mirror(sge), sharer->kind, sharer->name);
}

static bool has_used(const struct object *object)
{
	return object->usage.n > 0 || object->nprojects > 0;
}

/*
 * Return whether usage was cleared on purpose. An administrator who changes a user also changes the
 * configuration.
 */
static bool is_cleared(const struct reported_sharer *sharer, const struct usage_given *given)
{
	return sharer->plain || !given->configured || given->configuration == sharer->configuration;
}

static int take_usage(struct sge *sge, uint32_t kind, const struct object_usage *usage, struct error *error)
{
	struct event event;

	event_init(&event, kind == SHARER_USER ? EVENT_USER_USAGE : EVENT_PROJECT_USAGE);
	event.object = *usage;
	return intake_event(sge->intake, &event, error);
}

static int take_it(struct sge *sge, const struct reported_sharer *sharer, struct error *error)
{
	return take_usage(sge, sharer->kind, &sharer->usage, error);
}

static int clear_it(struct sge *sge, const struct reported_sharer *sharer, struct usage_given *given)
{
	log_line(LOG_NOTE, "usage of %s %s was cleared", sharer->kind == SHARER_USER ? "user" : "project",
		 sharer->name);
	given->changed = true;		/* entries of jobs may be newer than the usage */
	return mirror_usage_forget(usage_mirror(sge), sharer->kind == SHARER_USER, sharer->name, false);
}

static void give_it_back(struct sge *sge, const struct reported_sharer *sharer, struct usage_given *given)
{
	log_line(LOG_DETAIL, "%s %s has lost usage at the qmaster: it is sent again",
		 sharer->kind == SHARER_USER ? "user" : "project", sharer->name);
	given->changed = true;
	usage_book(sge)->look = true;
}

/* Take the parts in which the qmaster is ahead, and send it the others. */
static int take_some(struct sge *sge, const struct reported_sharer *sharer, uint32_t object, struct usage_given *given,
		     struct error *error)
{
	struct merged_usage merged;
	int rc = usage_merge(sge, sharer->kind, &sharer->usage, object, &merged);

	if (rc) {
		error_set(error, rc, "out of memory");
	} else {
		given->stamp = sharer->usage.time_stamp;
		rc = take_usage(sge, sharer->kind, &merged.usage, error);
		give_it_back(sge, sharer, given);
	}
	usage_merge_free(&merged);
	return rc;
}

/*
 * Compare usage in a total update, or of a new user. Missing usage is sent again. The reason of its
 * loss is not known, but a crash is more likely than `qconf -clearusage` at this moment. If each
 * side is ahead in a part of the usage, both parts are kept (usage_merge.c).
 */
static int compare(struct sge *sge, const struct reported_sharer *sharer, uint32_t object, struct usage_given *given,
		   struct error *error)
{
	const struct mirror *mirror = usage_mirror(sge);
	const struct object *o = mirror_object(mirror, sharer->kind, object);
	bool has = has_used(o) || o->long_term.n > 0, behind;
	int rc;

	if (given->request && sharer->usage.time_stamp >= given->stamp)
		usage_given_confirm(usage_book(sge), given);
	rc = note_debited(sge, sharer, object);
	if (rc != 0)
		return error_set(error, rc, "out of memory");
	behind = has && usage_is_behind(mirror, &sharer->usage, o);
	if (behind && usage_is_ahead(mirror, &sharer->usage, o))
		return take_some(sge, sharer, object, given, error);
	if (!has || usage_is_ahead(mirror, &sharer->usage, o)) {
		given->stamp = sharer->usage.time_stamp;
		given->changed = false;
		return take_it(sge, sharer, error);
	}
	if (behind)
		give_it_back(sge, sharer, given);
	return 0;
}

/* Handle a report while we are the active scheduler. */
static int follow(struct sge *sge, const struct reported_sharer *sharer, struct usage_given *given, uint32_t version,
		  struct error *error)
{
	const struct object *object = mirror_object(usage_mirror(sge), sharer->kind, object_find(sge, sharer));

	if (given->request && version == given->version + 1 && sharer->usage.time_stamp == given->stamp) {
		usage_given_confirm(usage_book(sge), given);
		return 0;
	}
	if (given->request)		/* the version that it names no longer exists */
		usage_given_failed(usage_book(sge), given);
	if (sharer->usage.time_stamp > given->stamp) {
		given->stamp = sharer->usage.time_stamp;
		given->changed = false;
		return take_it(sge, sharer, error);
	}
	if (!sharer->empty || !has_used(object))
		return 0;
	if (!is_cleared(sharer, given))
		give_it_back(sge, sharer, given);
	else if (clear_it(sge, sharer, given))
		return error_set(error, -ENOMEM, "out of memory");
	return 0;
}

static int reported_apply(struct sge *sge, const struct reported_sharer *sharer, bool changed, struct error *error)
{
	uint32_t object = mirror_add_object(usage_mirror(sge), sharer->kind, sharer->name);
	uint32_t version = gdi_u32(sharer->element, field(sharer, UU_version, PR_version));
	struct usage_given *given = object == NONE ? NULL : usage_given_of(sge, sharer->kind, object);
	int rc;

	if (!given)
		return error_set(error, -ENOMEM, "out of memory");
	if (!changed) {
		rc = compare(sge, sharer, object, given, error);
	} else if (place_is_ours(sge)) {
		rc = follow(sge, sharer, given, version, error);
	} else {
		given->stamp = sharer->usage.time_stamp;
		given->changed = false;
		rc = note_debited(sge, sharer, object) ? error_set(error, -ENOMEM, "out of memory")
						       : take_it(sge, sharer, error);
	}
	given->configured = true;
	given->configuration = sharer->configuration;
	return rc;
}

int usage_reported(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	struct reported_sharer sharer = { .kind = user ? SHARER_USER : SHARER_PROJECT, .element = element };
	int rc = reported_take(&sharer);

	if (rc == -ENOMEM)
		error_set(error, rc, "out of memory");
	else if (rc == 0)
		rc = reported_apply(sge, &sharer, type == GDI_EV_USER_MOD || type == GDI_EV_PROJECT_MOD, error);
	reported_free(&sharer);
	return rc > 0 ? 0 : rc;
}

void usage_gone(struct sge *sge, enum gdi_event type, const char *name)
{
	const struct reported_sharer sharer = { .kind = type == GDI_EV_USER_DEL ? SHARER_USER : SHARER_PROJECT,
					    .name = name };
	uint32_t object = object_find(sge, &sharer);
	struct usage_given *given = object == NONE ? NULL : usage_given_of(sge, sharer.kind, object);

	if (!given)
		return;
	if (mirror_usage_forget(usage_mirror(sge), sharer.kind == SHARER_USER, name, true))
		log_line(LOG_FAILURE, "out of memory: the usage of %s is not forgotten", name);
	given->configured = given->changed = false;
	given->stamp = 0;
	usage_given_settle(usage_book(sge), given);
	given->confirmed = ++given->sent;
	usage_book(sge)->look = true;
}
