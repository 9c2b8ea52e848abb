/* SPDX-License-Identifier: Apache-2.0 */
/* Print advance reservations as qrstat -xml does. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/reserve.h"
#include "sched/cli/text.h"

#define SCHEMA "http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qrstat/qrstat.xsd"

static void element(struct out *o, const char *name, const char *text)
{
	if (!text || !*text) {
		out_put(o, "      <%s/>\n", name);
		return;
	}
	out_put(o, "      <%s>", name);
	text_xml(o, text);
	out_put(o, "</%s>\n", name);
}

static void element_given(struct out *o, const char *name, const char *text)
{
	if (text && *text)
		element(o, name, text);
}

static void element_time(struct out *o, const char *name, int64_t time)
{
	static struct local_clock clock;

	out_put(o, "      <%s>", name);
	out_take(o, clock_put(&clock, out_room(o, 2 * TIME_BYTES), time, TIME_ISO));
	out_put(o, "</%s>\n", name);
}

/* The parts that -ar adds. */
static void in_full(struct out *o, const struct advance_event *a)
{
	if (a->submission_time)
		element_time(o, "submission_time", a->submission_time);
	element_given(o, "account", a->account);
	element_given(o, "resource_list", a->hard);
	element_given(o, "queue_list", a->hard_queues);
	element_given(o, "master_queue_list", a->master_queues);
	element_given(o, "checkpoint", a->ckpt);
	out_text(o, "      <granted_slots_list>\n");
	for (size_t i = 0; i < a->granted.n; i++) {
		out_text(o, "         <granted_slots  queue_instance=\"");
		text_xml(o, a->granted.items[i].queue);
		out_put(o, "\" slots=\"%u\"/>\n", a->granted.items[i].slots);
	}
	out_text(o, "      </granted_slots_list>\n");
}

static void summary(struct out *o, struct reserve_stat *s, const struct advance_event *a)
{
	out_put(o, "   <ar_summary>\n      <id>%u</id>\n", a->number);
	element(o, "name", a->name);
	element(o, "owner", a->owner);
	element(o, "state", a->state);
	element_time(o, "start_time", a->start_time);
	element_time(o, "end_time", a->end_time);
	out_text(o, "      <duration>");
	reserve_duration(o, a->end_time - a->start_time);
	out_text(o, "</duration>\n");
	if (s->numbers.n > 0)
		in_full(o, a);
	out_text(o, "   </ar_summary>\n");
}

int reserve_stat_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct reserve_stat *s = context;
	int code;

	out_text(out, "<?xml version='1.0'?>\n<qrstat xmlns:xsd=\"" SCHEMA "\">\n");
	code = reserve_each(view, out, s, summary);
	if (s->numbers.n > 0 && s->found == 0) {
		out_text(out, "   <ar_unknown>\n");
		for (size_t i = 0; i < s->numbers.n; i++)
			element(out, "id", s->numbers.items[i]);
		out_text(out, "   </ar_unknown>\n");
	}
	out_text(out, "</qrstat>\n");
	return code;
}
