/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV output (RFC 4180): a line for each job, in the order of the trace, with its result under each
 * policy.
 */
#include <string.h>

#include "sched/cli/replay/replay.h"
#include "sched/process/csv.h"
#include "sched/process/digits.h"

static char *put_number(char *p, bool known, int64_t value)
{
	if (known)
		p = digits_i64(p, value);
	*p++ = ',';
	return p;
}

static void put_names(struct out *out, const struct outcome *outcome, const struct outcome_job *job)
{
	for (unsigned kind = 0; kind < OUTCOME_NAMES; kind++) {
		const char *name = outcome_name(outcome, kind, job->names[kind]);

		csv_text(out, name, strlen(name));
	}
}

static void put_job(struct out *out, const struct replay_column *column, const struct outcome_job *job)
{
	static const char *const states[] = { [OUTCOME_WAITING] = "waiting",
					      [OUTCOME_RUNNING] = "running",
					      [OUTCOME_ENDED] = "ended",
					      [OUTCOME_REMOVED] = "removed" };
	char *p;

	csv_text(out, column->name, strlen(column->name));
	p = out_room(out, 2 * DIGITS_BYTES);
	p = put_number(p, true, (int64_t)job->line);
	p = put_number(p, true, (int64_t)job->number);
	p = put_number(p, true, job->task);
	out_take(out, p);
	put_names(out, column->outcome, job);
	p = out_room(out, 4 * DIGITS_BYTES);
	p = put_number(p, true, job->slots);
	p = put_number(p, true, job->submit);
	p = put_number(p, job->start > 0, job->start);
	p = put_number(p, job->end > 0, job->end);
	p = put_number(p, job->start > 0, outcome_wait(job, 0));
	p = put_number(p, job->run_s != UINT32_MAX, job->run_s);
	if (job->start > 0)
		p = digits_exact(p, answers_slowdown(job));
	*p++ = ',';
	p = put_number(p, true, job->backfilled);
	p = put_number(p, true, job->vacated);
	p = put_number(p, job->recorded_start > 0, job->recorded_start);
	out_take(out, p);
	out_text(out, states[job->state]);
	out_text(out, "\n");
}

int replay_csv_print(struct out *out, const struct replay_result *result)
{
	out_text(
		out,
		"policy,line,job,task,user,group,project,queue,slots,submit,start,end,wait,run,slowdown,backfilled,vacated,recorded_start,state\n");
	for (size_t k = result->recorded; k < result->n; k++) {
		size_t n;
		const struct outcome_job *jobs = outcome_jobs(result->columns[k].outcome, &n);

		for (size_t i = 0; i < n; i++)
			if (jobs[i].state != OUTCOME_ABSENT)
				put_job(out, &result->columns[k], &jobs[i]);
	}
	return 0;
}
