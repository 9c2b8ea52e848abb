/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances as qstat(1) -f prints them, to the byte. */
#include <string.h>

#include "sched/cli/queues.h"

/* columns of rules, and how many more -ext adds to each */
#define RULE 81u
#define EXTENDED_RULE 108u
#define HASHES 76u
#define EXTENDED_HASHES 110u

static void instance_put(struct out *o, const struct fl_view *view, const struct fl_instance *i)
{
	struct fl_host host = { .available = false, .arch = "" };
	char *p = out_room(o, 512), *load;

	if (i->host > 0)
		fl_host(view, i->host, &host);
	p = text_column(p, i->name, 30);
	*p++ = ' ';
	p = text_column(p, i->type, 5);
	*p++ = ' ';
	p = slots_put(p, i);
	*p++ = ' ';
	load = p;
	p = host.available && host.load_avg >= 0 && host.load_avg < 1e9 ? digits_fixed(p, host.load_avg, 2) : stpcpy(p, "-NA-");
	p = text_pad(load, p, 8);
	*p++ = ' ';
	p = text_column(p, host.available && *host.arch ? host.arch : "-NA-", 13);
	*p++ = ' ';
	p = stpcpy(p, i->state);
	*p++ = '\n';
	out_take(o, p);
}

void queues_alarm_text(struct out *o, const struct fl_alarm *a, void (*text)(struct out *o, const char *text))
{
	static const char sources[] = { [FL_NOTHING] = '-', [FL_REPORTED] = 'l', [FL_CONFIGURED] = 'f', [FL_CONSUMABLE] = 'c' };

	out_text(o, "alarm ");
	if (a->source != FL_NOTHING)
		out_put(o, "%c%c:", "ghq"[a->level], sources[a->source]);
	text(o, a->name);
	if (*a->text) {
		out_text(o, "=");
		text(o, a->text);
	} else if (a->source != FL_NOTHING) {
		out_put(o, a->source == FL_CONSUMABLE ? "=%.3f" : "=%f", a->value);
	} else {
		out_text(o, "=unknown");
	}
	out_put(o, " %s-threshold=", a->suspends ? "suspend" : "load");
	text(o, a->limit);
}

/* Of a state that only the qmaster can explain, that is said. */
static void explain_put(const struct queues *q, struct out *o, const struct fl_view *view, const struct queue_row *row)
{
	struct fl_alarm a;

	for (size_t k = 0; fl_alarm(view, row->number, k, &a) == 0; k++)
		if (strchr(q->explain, a.suspends ? 'A' : 'a')) {
			out_text(o, "\t");
			queues_alarm_text(o, &a, text_plain);
			out_text(o, "\n");
		}
	if (strchr(q->explain, 'c') && strchr(row->instance.state, 'c'))
		out_text(o, "\t" QUEUES_AMBIGUOUS "\n");
	if (strchr(q->explain, 'E') && strchr(row->instance.state, 'E'))
		out_text(o, "\t" QUEUES_IN_ERROR "\n");
}

bool queues_shows(const struct queues *q, const struct found_value *a)
{
	for (size_t i = 0; i < q->resources.n; i++) {
		const struct complex *complex = cell_complex(&q->cell.cell, q->resources.items[i]);

		if (complex && strcmp(complex->name, a->name) == 0)
			return true;
	}
	return q->resources.n == 0;
}

static void attributes_put(struct queues *q, struct out *o, const struct fl_view *view, const struct queue_row *row)
{
	size_t number = row->number;

	q->error = attributes_of(&q->found, view, &q->cell.cell, row->instance.host, &number);
	for (size_t i = 0; i < q->found.n; i++)
		if (queues_shows(q, &q->found.items[i])) {
			out_text(o, "\t");
			attribute_put(o, &q->found.items[i], true);
			out_text(o, "\n");
		}
}

/* Jobs */

void queues_jobs(struct queues *q, struct out *o, const struct fl_view *view, uint32_t instance, spread_print *print, void *context)
{
	struct stat *s = &q->jobs;
	struct fl_job job;
	size_t n;
	const struct placed *placed = placed_of(&q->placed, instance, &n);

	for (size_t k = 0; k < n && !o->error; k++) {
		if (fl_get(view, FL_STARTED, placed[k].row, &job) || !states_have(&s->filter, view, &job))
			continue;
		job.slots = placed[k].slots;
		if (s->spread)
			spread_slots(o, s, &job, placed[k].slots, placed[k].master, print, context);
		else
			print(o, s, &job, NULL, context);
	}
}

void queues_jobs_after(struct queues *q, struct out *o, const struct fl_view *view, row_print *print, void *context)
{
	if (q->jobs.filter.owners.n > 0)
		stat_each(view, o, &q->jobs, FL_PENDING, print, context);
}

struct list_end {			/* jobs that stand below all instances */
	struct stat_lines lines;
	const struct fl_view *view;
	bool pending, finished;		/* their headings are printed */
};

static void heading_put(struct out *o, const struct stat *s, const char *heading)
{
	char hashes[256];
	size_t n = s->show & SHOW_EXTENDED ? HASHES + EXTENDED_HASHES : HASHES;

	memset(hashes, '#', n);
	hashes[n] = '\0';
	out_put(o, "\n%s\n%s\n%s\n", hashes, heading, hashes);
}

static void after_print(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct list_end *end = context;
	bool is_finished = strchr(job->state, 'z') != NULL;

	if (is_finished && !end->finished)
		heading_put(o, s, " --  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  --  ");
	else if (!is_finished && !end->pending)
		heading_put(o, s, " - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS");
	end->finished |= is_finished;
	end->pending |= !is_finished;
	stat_line_put(o, s, job, NULL, &end->lines);
}

static void rule_put(struct out *o, const struct stat *s)
{
	char rule[256];
	size_t n = s->show & SHOW_EXTENDED ? RULE + EXTENDED_RULE : RULE;

	memset(rule, '-', n);
	out_bytes(o, rule, n);
	out_text(o, "\n");
}

int queues_list(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *q = context;
	struct list_end end = { .view = view };
	bool any;
	int code = queues_begin(q, view, &any);

	if (any)
		stat_lines_below_queues(&end.lines, &q->jobs, view);
	if (any && q->nrows > 0)
		out_text(out, "queuename                      qtype resv/used/tot. load_avg arch          states\n");
	for (size_t k = 0; any && k < q->nrows && q->error == 0 && !out->error; k++) {
		rule_put(out, &q->jobs);
		instance_put(out, view, &q->rows[k].instance);
		if (q->explain)
			explain_put(q, out, view, &q->rows[k]);
		if (q->attributes)
			attributes_put(q, out, view, &q->rows[k]);
		queues_jobs(q, out, view, q->rows[k].number, stat_line_put, &end.lines);
	}
	if (any)
		queues_jobs_after(q, out, view, after_print, &end);
	return code;
}

int queues_names(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *q = context;
	bool any;
	int code = queues_begin(q, view, &any);

	for (size_t k = 0; any && k < q->nrows; k++) {
		text_plain(out, q->rows[k].instance.name);
		out_text(out, "\n");
	}
	return code || !any || q->nrows > 0 ? code : EXIT_DIFFERENCE;
}
