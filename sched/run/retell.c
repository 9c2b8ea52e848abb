/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which all is told. */
#include "sched/run/retell_inside.h"

/* of files that have the same text, and so one in the segment, the most beyond what it has */
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

/* All tasks in the order in which they stand where nothing else decides; and whose they are. */
static int look_at_tasks(struct retelling *t)
{
	struct list_place *places;
	struct task_state state;
	struct task_record r;
	uint64_t n;

	view_table(t->view, TABLE_TASKS, sizeof(struct task_record), &t->ntasks);
	view_state_part(t->view, STATE_TASKS, sizeof(struct task_state), &n);
	if (n != t->ntasks || n >= NONE)
		return -EPROTO;
	places = calloc(n + 1, sizeof(*places));
	t->started = calloc(n + 1, sizeof(*t->started));
	t->numbers = calloc(n + 1, sizeof(*t->numbers));
	if (!places || !t->started || !t->numbers) {
		free(places);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!PART_COPY(t, STATE_TASKS, i, &state) || !retell_table(t->view, TABLE_TASKS, i, &r, sizeof(r)))
			continue;
		places[i] = (struct list_place){ state.place, i };
		if (!retell_is_of_this_run(t, &state))
			t->numbers[t->nnumbers++] = r.number;
	}
	qsort(places, n, sizeof(*places), by_place);
	qsort(t->numbers, t->nnumbers, sizeof(*t->numbers), by_number);
	for (size_t i = 0; i < n; i++)
		t->started[i] = places[i].index;
	free(places);
	return 0;
}

static bool is_early(const struct retelling *t, uint32_t number)
{
	return t->nnumbers > 0 && bsearch(&number, t->numbers, t->nnumbers, sizeof(number), by_number);
}

enum pass { PASS_STARTED, PASS_LIST };

/*
 * Jobs that have started tasks come first, so that these can be told in their own order; the list
 * is then put in order by the others being told, and these being moved.
 */
static int tell_listed(const struct retelling *t, uint32_t row, enum pass pass)
{
	const struct job_facts *facts = records_facts(t->view, row);
	bool early = facts && is_early(t, LOAD_ONCE(facts->number[row % CHUNK_ROWS]));

	if (!facts)
		return -EPROTO;
	if (pass == PASS_STARTED)
		return early ? retell_job(t, row) : 0;
	return early ? retell_move(t, row) : retell_job_briefly(t, row);
}

/* Rows of the chunks that there are: no list has more. */
static uint64_t rows_shown(const struct retelling *t)
{
	uint64_t rows = LOAD_ONCE(t->view->directory->rows), n = 0;

	while (n < rows && records_facts(t->view, n))
		n += CHUNK_ROWS;
	return n < rows ? n : rows;
}

static int tell_list(const struct retelling *t, enum pass pass)
{
	uint64_t n, rows = rows_shown(t), told = 0;
	struct list_record r;
	int rc = 0;

	view_state_part(t->view, STATE_LIST, sizeof(r), &n);
	for (uint64_t i = 0; rc == 0 && i < n && PART_COPY(t, STATE_LIST, i, &r); i++)
		for (uint64_t row = r.row; rc == 0 && row < (uint64_t)r.row + r.count; row++)
			rc = row < rows && told++ < rows ? tell_listed(t, (uint32_t)row, pass) : -EPROTO;
	return rc;
}

static int tell_jobs(const struct retelling *t)
{
	int rc = tell_list(t, PASS_STARTED);

	for (uint64_t i = 0; rc == 0 && i < t->ntasks; i++)
		rc = retell_task(t, t->started[i]);
	return rc == 0 ? tell_list(t, PASS_LIST) : rc;
}

/* The whole */

/* Each record of a part; in the order of `compare`, NULL: as they stand. */
static int tell_part(const struct retelling *t, enum state_part part, size_t bytes, int (*compare)(const void *, const void *),
		     int (*one)(const struct retelling *, struct scratch *, const void *record))
{
	struct scratch all = { NULL }, s = { NULL };
	uint64_t n;
	const void *shared = view_state_part(t->view, part, bytes, &n);
	unsigned char *records = scratch_alloc(&all, n, bytes);
	int rc = records ? 0 : -ENOMEM;

	if (records)
		view_copy(records, shared, n * bytes);
	if (records && compare)
		qsort(records, n, bytes, compare);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		rc = one(t, &s, records + i * bytes);
		scratch_clear(&s);
	}
	scratch_clear(&all);
	return rc;
}

