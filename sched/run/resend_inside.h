/* SPDX-License-Identifier: Apache-2.0 */
/* Internal interface of the files of resend.h. */
#ifndef SCHED_RUN_RESEND_INSIDE_H
#define SCHED_RUN_RESEND_INSIDE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/records_state.h"
#include "sched/run/resend.h"

/*
 * Numbers of records copied so far. Each record belongs to one job, task or object. Without this
 * limit, a few records that many objects refer to could keep the replay busy without end.
 */
struct copied_records { uint64_t parts[STATE_PARTS], ranges, tasks, ordered; };

struct state_replay {
	const struct view *view;
	const struct resend_calls *calls;
	struct state_head head;			/* checked and copied */
	uint64_t ntasks;
	/*
	 * indices in the task table and in the tasks' states: in the order of their starts; by job
	 * row
	 */
	uint32_t *started;
	/* numbers of jobs that are replayed before the others, ascending */
	uint32_t *numbers;
	size_t nnumbers;
	struct copied_records *copied;
	struct resend_models *models;		/* NULL: each job is replayed in full */
};

/* Scratch memory for one event. Shared memory may change, so an event points to copies in here. */
struct scratch {
	struct scratch_block { struct scratch_block *next; max_align_t memory[]; } *blocks;
};

static inline void *scratch_alloc(struct scratch *scratch, size_t n, size_t bytes)
{
	struct scratch_block *block = n > SIZE_MAX / 2 / (bytes + 1) ? NULL : calloc(1, sizeof(*block) + n * bytes + 1);

	if (!block)
		return NULL;
	block->next = scratch->blocks;
	scratch->blocks = block;
	return block->memory;
}

static inline void scratch_clear(struct scratch *scratch)
{
	while (scratch->blocks) {
		struct scratch_block *next = scratch->blocks->next;

		free(scratch->blocks);
		scratch->blocks = next;
	}
}

static inline int resend_send(const struct state_replay *replay, const struct event *event)
{
	return replay->calls->event(replay->calls->context, event);
}

/* Copy one record. false: there is no record of this index. */
static inline bool resend_part(const struct state_replay *replay, enum state_part part, uint64_t index, void *to,
			       size_t bytes)
{
	uint64_t n;
	const uint8_t *records = view_state_part(replay->view, part, bytes, &n);

	if (index >= n)
		return false;
	view_copy(to, records + index * bytes, bytes);
	return true;
}
#define PART_COPY(t, part, index, to) resend_part(t, part, index, to, sizeof(*(to)))

/* Return whether `n` more records may be copied, where `all` records exist, and count them. */
static inline bool resend_more(uint64_t *copied, uint64_t n, uint64_t all)
{
	bool fits = *copied <= all && n <= all - *copied;

	*copied += fits ? n : 0;
	return fits;
}

/*
 * Copy the records of a slice. *n is 0 if records of the slice were copied too often. NULL: no
 * memory.
 */
static inline void *resend_slice(const struct state_replay *replay, struct scratch *scratch, enum state_part part,
				 size_t bytes, struct state_slice slice, size_t *n)
{
	const void *records = view_state_slice(replay->view, part, bytes, slice, n);
	uint64_t all;
	void *copy;

	view_state_part(replay->view, part, bytes, &all);
	*n = resend_more(&replay->copied->parts[part], *n, all) ? *n : 0;
	copy = scratch_alloc(scratch, *n, bytes);
	if (copy)
		view_copy(copy, records, *n * bytes);
	return copy;
}

static inline bool resend_table(const struct view *view, enum table_id id, uint64_t index, void *to, size_t bytes)
{
	const void *record = view_record(view, id, bytes, index);

	if (record)
		view_copy(to, record, bytes);
	return record;
}

static inline const char *resend_text(const struct state_replay *replay, uint32_t id)
{
	return id == NONE ? NULL : view_string(replay->view, id);
}

/* Return whether this run started the task. It is then replayed as pending. */
static inline bool resend_is_of_this_run(const struct state_replay *replay, const struct task_state *state)
{
	return state->order > replay->head.last_order;
}

/* Replay one part each; `record` is a copy (resend_tables.c). */
int resend_object(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_debited(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_association(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_host(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_instance(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_pe(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_advance(const struct state_replay *replay, struct scratch *scratch, const void *record);
/* resend_condor.c */
int resend_customer(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_charged(const struct state_replay *replay, struct scratch *scratch, const void *record);
int resend_winner(const struct state_replay *replay, struct scratch *scratch, const void *record);
/* Comparisons for parts that are not replayed in stored order. */
int resend_by_job(const void *a, const void *b);	/* debited usage */
int resend_by_birth(const void *a, const void *b);	/* instances */
int resend_by_pe_place(const void *a, const void *b);
int resend_by_number(const void *a, const void *b);	/* advance reservations */

/*
 * Fill in the submitter of a job of the class, the text of its request's ad (string id) and the
 * numbers of its row (resend_condor.c). -ENOMEM.
 */
int resend_condor_job(const struct state_replay *replay, struct scratch *scratch, uint32_t row, uint32_t class_id,
		      uint32_t ad, struct condor_spec *to);
/* Fill in the numbers only. */
void resend_condor_numbers(const struct state_replay *replay, uint32_t row, struct condor_spec *to);
/* Replay a reported slot and its claim. */
int resend_slot(const struct state_replay *replay, struct scratch *scratch, const struct instance_record *record);

/* Copy the granted slots to the scratch. -ENOMEM. */
int resend_grants(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		  struct grants *grants);
/* Copy usage to the scratch. -ENOMEM. */
int resend_usage(const struct state_replay *replay, struct scratch *scratch, struct state_slice slice,
		 struct usage_values *usage);

/* Replay a job by its row (resend_jobs.c). */
int resend_job(const struct state_replay *replay, uint32_t row);
/* Replay a job by reference to earlier jobs with common properties, if possible (resend_like.c). */
int resend_job_briefly(const struct state_replay *replay, uint32_t row);
/* -ENOMEM; call resend_models_free() in any case */
int resend_models_make(struct state_replay *replay);
void resend_models_free(struct state_replay *replay);
/* Move a job that was replayed already to the end of the list. */
int resend_move(const struct state_replay *replay, uint32_t row);

/* Replay the started task at this index of the table, with its usage (resend_tasks.c). */
int resend_task(const struct state_replay *replay, uint32_t i);

#endif
