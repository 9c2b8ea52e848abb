/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/advances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/search.h"
#include "sched/mirror/queries.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"
#include "sched/qmaster/members/event.h"

#define TEXT_BYTES (1u << 30)	/* longest text of a column */
#define JOBS_A_TURN 200			/* jobs of all reservations that are over */
#define LOOK_NS (SECOND_NS / 5) /* interval of checking whether their last jobs have ended */

/* Memory */

void local_advance_free(struct local_advance *advance)
{
	free(advance->owner);
	values_destroy(&advance->memory);
	taking_clear(&advance->taking);
	*advance = (struct local_advance){ 0 };
}

void local_advances_free(struct local_advances *advances)
{
	for (size_t i = 0; i < advances->n; i++)
		local_advance_free(&advances->items[i]);
	free(advances->items);
	*advances = (struct local_advances){ 0 };
}

struct local_advance *local_advance_find(const struct local *local, uint32_t number)
{
	const struct local_advances *advances = &local->advances;
	size_t at;

	lower_bound(at, advances->n, advances->items[at].number < number);
	return at < advances->n && advances->items[at].number == number ? &advances->items[at] : NULL;
}

/* Insert a reservation in the order of numbers. NULL: memory is exhausted. */
static struct local_advance *insert(struct local_advances *advances, const struct local_advance *new)
{
	size_t at;

	if (!array_add(&advances->items, &advances->n, sizeof(*advances->items)))
		return NULL;
	lower_bound(at, advances->n - 1, advances->items[at].number < new->number);
	memmove(&advances->items[at + 1], &advances->items[at], (advances->n - 1 - at) * sizeof(*advances->items));
	advances->items[at] = *new;
	return &advances->items[at];
}

static void forget(struct local_advances *advances, struct local_advance *gone)
{
	size_t at = (size_t)(gone - advances->items);

	local_advance_free(gone);
	memmove(&advances->items[at], &advances->items[at + 1], (--advances->n - at) * sizeof(*advances->items));
}

/* Members */

static struct member_base base_of(const struct local_advance *advance)
{
	return (struct member_base){ (void *)&advance->asked, offsetof(struct event, advance) };
}

static const struct event_member *form_of(const char *name)
{
	return event_member(event_form_of(EVENT_ADVANCE_RESERVATION), name);
}

int local_advance_set(struct local_advance *advance, const struct value *value)
{
	int rc = member_list_take(&advance->members, &advance->taking, base_of(advance), form_of(value->name), value);

	if (rc == -EINVAL && !*advance->fault.text)
		error_set(&advance->fault, rc, "%s: %s", value->name, advance->taking.error.text);
	return rc == -ENOMEM ? rc : 0;
}

int local_advance_set_text(struct local_advance *advance, const char *name, const char *text)
{
	struct value *value = taking_array(&advance->taking, 1, sizeof(*value));
	char *copy = taking_array(&advance->taking, strlen(text) + 1, 1);

	if (!value || !copy)
		return -ENOMEM;
	*value = (struct value){ .name = form_of(name)->name, .type = VALUE_STRING, .text = strcpy(copy, text),
				 .n = (uint32_t)strlen(text), .span = 1 };
	return local_advance_set(advance, value);
}

int local_advance_grant(struct local_advance *advance, const struct granted *items, size_t n, const char *pe)
{
	const struct event_member *form = form_of("granted");
	struct granted *copies = taking_array(&advance->taking, n, sizeof(*copies));

	for (size_t i = 0; copies && i < n; i++) {
		char *queue = taking_array(&advance->taking, strlen(items[i].queue) + 1, 1);

		if (!queue)
			return -ENOMEM;
		copies[i] = items[i];
		copies[i].queue = strcpy(queue, items[i].queue);
	}
	advance->asked.granted = (struct grants){ copies, n };
	if (!copies || member_list_put(&advance->members, &advance->taking,
				       (struct listed_member){ form, form->name, NULL }))
		return -ENOMEM;
	return pe ? local_advance_set_text(advance, "granted_pe", pe) : 0;
}

