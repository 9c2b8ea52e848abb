/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include "sched/qmaster/journal/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "sched/qmaster/journal/columns.h"
#include "sched/run/records_state.h"

#define WORD_BITS 64u

/* Objects to which jobs refer, each as one number. */

struct referred {
	const struct view *view;
	uint64_t *category, *why;	/* hashes by the numbers of the objects */
	uint64_t ncategories, nwhy;
	/* Rows of pending jobs, and rows with started tasks: one bit each. */
	uint64_t *waiting, *started;
	uint64_t rows;
};

static uint64_t mix(const void *bytes, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, n, seed);
}

static uint64_t text_hash(const struct view *view, uint32_t id)
{
	const char *text = view_string(view, id);

	return XXH3_64bits(text, strlen(text));
}

/* Return a hash of the partitions that a request may use and of their values for it. */
static uint64_t shape_hash(const struct view *view, uint64_t category)
{
	uint64_t n, ntres, nfactors, hash = 0;
	const struct shape_record *shapes = view_table(view, TABLE_SHAPES, sizeof(*shapes), &n);
	struct shape_record record;
	const double *factors = view_table(view, TABLE_TRES_FACTORS, sizeof(double), &nfactors);

	view_table(view, TABLE_TRES, sizeof(struct tres_record), &ntres);
	if (category >= n)
		return 0;
	view_copy(&record, &shapes[category], sizeof(record));
	hash = mix(&record.size_factor, sizeof(record.size_factor), hash);
	hash = mix(&record.qos_factor, sizeof(record.qos_factor), hash);
	hash = mix(&record.named, sizeof(record.named), hash);
	for (uint32_t i = 0; record.first != NONE && i < record.count; i++) {
		const struct shape_partition_record *at =
			view_record(view, TABLE_SHAPE_PARTITIONS, sizeof(*at), (uint64_t)record.first + i);
		struct shape_partition_record shape_partition_record;

		if (!at)
			break;
		view_copy(&shape_partition_record, at, sizeof(shape_partition_record));
		hash = mix(&shape_partition_record.partition, sizeof(shape_partition_record.partition), hash);
		if (shape_partition_record.tres <= nfactors && ntres <= nfactors - shape_partition_record.tres)
			hash = mix(factors + shape_partition_record.tres, ntres * sizeof(double), hash);
	}
	return hash;
}

static int categories_hash(struct referred *referred)
{
	const struct category_record *records =
		view_table(referred->view, TABLE_CATEGORIES, sizeof(*records), &referred->ncategories);

	referred->category = calloc(referred->ncategories + 1, sizeof(*referred->category));
	if (!referred->category)
		return -ENOMEM;
	for (uint64_t i = 0; i < referred->ncategories; i++) {
		struct category_record record;
		uint64_t of[7] = { 0 };

		view_copy(&record, &records[i], sizeof(record));
		/* only runs with ticket columns have an urgency */
		if (LOAD_ONCE(records_run(referred->view)->columns_at[COLUMNS_TICKETS]))
			memcpy(&of[0], &record.rrcontr, sizeof(record.rrcontr));
		of[1] = text_hash(referred->view, record.hard);
		of[2] = text_hash(referred->view, record.soft);
		of[3] = text_hash(referred->view, record.pe);
		of[4] = text_hash(referred->view, record.pe_range);
		of[5] = (uint64_t)record.slots << 32 | record.ar;
		of[6] = shape_hash(referred->view, i);
		referred->category[i] = mix(of, sizeof(of), 1);
	}
	return 0;
}

static int reasons_hash(struct referred *referred)
{
	uint64_t nwhy;
	const struct why_list_record *lists =
		view_table(referred->view, TABLE_WHY_LISTS, sizeof(*lists), &referred->nwhy);
	const struct why_record *why = view_table(referred->view, TABLE_WHY, sizeof(*why), &nwhy);

	referred->why = calloc(referred->nwhy + 1, sizeof(*referred->why));
	for (uint64_t i = 0; referred->why && i < referred->nwhy; i++) {
		struct why_list_record list;
		uint64_t hash = 2;

		view_copy(&list, &lists[i], sizeof(list));
		for (uint64_t k = list.first; k < (uint64_t)list.first + list.count && k < nwhy; k++) {
			struct why_record record;
			uint64_t of[5] = { 0 };

			view_copy(&record, &why[k], sizeof(record));
			of[0] = (uint64_t)record.kind << 48 | (uint64_t)record.unit << 32 | record.count;
			of[1] = text_hash(referred->view, record.subject);
			of[2] = text_hash(referred->view, record.object);
			memcpy(&of[3], &record.wanted, sizeof(record.wanted));
			memcpy(&of[4], &record.had, sizeof(record.had));
			hash = mix(of, sizeof(of), hash);
		}
		referred->why[i] =
			list.next < i ? mix(&referred->why[list.next], sizeof(referred->why[0]), hash) : hash;
	}
	return referred->why ? 0 : -ENOMEM;
}

