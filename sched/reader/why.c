/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons why a job did not start: first its flags, then its list of reasons and the lists that
 * continue it.
 */
#include "sched/dispatch/why/why.h"
#include "sched/reader/handle.h"

/* Lists of the job, of its category, and for all jobs. There are never more. */
#define MOST_LISTS 4

int why_fill(const struct fl_view *view, const struct why_record *record, struct fl_why *why)
{
	*why = (struct fl_why) {
		.kind = why_kind_name(record->kind),
		.subject = view_string(&view->view, record->subject),
		.object = view_string(&view->view, record->object),
		.count = record->count,
		.wanted = record->wanted,
		.had = record->had,
		.number = record->kind,
		.unit = record->unit,
	};
	return 0;
}

/* Conditions of the job itself */

static const struct {
	uint16_t flag, kind;
} flag_reasons[] = {
	{ JOB_IN_ERROR, WHY_IN_ERROR },
	{ JOB_ON_HOLD, WHY_ON_HOLD },
	{ JOB_PREDECESSOR, WHY_PREDECESSOR },
	{ JOB_TASK_LIMIT, WHY_TASK_LIMIT },
};

static struct extra_record extra_of(const struct fl_view *view, uint32_t row)
{
	const struct job_facts *facts = records_facts(&view->view, row);
	struct extra_record extra;
	uint32_t index = facts ? LOAD_ONCE(facts->extra[row % CHUNK_ROWS]) : NONE;

	if (index == NONE || !RECORD_COPY(view, TABLE_EXTRAS, index, &extra))
		extra = (struct extra_record){ .error_reason = NONE };
	return extra;
}

/* Predecessors that are named one by one. The others are reported as a number. */
#define PREDECESSORS_NAMED 8

#define PREDECESSORS_READ 1000

/* Add the predecessors that still exist to `numbers` and count them in *n. */
static void predecessors_add(const struct fl_view *view, uint32_t job_number, bool by_task,
			     uint32_t numbers[PREDECESSORS_NAMED], size_t *n)
{
	uint32_t number;

	for (size_t i = 0; i < PREDECESSORS_READ && fl_predecessor(view, job_number, by_task, i, &number) == 0;
	     i++) {
		if (number == 0 || row_find(view, number) == NONE)
			continue;
		if (*n < PREDECESSORS_NAMED)
			numbers[*n] = number;
		++*n;
	}
}

/*
 * Return reason `k` about predecessors. -ENOENT: there are fewer, and *k is reduced by their
 * number.
 */
static int predecessor_reason(const struct fl_view *view, uint32_t job_number, size_t *k, struct fl_why *why)
{
	struct why_record record = { .kind = WHY_PREDECESSOR, .count = 1, .subject = NONE, .object = NONE };
	uint32_t numbers[PREDECESSORS_NAMED];
	size_t n = 0, named;

	predecessors_add(view, job_number, false, numbers, &n);
	predecessors_add(view, job_number, true, numbers, &n);
	named = n < PREDECESSORS_NAMED ? n : PREDECESSORS_NAMED;
	if (*k < named) {
		record.had = numbers[*k];
	} else if (*k == named && n > named) {
		record.count = (uint32_t)(n - named);
	} else if (*k > 0 || n > 0) {
		*k -= n == 0 ? 1 : named + (n > named);
		return -ENOENT;
	}
	return why_fill(view, &record, why);
}

/*
 * Return the kinds of holds as letters of -h, such as "uo". The letter a stands for another array.
 */
static const char *hold_letters(const struct fl_view *view, uint32_t job_number)
{
	static const char *const letters[] = { "",  "u",  "o",	"uo",  "s",  "us",  "os",  "uos",
					       "a", "ua", "oa", "uoa", "sa", "usa", "osa", "uosa" };
	const struct fl_range *ids;
	unsigned kinds = 0;
	size_t n;

	for (unsigned k = 0; k < FL_HOLDS; k++)
		kinds |= fl_held(view, job_number, (enum fl_hold)k, &ids, &n) == 0 ? 1u << k : 0;
	return letters[kinds];
}

static int flags_reason(const struct fl_view *view, uint32_t job_number, uint32_t row, uint16_t flags, size_t k,
			struct fl_why *why)
{
	struct why_record record = { .count = 1, .subject = NONE, .object = NONE };
	const struct extra_record extra = extra_of(view, row);

	for (size_t i = 0; i < sizeof(flag_reasons) / sizeof(*flag_reasons); i++)
		if (flags & flag_reasons[i].flag && flag_reasons[i].kind == WHY_PREDECESSOR) {
			if (predecessor_reason(view, job_number, &k, why) == 0)
				return 0;
		} else if (flags & flag_reasons[i].flag && k-- == 0) {
			record.kind = flag_reasons[i].kind;
			record.object = record.kind == WHY_IN_ERROR ? extra.error_reason : NONE;
			why_fill(view, &record, why);
			why->subject = record.kind == WHY_ON_HOLD ? hold_letters(view, job_number) : why->subject;
			return 0;
		}
	if (extra.numbers.execution_time > LOAD_ONCE(records_run(&view->view)->now) && k == 0) {
		record.kind = WHY_EXECUTION_TIME;
		record.had = (double)extra.numbers.execution_time;
		return why_fill(view, &record, why);
	}
	return -ENOENT;
}

/* Results of the run */

static int lists_reason(const struct fl_view *view, uint32_t number, size_t k, struct fl_why *why)
{
	struct why_list_record list;
	struct why_record record;

	for (int depth = 0; depth < MOST_LISTS && RECORD_COPY(view, TABLE_WHY_LISTS, number, &list); depth++) {
		uint64_t index = list.first + (uint64_t)k;

		if (k < list.count)
			return RECORD_COPY(view, TABLE_WHY, index, &record) ? why_fill(view, &record, why) : -ENOENT;
		if (number == 0)
			break;
		k -= list.count;
		number = list.next;
	}
	return -ENOENT;
}

/* Public functions */

/*
 * Return reason `k`. The run has checked the eligible jobs. The others have conditions of their
 * own.
 */
int fl_why(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_why *why)
{
	uint32_t row = job_number ? row_find(view, job_number) : NONE;
	const struct job_results *results = row == NONE ? NULL : records_results(&view->view, row);
	uint16_t flags = results ? LOAD_ONCE(results->flags[row % CHUNK_ROWS]) : 0;

	if (!(flags & JOB_PENDING))
		return -ENOENT;
	if (!(flags & JOB_ELIGIBLE))
		return flags_reason(view, job_number, row, flags, k, why);
	if (records_userprio(&view->view, row)) {
		int rc = negotiation_reason(view, row, &k, why);

		return rc == -ENOENT ? lists_reason(view, 0, k, why) : rc;
	}
	uint16_t number = LOAD_ONCE(results->why[row % CHUNK_ROWS]);

	return number == WHY_UNKNOWN ? -ENOENT : lists_reason(view, number, k, why);
}

size_t fl_why_text(const struct fl_why *why, char *text, size_t size)
{
	return why_sentence(text, size,
			    &(struct why_reason){ .kind = why->number,
						  .unit = why->unit,
						  .count = why->count,
						  .subject = why->subject,
						  .object = why->object,
						  .wanted = why->wanted,
						  .had = why->had });
}