char *local_advance_text(const struct local_advance *advance)
{
	struct out out;

	if (out_open_memory(&out, TEXT_BYTES))
		return NULL;
	json_write_literal(&out, "{");
	member_list_write(&out, &advance->members, base_of(advance), NULL);
	json_write_literal(&out, "}");
	return out_detach(&out);
}

/* Store and scheduler */

static int save(struct local *local, const struct local_advance *advance, struct error *error)
{
	char *text = local_advance_text(advance);
	const struct stored_advance stored = { .number = advance->number,
					       .owner = advance->owner,
					       .uid = advance->uid,
					       .submission_time = advance->submission_time,
					       .start_time = advance->start_time,
					       .end_time = advance->end_time,
					       .deleted = advance->deleted,
					       .reservation = text };
	int rc = text ? store_advance_put(local->store, &stored, error) : error_set(error, -ENOMEM, "out of memory");

	free(text);
	return rc;
}

/* Report the state at the current date. */
static int say(struct local *local, struct local_advance *advance, struct error *error)
{
	bool begun = clock_date() >= advance->start_time;
	struct advance_event event = advance->asked;
	int rc = 0;

	event.number = advance->number;
	event.owner = advance->owner;
	event.submission_time = advance->submission_time;
	event.start_time = advance->start_time;
	event.end_time = advance->end_time;
	event.state = advance->deleted ? "d" : begun ? "r" : "w";
	if (*advance->fault.text)
		rc = error_set(error, -EINVAL, "advance_reservation: %.230s", advance->fault.text);
	else if (event.granted.n == 0)
		rc = error_set(error, -EINVAL, "advance_reservation: granted: missing");
	else
		rc = report_advance(local, &event, error);
	advance->begun = begun;
	return rc;
}

/* Read the members of a row. Returns false if it is damaged. */
static int members_read(struct local_advance *advance, struct values *values, const char *text)
{
	struct error why;
	const struct value *object = values_read(values, text, strlen(text), &why) ? values->items : NULL;
	int rc = object ? 0 : -EUCLEAN;

	if (object && (object = values_copy(values, &advance->memory)) == NULL)
		return -ENOMEM;
	if (object)
		value_each(member, object)
			rc = rc ? rc : local_advance_set(advance, member);
	return rc;
}

static int read_one(void *local, const struct stored_advance *stored)
{
	struct local *l = local;
	struct local_advance advance = { .number = stored->number,
					 .uid = stored->uid,
					 .submission_time = stored->submission_time,
					 .start_time = stored->start_time,
					 .end_time = stored->end_time,
					 .deleted = stored->deleted,
					 .owner = strdup(stored->owner) };
	int rc = members_read(&advance, &l->values, stored->reservation);

	if (rc == -EUCLEAN) {
		log_line(LOG_FAILURE, "advance reservation %u of the store is damaged and ignored", stored->number);
		local_advance_free(&advance);
		return 0;
	}
	if (rc == 0 && advance.owner && insert(&l->advances, &advance))
		return 0;
	local_advance_free(&advance);
	return -ENOMEM;
}

int report_advances(struct local *local, struct error *error)
{
	int rc;

	local_advances_free(&local->advances);
	rc = store_advances_each(local->store, read_one, local, error);
	for (size_t i = 0; rc == 0 && i < local->advances.n; i++) {
		rc = say(local, &local->advances.items[i], error);
		if (rc != -EINVAL)
			continue;
		log_line(LOG_FAILURE, "advance reservation %u of the store cannot be reported to the scheduler: %s",
			 local->advances.items[i].number, error->text);
		rc = 0;
	}
	return rc;
}

int local_advance_add(struct local *local, struct local_advance *advance, struct error *error)
{
	struct local_advance *added = insert(&local->advances, advance);
	int rc = added ? say(local, added, error) : error_set(error, -ENOMEM, "out of memory");

	if (!added)
		local_advance_free(advance);
	if (rc == 0)
		rc = save(local, added, error);
	if (rc)
		local_fail(local, error);
	local_changed(local);
	return rc;
}

