/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of a generation, in the order of its parts. */
#include "sched/run/resend_inside.h"

/* maximum number of bytes for repeated copies of a text that several files share in the segment */
#define TEXTS_SHARED (64u << 20)

/* The order of the list, and of the tasks */

struct list_place { uint32_t place, index; };

static int by_place(const void *a, const void *b)
{
	const struct list_place *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Sort all tasks by their places, which decide when all other criteria are equal, and collect the
 * numbers of their jobs.
 */
static int sort_tasks(struct state_replay *replay)
{
	struct list_place *places;
	struct task_state state;
	struct task_record record;
	uint64_t n;

	view_table(replay->view, TABLE_TASKS, sizeof(struct task_record), &replay->ntasks);
	view_state_part(replay->view, STATE_TASKS, sizeof(struct task_state), &n);
	if (n != replay->ntasks || n >= NONE)
		return -EPROTO;
	places = calloc(n + 1, sizeof(*places));
	replay->started = calloc(n + 1, sizeof(*replay->started));
	replay->numbers = calloc(n + 1, sizeof(*replay->numbers));
	if (!places || !replay->started || !replay->numbers) {
		free(places);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!PART_COPY(replay, STATE_TASKS, i, &state) ||
		    !resend_table(replay->view, TABLE_TASKS, i, &record, sizeof(record)))
			continue;
		places[i] = (struct list_place){ state.place, i };
		if (!resend_is_of_this_run(replay, &state))
			replay->numbers[replay->nnumbers++] = record.number;
	}
	qsort(places, n, sizeof(*places), by_place);
	qsort(replay->numbers, replay->nnumbers, sizeof(*replay->numbers), by_number);
	for (size_t i = 0; i < n; i++)
		replay->started[i] = places[i].index;
	free(places);
	return 0;
}

static bool is_early(const struct state_replay *replay, uint32_t number)
{
	return replay->nnumbers > 0 &&
	       bsearch(&number, replay->numbers, replay->nnumbers, sizeof(number), by_number);
}

enum pass { PASS_STARTED, PASS_LIST };

/*
 * Replay a job of the list. Jobs with started tasks come first, so that these tasks can be replayed
 * in their own order. The second pass restores the order of the list: it replays the other jobs and
 * moves the first ones.
 */
static int replay_listed(const struct state_replay *replay, uint32_t row, enum pass pass)
{
	const struct job_facts *facts = records_facts(replay->view, row);
	bool early = facts && is_early(replay, LOAD_ONCE(facts->number[row % CHUNK_ROWS]));

	if (!facts)
		return -EPROTO;
	if (pass == PASS_STARTED)
		return early ? resend_job(replay, row) : 0;
	return early ? resend_move(replay, row) : resend_job_briefly(replay, row);
}

/* Return the number of rows in existing chunks, which is the maximum length of a list. */
static uint64_t rows_shown(const struct state_replay *replay)
{
	uint64_t rows = LOAD_ONCE(replay->view->directory->rows), n = 0;

	while (n < rows && records_facts(replay->view, n))
		n += CHUNK_ROWS;
	return n < rows ? n : rows;
}

static int replay_list(const struct state_replay *replay, enum pass pass)
{
	uint64_t n, rows = rows_shown(replay), done = 0;
	struct list_record record;
	int rc = 0;

	view_state_part(replay->view, STATE_LIST, sizeof(record), &n);
	for (uint64_t i = 0; rc == 0 && i < n && PART_COPY(replay, STATE_LIST, i, &record); i++)
		for (uint64_t row = record.row; rc == 0 && row < (uint64_t)record.row + record.count; row++)
			rc = row < rows && done++ < rows ? replay_listed(replay, (uint32_t)row, pass) : -EPROTO;
	return rc;
}

static int replay_jobs(const struct state_replay *replay)
{
	int rc = replay_list(replay, PASS_STARTED);

	for (uint64_t i = 0; rc == 0 && i < replay->ntasks; i++)
		rc = resend_task(replay, replay->started[i]);
	return rc == 0 ? replay_list(replay, PASS_LIST) : rc;
}

/* Replay of a generation */

/* Replay each record of a part, in the order of `compare`. NULL: in stored order. */
static int replay_part(const struct state_replay *replay, enum state_part part, size_t bytes,
		       int (*compare)(const void *, const void *),
		       int (*one)(const struct state_replay *, struct scratch *, const void *record))
{
	struct scratch all = { NULL }, scratch = { NULL };
	uint64_t n;
	const void *shared = view_state_part(replay->view, part, bytes, &n);
	unsigned char *records = scratch_alloc(&all, n, bytes);
	int rc = records ? 0 : -ENOMEM;

	if (records)
		view_copy(records, shared, n * bytes);
	if (records && compare)
		qsort(records, n, bytes, compare);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		rc = one(replay, &scratch, records + i * bytes);
		scratch_clear(&scratch);
	}
	scratch_clear(&all);
	return rc;
}