/* Jobs */

static int rows_find(struct referred *referred)
{
	uint64_t n, ntasks, words;
	const uint32_t *order = view_table(referred->view, TABLE_ORDER, sizeof(*order), &n);
	const struct task_record *tasks = view_table(referred->view, TABLE_TASKS, sizeof(*tasks), &ntasks);

	referred->rows = LOAD_ONCE(referred->view->directory->rows);
	if (referred->rows > (uint64_t)MAX_CHUNKS * CHUNK_ROWS)
		referred->rows = 0;
	words = referred->rows / WORD_BITS + 1;
	referred->waiting = calloc(words, sizeof(uint64_t));
	referred->started = calloc(words, sizeof(uint64_t));
	if (!referred->waiting || !referred->started)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t row = LOAD_ONCE(order[i]);

		if (row < referred->rows)
			referred->waiting[row / WORD_BITS] |= UINT64_C(1) << row % WORD_BITS;
	}
	for (uint64_t i = 0; i < ntasks; i++) {
		uint32_t row = LOAD_ONCE(tasks[i].job_row);

		if (row < referred->rows)
			referred->started[row / WORD_BITS] |= UINT64_C(1) << row % WORD_BITS;
	}
	return 0;
}

struct chunk {				/* columns of a chunk of jobs, which are looked up once */
	const struct job_facts *facts;
	const struct job_results *results;
	const struct ticket_results *tickets;
	const struct multifactor_results *multifactor;
	const struct userprio_results *userprio;
};

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static void digest_add(struct result_digest *digest, XXH128_hash_t hash)
{
	__uint128_t sum =
		((__uint128_t)digest->high << 64 | digest->low) + ((__uint128_t)hash.high64 << 64 | hash.low64);

	digest->low = (uint64_t)sum;
	digest->high = (uint64_t)(sum >> 64);
}

static inline uint64_t referred_to(const uint64_t *hashes, uint64_t n, uint32_t id)
{
	return id < n ? hashes[id] : id;
}

static inline void waiting_job(struct digests *digests, const struct referred *referred, const struct chunk *chunk,
			       uint32_t i)
{
	uint64_t of[8];
	size_t n = 3;

	of[0] = (uint64_t)chunk->facts->number[i] << 32 | chunk->results->task[i];
	of[1] = referred_to(referred->why, referred->nwhy, chunk->results->why[i]) ^ chunk->results->flags[i];
	of[2] = referred_to(referred->category, referred->ncategories, chunk->facts->category[i]);
	if (chunk->tickets) {
		of[n++] = bits_of(chunk->tickets->otickets[i]);
		of[n++] = bits_of(chunk->tickets->ftickets[i]);
		of[n++] = bits_of(chunk->tickets->stickets[i]);
	}
	if (chunk->multifactor) {
		of[n++] = (uint64_t)chunk->multifactor->accrue[i];
		of[n++] = (uint64_t)chunk->multifactor->priority[i] << 32 | chunk->multifactor->association[i];
	}
	digest_add(&digests->of[DIGEST_JOBS], XXH3_128bits(of, n * sizeof(*of)));
	if (chunk->userprio) {
		of[1] = (uint64_t)chunk->userprio->customer[i] << 32 | chunk->userprio->place[i];
		digest_add(&digests->of[DIGEST_JOBS_OF_CYCLE], XXH3_128bits(of, 2 * sizeof(*of)));
	}
}

static void started_job(struct digests *digests, const struct chunk *chunk, uint32_t i)
{
	const uint64_t of[2] = { (uint64_t)chunk->facts->number[i] << 32 | chunk->results->task[i],
				 chunk->results->flags[i] };

	digest_add(&digests->of[DIGEST_JOBS], XXH3_128bits(of, sizeof(of)));
}

static bool chunk_find(struct chunk *chunk, const struct view *view, uint64_t row)
{
	*chunk = (struct chunk){ records_facts(view, row), records_results(view, row), records_tickets(view, row),
				 records_multifactor(view, row), records_userprio(view, row) };
	return chunk->facts && chunk->results;
}