int local_advance_delete(struct local *local, struct local_advance *advance, struct error *error)
{
	int rc;

	advance->deleted = true;
	local->advances.look_ns = 0;
	rc = save(local, advance, error);
	if (rc == 0)
		rc = say(local, advance, error);
	if (rc)
		local_fail(local, error);
	local_changed(local);
	return rc;
}

/* Jobs */

/* Walk over the jobs of a reservation like mirror_next_job(). */
static uint32_t job_next(const struct local *local, uint32_t number, size_t *place)
{
	const struct mirror *mirror = local->intake->mirror;
	uint32_t row;

	do
		row = mirror_next_job(mirror, place);
	while (row != INDEX_NONE && mirror_row_request(mirror, row)->ar != number);
	return row;
}

bool local_advance_runs(const struct local *local, const struct local_advance *advance)
{
	size_t place = 0;
	uint32_t row;

	while ((row = job_next(local, advance->number, &place)) != INDEX_NONE)
		if (mirror_first_task(local->intake->mirror, row))
			return true;
	return false;
}

/*
 * End jobs of a reservation that is over, as many as this turn permits. *n counts the jobs of all
 * reservations.
 */
static int jobs_end(struct local *local, const struct local_advance *advance, size_t *n, struct error *error)
{
	uint32_t numbers[JOBS_A_TURN], row;
	size_t found = 0, place = 0;
	int rc = 0;

	while (*n + found < JOBS_A_TURN && (row = job_next(local, advance->number, &place)) != INDEX_NONE)
		numbers[found++] = mirror_row_number(local->intake->mirror, row);
	for (size_t i = 0; i < found && rc == 0; i++)
		rc = delete_job_whole(local, numbers[i], error);
	*n += found;
	return rc;
}

/* Return whether a job still requests the reservation. */
static bool has_jobs(const struct local *local, const struct local_advance *advance)
{
	return job_next(local, advance->number, &(size_t){ 0 }) != INDEX_NONE;
}

/* Time */

static int end_go_on(struct local *local, struct local_advance *advance, size_t *jobs, bool *gone, struct error *error)
{
	int rc = jobs_end(local, advance, jobs, error);

	*gone = rc == 0 && !has_jobs(local, advance);
	if (!*gone)
		return rc;
	local_changed(local);
	rc = report_advance_end(local, advance->number, error);
	return rc && rc != -EINVAL ? rc : store_advance_remove(local->store, advance->number, error);
}

/*
 * Continue to end deleted reservations. Each needs a scan of all jobs, so this is not done in each
 * turn.
 */
static void ends_go_on(struct local *local)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct error error = { "" };
	size_t jobs = 0;

	if (now_ns < local->advances.look_ns)
		return;
	for (size_t i = 0; i < local->advances.n; ) {
		struct local_advance *advance = &local->advances.items[i];
		bool gone = false;

		if (advance->deleted && end_go_on(local, advance, &jobs, &gone, &error)) {
			local_fail(local, &error);
			return;
		}
		if (gone)
			forget(&local->advances, advance);
		else
			i++;
	}
	local->advances.look_ns = clock_monotonic_ns() + LOOK_NS;
}

void advances_due(struct local *local)
{
	int64_t date = local->advances.n > 0 ? clock_date() : 0;
	struct error error = { "" };

	for (size_t i = 0; i < local->advances.n; i++) {
		struct local_advance *advance = &local->advances.items[i];

		if (advance->deleted)
			continue;
		if (date >= advance->end_time)
			local_advance_delete(local, advance, &error);
		else if (!advance->begun && date >= advance->start_time && say(local, advance, &error))
			local_fail(local, &error);
	}
	if (local->advances.n > 0)
		ends_go_on(local);
}

uint64_t advances_due_ns(const struct local *local)
{
	uint64_t due = NEVER_NS;

	for (size_t i = 0; i < local->advances.n; i++) {
		const struct local_advance *advance = &local->advances.items[i];
		uint64_t at = advance->deleted
				      ? local->advances.look_ns
				      : clock_at_date_ns(advance->begun ? advance->end_time : advance->start_time);

		due = at < due ? at : due;
	}
	return due;
}
