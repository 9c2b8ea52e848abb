/* SPDX-License-Identifier: Apache-2.0 */
/* Count the slots for which each clause of a job's Requirements is not true: algorithm userprio. */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/classad/classad.h"
#include "conf/base/utf8.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

#define CLAUSES_MOST 64u
/* most kinds of slots that are checked; takes a tenth of a second */
#define KINDS_MOST 8192u
#define BYTES_MOST (16u << 20)		/* most bytes of their ads */

struct slot_kind {
	uint32_t ad, slots;		/* string id of the ad; number of slots with it */
};

struct clause_count {
	struct classad *job;
	struct classad_expression *expressions[CLAUSES_MOST];
	struct classad_clause parts[CLAUSES_MOST];
	size_t n;			/* may be more than CLAUSES_MOST */
	uint32_t refused[CLAUSES_MOST], slots;
	struct slot_kind *kinds;
	size_t nkinds;
	struct classad_room room;
};

static int ids_order(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Group the reported slots by their ads. */
static int kinds_find(struct clause_count *count, const struct fl_view *view)
{
	uint64_t all;
	const uint8_t *records = view_state_part(&view->view, STATE_INSTANCES, sizeof(struct instance_record), &all);
	uint32_t *ids = all > 0 ? reallocarray(NULL, all, sizeof(*ids)) : NULL;
	size_t n = 0;

	if (all > 0 && !ids)
		return -ENOMEM;
	for (uint64_t i = 0; i < all; i++) {
		struct instance_record record;

		view_copy(&record, records + i * sizeof(record), sizeof(record));
		if (record.ad != NONE)
			ids[n++] = record.ad;
	}
	count->kinds = n > 0 ? reallocarray(NULL, n, sizeof(*count->kinds)) : NULL;
	if (n > 0)
		qsort(ids, n, sizeof(*ids), ids_order);
	for (size_t i = 0; count->kinds && i < n; i++) {
		if (i > 0 && ids[i] == ids[i - 1])
			count->kinds[count->nkinds - 1].slots++;
		else
			count->kinds[count->nkinds++] = (struct slot_kind){ ids[i], 1 };
	}
	free(ids);
	return n == 0 ? -ENOENT : count->kinds ? 0 : -ENOMEM;
}

static int set_text(struct classad *ad, const char *name, const char *text)
{
	return classad_set_value(
		ad, name, &(struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) });
}

/* Set attributes that the job has not set, to the values of the policy if these are shown. */
static int defaults_set(struct clause_count *count, const struct fl_job *job)
{
	struct classad_value slots = { .type = CLASSAD_INT, .integer = job->slots };
	int rc = 0;

	if (!classad_find(count->job, "Owner"))
		rc = set_text(count->job, "Owner", job->owner);
	if (!rc && !classad_find(count->job, "RequestCpus"))
		rc = classad_set_value(count->job, "RequestCpus", &slots);
	return rc;
}

/* Parse a copy of the ad, because shared memory may change. */
static int ad_read(struct classad **ad, const struct fl_view *view, uint32_t id, size_t *bytes)
{
	char *text = strndup(view_string(&view->view, id), BYTES_MOST);
	int rc = text ? classad_read(ad, text, NULL) : -ENOMEM;

	*bytes += text ? strlen(text) : 0;
	free(text);
	return rc;
}

/* Read the ad of the job and the clauses of its Requirements. */
static int job_read(struct clause_count *count, const struct fl_view *view, uint32_t row, const struct fl_job *job)
{
	const struct job_facts *facts = records_facts(&view->view, row);
	const struct classad_expression *requirements;
	struct request_state state;
	uint64_t all;
	const uint8_t *records = view_state_part(&view->view, STATE_REQUESTS, sizeof(state), &all);
	size_t bytes = 0;
	uint32_t category = facts ? LOAD_ONCE(facts->category[row % CHUNK_ROWS]) : NONE;
	int rc;

	if (category >= all)
		return -ENOENT;
	view_copy(&state, records + category * sizeof(state), sizeof(state));
	rc = state.ad == NONE ? -ENOENT : ad_read(&count->job, view, state.ad, &bytes);
	requirements = rc ? NULL : classad_find(count->job, "Requirements");
	if (rc || !requirements || !classad_expression_text(requirements))
		return rc == -ENOMEM ? rc : -ENOENT;
	count->n = classad_clauses(classad_expression_text(requirements), count->parts, CLAUSES_MOST);
	return defaults_set(count, job);
}

static int expressions_read(struct clause_count *count)
{
	int rc = 0;

	for (size_t i = 0; i < count->n && i < CLAUSES_MOST && !rc; i++) {
		char *text = strndup(count->parts[i].text, count->parts[i].bytes);

		rc = text ? classad_parse(&count->expressions[i], text, NULL) : -ENOMEM;
		free(text);
	}
	return rc;
}

static void slots_check(struct clause_count *count, const struct slot_kind *kind, const struct classad *slot)
{
	for (size_t i = 0; i < count->n && i < CLAUSES_MOST; i++) {
		struct classad_value value;

		classad_evaluate(count->expressions[i], &(struct classad_pair){ count->job, slot }, &count->room,
				 &value);
		count->refused[i] += classad_is_true(&value) ? 0 : kind->slots;
		classad_room_reset(&count->room);
	}
	count->slots += kind->slots;
}

static int kinds_check(struct clause_count *count, const struct fl_view *view)
{
	size_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < count->nkinds && i < KINDS_MOST && bytes < BYTES_MOST && rc != -ENOMEM; i++) {
		struct classad *slot = NULL;

		rc = ad_read(&slot, view, count->kinds[i].ad, &bytes);
		if (!rc)
			slots_check(count, &count->kinds[i], slot);
		classad_free(slot);
	}
	return rc == -ENOMEM ? rc : 0;
}

static void clauses_write(const struct clause_count *count, struct fl_clause *clauses, size_t most)
{
	for (size_t i = 0; i < count->n && i < most && i < CLAUSES_MOST; i++) {
		size_t n = count->parts[i].bytes < sizeof(clauses->text) - 1 ? count->parts[i].bytes
									     : sizeof(clauses->text) - 1;

		memcpy(clauses[i].text, count->parts[i].text, n);
		clauses[i].text[n] = '\0';
		utf8_clean(clauses[i].text);
		clauses[i].refused = count->refused[i];
		clauses[i].slots = count->slots;
	}
}

int fl_clauses(const struct fl_view *view, uint32_t job_number, struct fl_clause *clauses, size_t most)
{
	struct clause_count count = { .room = { .now = 0 } };
	struct fl_run run;
	struct fl_job job;
	uint32_t row = row_find(view, job_number);
	int rc = row == NONE || fl_find(view, job_number, 0, &job) ? -ENOENT : 0;

	fl_run(view, &run);
	count.room.now = run.now;
	if (!rc)
		rc = job_read(&count, view, row, &job);
	if (!rc)
		rc = expressions_read(&count);
	if (!rc)
		rc = kinds_find(&count, view);
	if (!rc)
		rc = kinds_check(&count, view);
	if (!rc)
		clauses_write(&count, clauses, most < CLAUSES_MOST ? most : CLAUSES_MOST);
	for (size_t i = 0; i < CLAUSES_MOST; i++)
		classad_expression_free(count.expressions[i]);
	classad_free(count.job);
	classad_room_free(&count.room);
	free(count.kinds);
	return rc ? rc : (int)(count.n < CLAUSES_MOST ? count.n : CLAUSES_MOST);
}