static int tell_scheduler(const struct retelling *t)
{
	struct scratch s = { NULL };
	struct event e;
	size_t n;
	int rc;

	event_init(&e, EVENT_SCHEDULER_STATE);
	e.scheduler = (struct scheduler_event){
		.orders = t->head.last_order, .tickets_ordered = t->head.tickets_ordered, .halftime = t->head.halftime,
		.range_costs = { t->head.range_scores[0], t->head.range_scores[1], t->head.range_scores[2] },
		.passed = t->head.passed, .last_pass = t->head.pass, .last_reset = t->head.last_reset,
		.cycle = t->head.cycle, .cycle_begin = t->head.cycle_begin, .cycle_end = t->head.cycle_end,
		.customers_updated = t->head.customers_updated, .cycle_wanted = t->head.cycle_wanted, .negotiated = t->head.negotiated };
	e.scheduler.removed = retell_slice(t, &s, STATE_NUMBERS, sizeof(uint32_t), t->head.removed, &n);
	e.scheduler.nremoved = n;
	rc = e.scheduler.removed ? retell_tell(t, &e) : -ENOMEM;
	scratch_clear(&s);
	return rc;
}

static int tell_advances(const struct retelling *t)
{
	return tell_part(t, STATE_ADVANCES, sizeof(struct advance_record), retell_by_number, retell_advance);
}

static int tell_accounts(const struct retelling *t)
{
	int rc = tell_part(t, STATE_CUSTOMERS, sizeof(struct customer_state), NULL, retell_customer);

	if (rc == 0)
		rc = tell_part(t, STATE_CHARGED, sizeof(struct charged_state), NULL, retell_charged);
	return rc == 0 ? tell_part(t, STATE_WINNERS, sizeof(struct winner_state), NULL, retell_winner) : rc;
}

static int tell_cluster(const struct retelling *t)
{
	int rc = tell_part(t, STATE_HOSTS, sizeof(struct host_record), NULL, retell_host);

	if (rc == 0)
		rc = tell_advances(t);
	return rc == 0 ? tell_part(t, STATE_INSTANCES, sizeof(struct instance_record), retell_by_birth, retell_instance) : rc;
}

static int tell_all(struct retelling *t)
{
	int rc = look_at_tasks(t);

	if (rc == 0)
		rc = tell_scheduler(t);
	if (rc == 0)
		rc = tell_accounts(t);
	if (rc == 0)
		rc = tell_part(t, STATE_OBJECTS, sizeof(struct object_record), NULL, retell_object);
	if (rc == 0)
		rc = tell_part(t, STATE_ASSOCIATIONS, sizeof(struct association_state), NULL, retell_association);
	if (rc == 0)
		rc = tell_part(t, STATE_DEBITED, sizeof(struct debited_record), retell_by_job, retell_debited);
	if (rc == 0)
		rc = tell_part(t, STATE_HOSTS, sizeof(struct host_record), NULL, retell_host);
	if (rc == 0)
		rc = tell_advances(t);
	if (rc == 0)
		rc = tell_jobs(t);
	/* behind the starts, which change places */
	if (rc == 0)
		rc = tell_part(t, STATE_INSTANCES, sizeof(struct instance_record), retell_by_birth, retell_instance);
	return rc == 0 ? tell_part(t, STATE_PES, sizeof(struct pe_record), retell_by_pe_place, retell_pe) : rc;
}

int retell_events(const struct view *view, const struct retell_calls *calls)
{
	const struct state_head *head = view_state(view);
	struct retold retold = { 0 };
	struct retelling t = { .view = view, .calls = calls, .retold = &retold };
	int rc;

	if (!head)
		return -ENODATA;
	view_copy(&t.head, head, sizeof(t.head));
	rc = calls->like && !calls->without_jobs ? retell_models_make(&t) : 0;
	if (rc == 0)
		rc = calls->without_jobs ? tell_cluster(&t) : tell_all(&t);
	retell_models_free(&t);
	free(t.started);
	free(t.numbers);
	return rc;
}

int retell_advances(const struct view *view, const struct retell_calls *calls)
{
	struct retold retold = { 0 };
	const struct retelling t = { .view = view, .calls = calls, .retold = &retold };

	return view_state(view) ? tell_advances(&t) : -ENODATA;
}

int retell_files(const struct view *view, struct cell_files *files)
{
	uint64_t n, left = view->file_bytes + TEXTS_SHARED;
	const uint8_t *records = view_state_part(view, STATE_FILES, sizeof(struct file_record), &n);

	*files = (struct cell_files){ 0 };
	if (!view_state(view))
		return -ENODATA;
	files->items = calloc(n + 1, sizeof(*files->items));
	for (uint64_t i = 0; files->items && i < n; i++) {
		struct file_record r;
		struct cell_file *file = &files->items[files->n];

		view_copy(&r, records + i * sizeof(r), sizeof(r));
		if (r.text == NONE) {
			cell_files_free(files);
			return -EACCES;
		}
		*file = (struct cell_file){ .name = strdup(view_string(view, r.name)), .text = strdup(view_string(view, r.text)) };
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
