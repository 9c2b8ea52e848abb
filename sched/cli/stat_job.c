/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "sched/cli/stat.h"
#include "sched/process/digits.h"

#define LABEL_BYTES 28u

static void put_label(struct out *o, const char *label)
{
	char *p = out_room(o, 128);
	char *end = stpcpy(stpcpy(p, label), ":");

	out_take(o, text_pad(p, end, LABEL_BYTES));
}

static void put_text(struct out *o, const char *label, const char *text)
{
	put_label(o, label);
	text_plain(o, *text ? text : "NONE");
	out_bytes(o, "\n", 1);
}

static void put_number(struct out *o, const char *label, int64_t value)
{
	put_label(o, label);
	out_take(o, digits_i64(out_room(o, DIGITS_BYTES), value));
	out_bytes(o, "\n", 1);
}

static void put_exact(struct out *o, const char *label, double value)
{
	put_label(o, label);
	out_take(o, digits_exact(out_room(o, DIGITS_BYTES), value));
	out_bytes(o, "\n", 1);
}

static void put_time(struct out *o, struct stat *s, const char *label, int64_t time)
{
	if (!time) {
		put_text(o, label, "");
		return;
	}
	put_label(o, label);
	out_take(o, clock_put(&s->clock, out_room(o, TIME_BYTES), time, TIME_TABLE));
	out_bytes(o, "\n", 1);
}

static void put_job(struct out *o, struct stat *s, const struct fl_job *job)
{
	out_text(o, "==============================================================\n");
	put_number(o, "job_number", job->job_number);
	put_text(o, "job_name", job->name);
	put_text(o, "owner", job->owner);
	put_text(o, "project", job->project);
	put_text(o, "department", job->department);
	put_time(o, s, "submission_time", job->submission_time);
	put_time(o, s, "execution_time", job->execution_time);
	put_time(o, s, "deadline", job->deadline);
	put_number(o, "priority", job->priority);
	put_number(o, "jobshare", job->jobshare);
	put_number(o, "override_tickets", job->override_tickets);
	put_text(o, "hard resource_list", job->hard_resources);
	put_text(o, "soft resource_list", job->soft_resources);
	put_text(o, "parallel environment", job->pe);
	put_text(o, "pe range", job->pe_range);
}

static void put_started(struct out *o, struct stat *s, const struct fl_job *job)
{
	put_number(o, "task", job->task);
	put_text(o, "state", job->state);
	put_number(o, "slots", job->slots);
	put_text(o, "queue", job->queue);
	put_text(o, "granted_pe", job->granted_pe);
	put_time(o, s, "start_time", job->start_time);
	if (!job->has_usage)
		return;
	put_exact(o, "cpu", job->cpu);
	put_exact(o, "mem", job->mem);
	put_exact(o, "io", job->io);
}

static void put_pending(struct out *o, const struct fl_job *job)
{
	if (job->nranges) {
		put_label(o, "tasks not started");
		text_ranges(o, job->tasks, job->nranges);
		out_bytes(o, "\n", 1);
	} else {
		put_number(o, "tasks not started", job->task);
	}
	put_text(o, "state", job->state);
	put_number(o, "slots", job->slots);
}

/* To the blank as qstat has it. It is the first of the reasons, if it is one. */
static void put_error(struct out *o, const struct fl_view *view, const struct fl_job *job)
{
	char label[64];
	struct fl_why why;

	if (fl_why(view, job->job_number, 0, &why) || strcmp(why.kind, "in_error") != 0 || !*why.object)
		return;
	snprintf(label, sizeof(label), "error reason %10u:      ", job->task);
	out_text(o, label);
	text_plain(o, why.object);
	out_bytes(o, "\n", 1);
}

/* One sentence a line, below each other. */
static void put_reasons(struct out *o, const struct fl_view *view, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	for (; !o->error && fl_why(view, job_number, k, &why) == 0; k++) {
		if (k == 0)
			put_label(o, "scheduling info");
		else
			out_take(o, text_blanks(out_room(o, LABEL_BYTES), LABEL_BYTES));
		fl_why_text(&why, text, sizeof(text));
		text_plain(o, text);
		out_bytes(o, "\n", 1);
	}
	if (k == 0)
		put_text(o, "scheduling info", "");
}

/*
 * With algorithm multifactor, and in the order in which they are added: what a job's priority is
 * made of, in each of its partitions.
 */
static void put_factors(struct out *o, const struct fl_factors *f)
{
	put_text(o, "partition", f->partition);
	put_exact(o, "age", f->weighted_age);
	put_exact(o, "association", f->weighted_assoc);
	put_exact(o, "fairshare", f->weighted_fairshare);
	put_exact(o, "job size", f->weighted_job_size);
	put_exact(o, "partition factor", f->weighted_partition);
	put_exact(o, "qos factor", f->weighted_qos);
	put_exact(o, "tres", f->weighted_tres);
	put_exact(o, "site", f->site);
	put_exact(o, "nice", f->nice);
	put_exact(o, "sum", f->direct_priority ? f->direct_priority : f->sum);
}

/* Whether there are factors; then there is nothing else that the order depends on. */
static bool put_multifactor(const struct fl_view *view, struct out *o, const struct fl_job *job)
{
	struct fl_factors f;
	size_t k = 0;

	for (; !o->error && fl_factors(view, job->job_number, k, &f) == 0; k++) {
		if (k == 0) {
			put_exact(o, "prio", job->prio);
			put_text(o, "account", f.account);
			put_text(o, "qos", f.qos);
		}
		put_factors(o, &f);
	}
	return k > 0;
}

static void put_priorities(struct out *o, const struct fl_job *job)
{
	put_exact(o, "prio", job->prio);
	put_exact(o, "nurg", job->nurg);
	put_exact(o, "npprior", job->npprior);
	put_exact(o, "ntckts", job->ntckts);
	put_exact(o, "urg", job->urg);
	put_exact(o, "rrcontr", job->rrcontr);
	put_exact(o, "wtcontr", job->wtcontr);
	put_exact(o, "dlcontr", job->dlcontr);
	put_exact(o, "tckts", job->tckts);
	put_exact(o, "otckt", job->otckt);
	put_exact(o, "ftckt", job->ftckt);
	put_exact(o, "stckt", job->stckt);
	put_exact(o, "share", job->share);
}

static void print_row(const struct fl_view *view, struct out *o, struct stat *s, const struct fl_job *job)
{
	out_text(o, "\n");
	if (job->is_started)
		put_started(o, s, job);
	else
		put_pending(o, job);
	if (!put_multifactor(view, o, job))
		put_priorities(o, job);
	if (job->is_started)
		return;
	put_error(o, view, job);
	put_reasons(o, view, job->job_number);
}

int stat_job(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = false;
		for (size_t k = 0; !o->error && fl_find(view, wanted->number, k, &job) == 0; k++) {
			if (!wanted->found)
				put_job(o, s, &job);
			wanted->found = true;
			print_row(view, o, s, &job);
		}
	}
	return EXIT_OK;
}
