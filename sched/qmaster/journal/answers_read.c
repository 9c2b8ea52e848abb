/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/answers_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/qmaster/journal/line.h"

struct ledger_answer {
	struct ledger_task of;		/* task 0: the job */
	bool is_end, given;
	int is;
	struct debited debited;
};

static struct ledger_answer *find(struct answers_read *answers, const struct ledger_task *of, bool is_end)
{
	for (size_t i = 0; i < answers->n; i++) {
		struct ledger_answer *one = &answers->items[i];

		if (!one->given && one->is_end == is_end && one->of.job_number == of->job_number &&
		    one->of.task == of->task && one->of.submission_time == of->submission_time &&
		    one->of.start_time == of->start_time)
			return one;
	}
	return NULL;
}

/* Answer from the recorded answers. Without one, no usage was booked before. */
static int debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *d)
{
	struct answers_read *answers = context;
	struct ledger_answer *found = find(
		answers, &(struct ledger_task){ .job_number = job_number, .submission_time = submission_time }, false);

	if (!found)
		return 0;
	found->given = true;
	if (found->is == 1) {
		*d = found->debited;
		found->debited = (struct debited){ 0 };
	}
	return found->is;
}

static int ended(void *context, const struct ledger_task *end)
{
	struct ledger_answer *found = find(context, end, true);

	if (!found)
		return 0;
	found->given = true;
	return found->is;
}

int ledger_answers_serve(struct answers_read *answers, struct mirror *mirror, bool ends_asked)
{
	const struct ledger_calls calls = { answers, debited, ends_asked ? ended : NULL };

	answers->mirror = mirror;
	return mirror_keep_ledger(mirror, &calls);
}

void ledger_answers_forget(struct answers_read *answers)
{
	for (size_t i = 0; i < answers->n; i++)
		debited_free(&answers->items[i].debited);
	answers->n = 0;
	answers->wants_debited = false;
}

void ledger_answers_free(struct answers_read *answers)
{
	ledger_answers_forget(answers);
	free(answers->items);
	*answers = (struct answers_read){ 0 };
}

int ledger_answers_take(struct answers_read *answers, const struct value *object, struct error *error)
{
	const char *of = line_text(object, "answer");
	struct ledger_answer *one;

	if (!answers->mirror)
		return error_set(error, -EINVAL, "answer: the journal has no ledger");
	if (answers->n >= ANSWERS_MOST)
		return error_set(error, -EINVAL, "more than %u answers before a run", ANSWERS_MOST);
	if (array_reserve(&answers->capacity, answers->n + 1, COLUMN(answers->items)))
		return error_set(error, -ENOMEM, "out of memory");
	one = &answers->items[answers->n];
	*one = (struct ledger_answer){ .is_end = strcmp(of, "ended") == 0 };
	one->of = (struct ledger_task){ (uint32_t)line_whole(object, "job_number", 0, UINT32_MAX),
					(uint32_t)line_whole(object, "task", 0, UINT32_MAX),
					line_whole(object, "submission_time", INT64_MIN, INT64_MAX),
					line_whole(object, "start_time", INT64_MIN, INT64_MAX) };
	one->is = (int)line_whole(object, "is", -4095, 2);
	one->debited.reported = (uint64_t)line_whole(object, "told", 0, INT64_MAX);
	answers->n++;
	answers->wants_debited = !one->is_end && one->is == 1;
	return 0;
}

int ledger_answers_take_debited(struct answers_read *answers, const struct debited_event *event, struct error *error)
{
	struct debited *debited = &answers->items[answers->n - 1].debited;
	struct mirror *mirror = answers->mirror;
	int rc = mirror_usage_from(mirror, &debited->usage, &event->usage);

	answers->wants_debited = false;
	for (size_t i = 0; rc == 0 && i < event->ntasks; i++) {
		struct debited_task *task = debited_get_task(debited, event->tasks[i].task, event->tasks[i].start_time);

		rc = task ? mirror_usage_from(mirror, &task->usage, &event->tasks[i].usage) : -ENOMEM;
	}
	return rc ? error_set(error, rc, "out of memory") : 0;
}
