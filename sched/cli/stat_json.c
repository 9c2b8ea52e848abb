/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/json.h"
#include "sched/cli/stat.h"

static void put_ids(struct out *o, const struct fl_job *job)
{
	json_number(o, "{\"job_number\":", job->job_number);
	json_number(o, ",\"task\":", job->task);
	json_bool(o, ",\"is_array\":", job->is_array);
	if (job->is_started)
		json_literal(o, ",\"kind\":\"running\"");
	else
		json_literal(o, ",\"kind\":\"pending\"");
	json_string(o, ",\"state\":", job->state);
	json_string(o, ",\"name\":", job->name);
	json_string(o, ",\"owner\":", job->owner);
	json_name(o, ",\"project\":", job->project);
	json_name(o, ",\"department\":", job->department);
}

static void put_submission(struct out *o, const struct fl_job *job)
{
	json_number(o, ",\"submission_time\":", job->submission_time);
	json_time(o, ",\"start_time\":", job->start_time);
	json_time(o, ",\"deadline\":", job->deadline);
	json_time(o, ",\"execution_time\":", job->execution_time);
	json_number(o, ",\"priority\":", job->priority);
	json_number(o, ",\"jobshare\":", job->jobshare);
	json_number(o, ",\"override_tickets\":", job->override_tickets);
	json_name(o, ",\"hard_resources\":", job->hard_resources);
	json_name(o, ",\"soft_resources\":", job->soft_resources);
	json_name(o, ",\"pe\":", job->pe);
	json_name(o, ",\"pe_range\":", job->pe_range);
	json_name(o, ",\"granted_pe\":", job->granted_pe);
	json_name(o, ",\"queue\":", job->queue);
	json_number(o, ",\"slots\":", job->slots);
}

static char *put_range(char *p, uint32_t min, uint32_t max, uint32_t step)
{
	*p++ = '[';
	p = digits_u64(p, min);
	*p++ = ',';
	p = digits_u64(p, max);
	*p++ = ',';
	p = digits_u64(p, step);
	*p++ = ']';
	return p;
}

/* The ids not started; a started task has none. */
static void put_tasks(struct out *o, const struct fl_job *job)
{
	json_literal(o, ",\"tasks\":");
	if (job->is_started) {
		json_literal(o, "null");
		return;
	}
	json_literal(o, "[");
	if (!job->nranges)
		out_take(o, put_range(out_room(o, 64), job->task, job->task, 1));
	for (size_t k = 0; k < job->nranges && !o->error; k++) {
		const struct fl_range *r = &job->tasks[k];
		char *p = out_room(o, 64);

		if (k)
			*p++ = ',';
		out_take(o, put_range(p, r->min, r->max, r->step));
	}
	json_literal(o, "]");
}

static void put_usage(struct out *o, const struct fl_job *job)
{
	if (!job->is_started || !job->has_usage) {
		json_literal(o, ",\"cpu\":null,\"mem\":null,\"io\":null");
		return;
	}
	json_exact(o, ",\"cpu\":", job->cpu);
	json_exact(o, ",\"mem\":", job->mem);
	json_exact(o, ",\"io\":", job->io);
}

static void put_priorities(struct out *o, const struct fl_job *job)
{
	json_exact(o, ",\"prio\":", job->prio);
	json_exact(o, ",\"nurg\":", job->nurg);
	json_exact(o, ",\"urg\":", job->urg);
	json_exact(o, ",\"rrcontr\":", job->rrcontr);
	json_exact(o, ",\"wtcontr\":", job->wtcontr);
	json_exact(o, ",\"dlcontr\":", job->dlcontr);
	json_exact(o, ",\"npprior\":", job->npprior);
	json_exact(o, ",\"ntckts\":", job->ntckts);
	json_exact(o, ",\"tckts\":", job->tckts);
	json_exact(o, ",\"otckt\":", job->otckt);
	json_exact(o, ",\"ftckt\":", job->ftckt);
	json_exact(o, ",\"stckt\":", job->stckt);
	json_exact(o, ",\"share\":", job->share);
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	bool *follows = context;

	(void)s;
	out_text(o, *follows ? ",\n" : "\n");
	*follows = true;
	put_ids(o, job);
	put_submission(o, job);
	put_tasks(o, job);
	put_usage(o, job);
	put_priorities(o, job);
	json_literal(o, "}");
}

int stat_json(const struct fl_view *view, struct out *o, void *stat)
{
	bool follows = false;

	out_text(o, "{");
	json_run(o, view);
	out_text(o, ",\n\"jobs\":[");
	stat_each(view, o, stat, FL_STARTED, print_row, &follows);
	stat_each(view, o, stat, FL_PENDING, print_row, &follows);
	out_text(o, follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