static int replay_scheduler(const struct state_replay *replay)
{
	struct scratch scratch = { NULL };
	struct event event;
	size_t n;
	int rc;

	event_init(&event, EVENT_SCHEDULER_STATE);
	event.scheduler = (struct scheduler_event){ .orders = replay->head.last_order,
						    .tickets_ordered = replay->head.tickets_ordered,
						    .halftime = replay->head.halftime,
						    .range_costs = { replay->head.range_scores[0],
								     replay->head.range_scores[1],
								     replay->head.range_scores[2] },
						    .passed = replay->head.passed,
						    .last_pass = replay->head.pass,
						    .last_reset = replay->head.last_reset,
						    .cycle = replay->head.cycle,
						    .cycle_begin = replay->head.cycle_begin,
						    .cycle_end = replay->head.cycle_end,
						    .customers_updated = replay->head.customers_updated,
						    .cycle_wanted = replay->head.cycle_wanted,
						    .negotiated = replay->head.negotiated };
	event.scheduler.removed =
		resend_slice(replay, &scratch, STATE_NUMBERS, sizeof(uint32_t), replay->head.removed, &n);
	event.scheduler.nremoved = n;
	rc = event.scheduler.removed ? resend_send(replay, &event) : -ENOMEM;
	scratch_clear(&scratch);
	return rc;
}

static int replay_advances(const struct state_replay *replay)
{
	return replay_part(replay, STATE_ADVANCES, sizeof(struct advance_record), resend_by_number, resend_advance);
}

static int replay_accounts(const struct state_replay *replay)
{
	int rc = replay_part(replay, STATE_CUSTOMERS, sizeof(struct customer_state), NULL, resend_customer);

	if (rc == 0)
		rc = replay_part(replay, STATE_CHARGED, sizeof(struct charged_state), NULL, resend_charged);
	return rc == 0 ? replay_part(replay, STATE_WINNERS, sizeof(struct winner_state), NULL, resend_winner) : rc;
}

static int replay_cluster(const struct state_replay *replay)
{
	int rc = replay_part(replay, STATE_HOSTS, sizeof(struct host_record), NULL, resend_host);

	if (rc == 0)
		rc = replay_advances(replay);
	return rc == 0 ? replay_part(replay, STATE_INSTANCES, sizeof(struct instance_record), resend_by_birth,
				     resend_instance)
		       : rc;
}

static int replay_all(struct state_replay *replay)
{
	int rc = sort_tasks(replay);

	if (rc == 0)
		rc = replay_scheduler(replay);
	if (rc == 0)
		rc = replay_accounts(replay);
	if (rc == 0)
		rc = replay_part(replay, STATE_OBJECTS, sizeof(struct object_record), NULL, resend_object);
	if (rc == 0)
		rc = replay_part(replay, STATE_ASSOCIATIONS, sizeof(struct association_state), NULL,
				 resend_association);
	if (rc == 0)
		rc = replay_part(replay, STATE_DEBITED, sizeof(struct debited_record), resend_by_job, resend_debited);
	if (rc == 0)
		rc = replay_part(replay, STATE_HOSTS, sizeof(struct host_record), NULL, resend_host);
	if (rc == 0)
		rc = replay_advances(replay);
	if (rc == 0)
		rc = replay_jobs(replay);
	/* after the job starts, which change the places of instances */
	if (rc == 0)
		rc = replay_part(replay, STATE_INSTANCES, sizeof(struct instance_record), resend_by_birth,
				 resend_instance);
	return rc == 0 ? replay_part(replay, STATE_PES, sizeof(struct pe_record), resend_by_pe_place, resend_pe) : rc;
}

int resend_events(const struct view *view, const struct resend_calls *calls)
{
	const struct state_head *head = view_state(view);
	struct copied_records copied = { 0 };
	struct state_replay replay = { .view = view, .calls = calls, .copied = &copied };
	int rc;

	if (!head)
		return -ENODATA;
	view_copy(&replay.head, head, sizeof(replay.head));
	rc = calls->like && !calls->without_jobs ? resend_models_make(&replay) : 0;
	if (rc == 0)
		rc = calls->without_jobs ? replay_cluster(&replay) : replay_all(&replay);
	resend_models_free(&replay);
	free(replay.started);
	free(replay.numbers);
	return rc;
}

int resend_advances(const struct view *view, const struct resend_calls *calls)
{
	struct copied_records copied = { 0 };
	const struct state_replay replay = { .view = view, .calls = calls, .copied = &copied };

	return view_state(view) ? replay_advances(&replay) : -ENODATA;
}

int resend_files(const struct view *view, struct cell_files *files)
{
	uint64_t n, left = view->file_bytes + TEXTS_SHARED;
	const uint8_t *records = view_state_part(view, STATE_FILES, sizeof(struct file_record), &n);

	*files = (struct cell_files){ 0 };
	if (!view_state(view))
		return -ENODATA;
	files->items = calloc(n + 1, sizeof(*files->items));
	for (uint64_t i = 0; files->items && i < n; i++) {
		struct file_record record;
		struct cell_file *file = &files->items[files->n];

		view_copy(&record, records + i * sizeof(record), sizeof(record));
		if (record.text == NONE) {
			cell_files_free(files);
			return -EACCES;
		}
		*file = (struct cell_file){ .name = strdup(view_string(view, record.name)),
					    .text = strdup(view_string(view, record.text)) };
		files->n++;
		if (!file->name || !file->text) {
			cell_files_free(files);
			return -ENOMEM;
		}
		if (strlen(file->text) >= left) {
			cell_files_free(files);
			return -EPROTO;
		}
		left -= strlen(file->text) + 1;
	}
	return files->items ? 0 : -ENOMEM;
}
