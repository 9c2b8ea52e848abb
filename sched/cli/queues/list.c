/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances, byte for byte like qstat(1) -f. */
#include <string.h>

#include "sched/cli/queues/queues.h"

/* Lengths of rules, without and with -ext. */
#define RULE 81u
#define EXTENDED_RULE 108u
#define HASHES 76u
#define EXTENDED_HASHES 110u

static void instance_put(struct out *out, const struct fl_view *view, const struct fl_instance *instance)
{
	struct fl_host host = { .available = false, .arch = "" };
	char *p = out_room(out, 512), *load;

	if (instance->host > 0)
		fl_host(view, instance->host, &host);
	p = text_column(p, instance->name, 30);
	*p++ = ' ';
	p = text_column(p, instance->type, 5);
	*p++ = ' ';
	p = slots_put(p, instance);
	*p++ = ' ';
	load = p;
	p = host.available && host.load_avg >= 0 && host.load_avg < 1e9 ? digits_fixed(p, host.load_avg, 2)
									: stpcpy(p, "-NA-");
	p = text_pad(load, p, 8);
	*p++ = ' ';
	p = text_column(p, host.available && *host.arch ? host.arch : "-NA-", 13);
	*p++ = ' ';
	p = stpcpy(p, instance->state);
	*p++ = '\n';
	out_take(out, p);
}

void queues_alarm_text(struct out *out, const struct fl_alarm *alarm, void (*text)(struct out *out, const char *text))
{
	static const char sources[] = {
		[FL_NOTHING] = '-', [FL_REPORTED] = 'l', [FL_CONFIGURED] = 'f', [FL_CONSUMABLE] = 'c'
	};

	out_text(out, "alarm ");
	if (alarm->source != FL_NOTHING)
		out_put(out, "%c%c:", "ghq"[alarm->level], sources[alarm->source]);
	text(out, alarm->name);
	if (*alarm->text) {
		out_text(out, "=");
		text(out, alarm->text);
	} else if (alarm->source != FL_NOTHING) {
		out_put(out, alarm->source == FL_CONSUMABLE ? "=%.3f" : "=%f", alarm->value);
	} else {
		out_text(out, "=unknown");
	}
	out_put(out, " %s-threshold=", alarm->suspends ? "suspend" : "load");
	text(out, alarm->limit);
}

/* Print the reason of a state. If only the qmaster knows it, print this. */
static void explain_put(const struct queues *queues, struct out *out, const struct fl_view *view,
			const struct queue_row *row)
{
	struct fl_alarm alarm;

	for (size_t k = 0; fl_alarm(view, row->number, k, &alarm) == 0; k++)
		if (strchr(queues->explain, alarm.suspends ? 'A' : 'a')) {
			out_text(out, "\t");
			queues_alarm_text(out, &alarm, text_plain);
			out_text(out, "\n");
		}
	if (strchr(queues->explain, 'c') && strchr(row->instance.state, 'c'))
		out_text(out, "\t" QUEUES_AMBIGUOUS "\n");
	if (strchr(queues->explain, 'E') && strchr(row->instance.state, 'E'))
		out_text(out, "\t" QUEUES_IN_ERROR "\n");
}

bool queues_shows(const struct queues *queues, const struct found_value *value)
{
	for (size_t i = 0; i < queues->resources.n; i++) {
		const struct complex *complex = cell_complex(&queues->cell.cell, queues->resources.items[i]);

		if (complex && strcmp(complex->name, value->name) == 0)
			return true;
	}
	return queues->resources.n == 0;
}

static void attributes_put(struct queues *queues, struct out *out, const struct fl_view *view,
			   const struct queue_row *row)
{
	size_t number = row->number;

	queues->error = attributes_of(&queues->found, view, &queues->cell.cell, row->instance.host, &number);
	for (size_t i = 0; i < queues->found.n; i++)
		if (queues_shows(queues, &queues->found.items[i])) {
			out_text(out, "\t");
			attribute_put(out, &queues->found.items[i], true);
			out_text(out, "\n");
		}
}

/* Jobs */

void queues_jobs(struct queues *queues, struct out *out, const struct fl_view *view, uint32_t instance,
		 spread_print *print, void *context)
{
	struct job_listing *listing = &queues->jobs;
	struct fl_job job;
	size_t n;
	const struct placed *placed = placed_of(&queues->placed, instance, &n);

	for (size_t k = 0; k < n && !out->error; k++) {
		if (fl_get(view, FL_STARTED, placed[k].row, &job) || !states_have(&listing->filter, view, &job))
			continue;
		job.slots = placed[k].slots;
		if (listing->spread)
			spread_slots(out, listing, &job, placed[k].slots, placed[k].master, print, context);
		else
			print(out, listing, &job, NULL, context);
	}
}

void queues_jobs_after(struct queues *queues, struct out *out, const struct fl_view *view, row_print *print,
		       void *context)
{
	if (queues->jobs.filter.owners.n > 0)
		stat_each(view, out, &queues->jobs, FL_PENDING, print, context);
}

struct list_end {			/* jobs listed after all instances */
	struct stat_lines lines;
	const struct fl_view *view;
	bool pending, finished;		/* their headings were printed */
};

static void heading_put(struct out *out, const struct job_listing *listing, const char *heading)
{
	char hashes[256];
	size_t n = listing->show & SHOW_EXTENDED ? HASHES + EXTENDED_HASHES : HASHES;

	memset(hashes, '#', n);
	hashes[n] = '\0';
	out_put(out, "\n%s\n%s\n%s\n", hashes, heading, hashes);
}

static void after_print(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct list_end *end = context;
	bool is_finished = strchr(job->state, 'z') != NULL;

	if (is_finished && !end->finished)
		heading_put(out, listing,
			    " --  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  --  ");
	else if (!is_finished && !end->pending)
		heading_put(out, listing,
			    " - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS");
	end->finished |= is_finished;
	end->pending |= !is_finished;
	stat_line_put(out, listing, job, NULL, &end->lines);
}

static void rule_put(struct out *out, const struct job_listing *listing)
{
	char rule[256];
	size_t n = listing->show & SHOW_EXTENDED ? RULE + EXTENDED_RULE : RULE;

	memset(rule, '-', n);
	out_bytes(out, rule, n);
	out_text(out, "\n");
}

int queues_list(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	struct list_end end = { .view = view };
	bool any;
	int code = queues_begin(queues, view, &any);

	if (any)
		stat_lines_below_queues(&end.lines, &queues->jobs, view);
	if (any && queues->nrows > 0)
		out_text(out, "queuename                      qtype resv/used/tot. load_avg arch          states\n");
	for (size_t k = 0; any && k < queues->nrows && queues->error == 0 && !out->error; k++) {
		rule_put(out, &queues->jobs);
		instance_put(out, view, &queues->rows[k].instance);
		if (queues->explain)
			explain_put(queues, out, view, &queues->rows[k]);
		if (queues->attributes)
			attributes_put(queues, out, view, &queues->rows[k]);
		queues_jobs(queues, out, view, queues->rows[k].number, stat_line_put, &end.lines);
	}
	if (any)
		queues_jobs_after(queues, out, view, after_print, &end);
	return code;
}

int queues_names(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	bool any;
	int code = queues_begin(queues, view, &any);

	for (size_t k = 0; any && k < queues->nrows; k++) {
		text_plain(out, queues->rows[k].instance.name);
		out_text(out, "\n");
	}
	return code || !any || queues->nrows > 0 ? code : EXIT_DIFFERENCE;
}
