/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances as qstat(1) -f prints them, to the byte. */
#include <string.h>

#include "sched/cli/queues.h"

#define RULE "---------------------------------------------------------------------------------\n"

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

static void threshold_put(struct out *o, const struct fl_alarm *a)
{
	static const char sources[] = { [FL_NOTHING] = '-', [FL_REPORTED] = 'l', [FL_CONFIGURED] = 'f', [FL_CONSUMABLE] = 'c' };

	out_text(o, "\talarm ");
	if (a->source != FL_NOTHING)
		out_put(o, "%c%c:", "ghq"[a->level], sources[a->source]);
	text_plain(o, a->name);
	if (*a->text) {
		out_text(o, "=");
		text_plain(o, a->text);
	} else if (a->source != FL_NOTHING) {
		out_put(o, a->source == FL_CONSUMABLE ? "=%.3f" : "=%f", a->value);
	} else {
		out_text(o, "=unknown");
	}
	out_put(o, " %s-threshold=", a->suspends ? "suspend" : "load");
	text_plain(o, a->limit);
	out_text(o, "\n");
}

/* Of a state that only the qmaster can explain, that is said. */
static void explain_put(const struct queues *q, struct out *o, const struct fl_view *view, const struct queue_row *row)
{
	struct fl_alarm a;

	for (size_t k = 0; fl_alarm(view, row->number, k, &a) == 0; k++)
		if (strchr(q->explain, a.suspends ? 'A' : 'a'))
			threshold_put(o, &a);
	if (strchr(q->explain, 'c') && strchr(row->instance.state, 'c'))
		out_text(o, "\tconfiguration ambiguous: several host groups say something else for this host\n");
	if (strchr(q->explain, 'E') && strchr(row->instance.state, 'E'))
		out_text(o, "\tqueue in error state: the qmaster's log has the job that failed here\n");
}

static bool is_shown(const struct queues *q, const struct found_value *a)
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
		if (is_shown(q, &q->found.items[i])) {
			out_text(o, "\t");
			attribute_put(o, &q->found.items[i], true);
			out_text(o, "\n");
		}
}

int queues_list(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *q = context;
	bool any;
	int code = queues_begin(q, view, &any);
	size_t n;

	if (any && q->nrows > 0)
		out_text(out, "queuename                      qtype resv/used/tot. load_avg arch          states\n");
	for (size_t k = 0; any && k < q->nrows && q->error == 0 && !out->error; k++) {
		const struct placed *placed = placed_of(&q->placed, q->rows[k].number, &n);

		out_text(out, RULE);
		instance_put(out, view, &q->rows[k].instance);
		if (q->explain)
			explain_put(q, out, view, &q->rows[k]);
		if (q->attributes)
			attributes_put(q, out, view, &q->rows[k]);
		for (size_t p = 0; p < n; p++)
			job_lines_queue(&q->lines, out, view, &placed[p]);
	}
	if (any && q->users.n > 0)
		job_lines_pending(&q->lines, out, view, &q->users);
	return code;
}