static void jobs_digest(struct digests *digests, const struct referred *referred)
{
	struct chunk c = { 0 };

	for (uint64_t word = 0; word * WORD_BITS < referred->rows; word++) {
		uint64_t waiting = referred->waiting[word], started = referred->started[word] & ~waiting;

		if (word * WORD_BITS % CHUNK_ROWS == 0 && !chunk_find(&c, referred->view, word * WORD_BITS))
			return;
		for (; waiting; waiting &= waiting - 1)
			waiting_job(digests, referred, &c,
				    (uint32_t)(word * WORD_BITS % CHUNK_ROWS) + (uint32_t)__builtin_ctzll(waiting));
		for (; started; started &= started - 1)
			started_job(digests, &c,
				    (uint32_t)(word * WORD_BITS % CHUNK_ROWS) + (uint32_t)__builtin_ctzll(started));
	}
}

/* Tables */

#define BATCH_VALUES 512u

static void table_digest(struct result_digest *digest, const struct view *view, const struct result_table *table)
{
	uint64_t n, values[BATCH_VALUES];
	const char *records = view_table(view, table->id, table->bytes, &n);
	size_t used = 0;
	bool any = false;
	XXH3_state_t state;
	XXH128_hash_t hash;

	XXH3_128bits_reset(&state);
	for (uint64_t i = 0; i < n; i++) {
		if (used + table->n > BATCH_VALUES) {
			XXH3_128bits_update(&state, values, used * sizeof(*values));
			used = 0;
		}
		if (!result_counts(table, records + i * table->bytes))
			continue;
		any = true;
		for (size_t k = 0; k < table->n; k++)
			values[used++] = result_value(view, &table->columns[k], records + i * table->bytes);
	}
	if (!any)
		return;
	XXH3_128bits_update(&state, values, used * sizeof(*values));
	hash = XXH3_128bits_digest(&state);
	*digest = (struct result_digest){ hash.low64, hash.high64 };
}

static void head_digest(struct digests *digests, const struct view *view)
{
	const struct state_head *state = view_state(view);
	uint64_t values[RESULT_COLUMNS_MOST], bytes;
	const char *params = view_table(view, TABLE_PARAMS, 1, &bytes);
	size_t n = 0;
	XXH128_hash_t hash;

	for (size_t k = 0; k < nhead_columns; k++)
		values[n++] = result_value(view, &head_columns[k], records_run(view));
	values[n++] = state ? LOAD_ONCE(state->health.starts) : 0;
	values[n++] = state ? LOAD_ONCE(state->health.reservations) : 0;
	hash = XXH3_128bits(values, n * sizeof(*values));
	digests->of[DIGEST_HEAD] = (struct result_digest){ hash.low64, hash.high64 };
	hash = XXH3_128bits(params, bytes);
	digests->of[DIGEST_PARAMS] = (struct result_digest){ hash.low64, hash.high64 };
}

static uint64_t cycle_of(const struct view *view)
{
	const struct negotiation_record *record = view_record(view, TABLE_NEGOTIATION, sizeof(*record), 0);

	return record ? LOAD_ONCE(record->cycle) : 0;
}

int digests_make(struct digests *digests, const struct view *view)
{
	struct referred referred = { .view = view };
	int rc;

	*digests = (struct digests){ .cycle = cycle_of(view) };
	rc = categories_hash(&referred) || reasons_hash(&referred) || rows_find(&referred) ? -ENOMEM : 0;
	if (rc == 0) {
		head_digest(digests, view);
		jobs_digest(digests, &referred);
		for (size_t i = 0; i < nresult_tables; i++)
			table_digest(&digests->of[DIGEST_TABLES + i], view, &result_tables[i]);
	}
	free(referred.category);
	free(referred.why);
	free(referred.waiting);
	free(referred.started);
	return rc;
}

const char *digest_name(unsigned i)
{
	static const char *const names[DIGEST_TABLES] = { [DIGEST_HEAD] = "run",
							  [DIGEST_JOBS] = "jobs",
							  [DIGEST_JOBS_OF_CYCLE] = "jobs of the cycle",
							  [DIGEST_PARAMS] = "parameters" };

	return i < DIGEST_TABLES		    ? names[i]
	       : i < DIGEST_TABLES + nresult_tables ? result_tables[i - DIGEST_TABLES].name
						    : NULL;
}

/* Return whether a digest is for the last negotiation cycle, which may be older than the run. */
static bool digest_is_of_cycle(unsigned i)
{
	return i == DIGEST_JOBS_OF_CYCLE ||
	       (i >= DIGEST_TABLES && i < DIGEST_TABLES + nresult_tables && result_tables[i - DIGEST_TABLES].of_cycle);
}

unsigned digests_compare(const struct digests *a, const struct digests *b, bool cycles)
{
	unsigned i = 0;

	while (i < DIGESTS &&
	       ((a->of[i].low == b->of[i].low && a->of[i].high == b->of[i].high) || (!cycles && digest_is_of_cycle(i))))
		i++;
	return i;
}
