/* SPDX-License-Identifier: Apache-2.0 */
/* Print advance reservations as qrstat -xml does. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/jobs/reserve.h"
#include "sched/cli/text.h"

#define SCHEMA "http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qrstat/qrstat.xsd"

static void element(struct out *out, const char *name, const char *text)
{
	if (!text || !*text) {
		out_put(out, "      <%s/>\n", name);
		return;
	}
	out_put(out, "      <%s>", name);
	text_xml(out, text);
	out_put(out, "</%s>\n", name);
}

static void element_given(struct out *out, const char *name, const char *text)
{
	if (text && *text)
		element(out, name, text);
}

static void element_time(struct out *out, const char *name, int64_t time)
{
	static struct local_clock clock;

	out_put(out, "      <%s>", name);
	out_take(out, clock_put(&clock, out_room(out, 2 * TIME_BYTES), time, TIME_ISO));
	out_put(out, "</%s>\n", name);
}

/* Print the elements that -ar adds. */
static void in_full(struct out *out, const struct advance_event *event)
{
	if (event->submission_time)
		element_time(out, "submission_time", event->submission_time);
	element_given(out, "account", event->account);
	element_given(out, "resource_list", event->hard);
	element_given(out, "queue_list", event->hard_queues);
	element_given(out, "master_queue_list", event->master_queues);
	element_given(out, "checkpoint", event->ckpt);
	out_text(out, "      <granted_slots_list>\n");
	for (size_t i = 0; i < event->granted.n; i++) {
		out_text(out, "         <granted_slots  queue_instance=\"");
		text_xml(out, event->granted.items[i].queue);
		out_put(out, "\" slots=\"%u\"/>\n", event->granted.items[i].slots);
	}
	out_text(out, "      </granted_slots_list>\n");
}

static void summary(struct out *out, struct reserve_stat *stat, const struct advance_event *event)
{
	out_put(out, "   <ar_summary>\n      <id>%u</id>\n", event->number);
	element(out, "name", event->name);
	element(out, "owner", event->owner);
	element(out, "state", event->state);
	element_time(out, "start_time", event->start_time);
	element_time(out, "end_time", event->end_time);
	out_text(out, "      <duration>");
	reserve_duration(out, event->end_time - event->start_time);
	out_text(out, "</duration>\n");
	if (stat->numbers.n > 0)
		in_full(out, event);
	out_text(out, "   </ar_summary>\n");
}

int reserve_stat_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct reserve_stat *stat = context;
	int code;

	out_text(out, "<?xml version='1.0'?>\n<qrstat xmlns:xsd=\"" SCHEMA "\">\n");
	code = reserve_each(view, out, stat, summary);
	if (stat->numbers.n > 0 && stat->found == 0) {
		out_text(out, "   <ar_unknown>\n");
		for (size_t i = 0; i < stat->numbers.n; i++)
			element(out, "id", stat->numbers.items[i]);
		out_text(out, "   </ar_unknown>\n");
	}
	out_text(out, "</qrstat>\n");
	return code;
}
