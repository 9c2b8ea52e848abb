/* SPDX-License-Identifier: Apache-2.0 */
/* -r: below each row what the job asks for, as qstat(1) has it. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/stat.h"

#define INDENT "       "
#define LABEL_BYTES 18u			/* behind that */

static void begin(struct out *o, const char *label)
{
	char text[64];

	snprintf(text, sizeof(text), INDENT "%s: ", label);
	out_put(o, "%-*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), text);
}

static void put_text(struct out *o, const char *label, const char *text)
{
	if (!*text)
		return;
	begin(o, label);
	text_plain(o, text);
	out_text(o, "\n");
}

/* Whole as it was asked for, from where a separator has none of its own before it. */
static size_t piece(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != ',')
		n += text[n] == '\\' && text[n + 1] ? 2 : 1;
	return n;
}

static void put_piece(struct out *o, const char *text, size_t n)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%.*s", (int)(n < sizeof(copy) ? n : sizeof(copy) - 1), text);
	text_plain(o, copy);
}

/* One below the other; a name alone means TRUE. */
static void put_resources(struct out *o, const char *label, const char *text)
{
	begin(o, label);
	if (!*text)
		out_text(o, "\n");
	for (bool first = true; *text; first = false) {
		size_t n = piece(text);

		if (!first)
			out_put(o, "%*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), "");
		put_piece(o, text, n);
		out_text(o, memchr(text, '=', n) ? "\n" : "=TRUE\n");
		text += n + (text[n] == ',');
	}
}

static void put_queues(struct out *o, const char *label, const char *text)
{
	if (!*text)
		return;
	out_put(o, INDENT "%s: ", label);
	for (bool first = true; *text; first = false) {
		size_t n = piece(text);

		out_text(o, first ? "" : ", ");
		put_piece(o, text, n);
		text += n + (text[n] == ',');
	}
	out_text(o, "\n");
}

/* Those that are still there. */
static void put_predecessors(struct out *o, const struct fl_view *view, const struct fl_job *job, bool by_task)
{
	struct fl_job other;
	uint32_t number;
	bool any = false;

	for (size_t k = 0; fl_predecessor(view, job->job_number, by_task, k, &number) == 0; k++) {
		if (fl_find(view, number, 0, &other))
			continue;
		out_put(o, any ? ", %u" : by_task ? INDENT "Predecessor Array Jobs: %u" : INDENT "Predecessor Jobs: %u", number);
		any = true;
	}
	out_text(o, any ? "\n" : "");
}

static void put_pes(struct out *o, const struct fl_job *job)
{
	if (*job->pe) {
		begin(o, "Requested PE");
		text_plain(o, job->pe);
		out_text(o, " ");
		text_plain(o, job->pe_range);
		out_text(o, "\n");
	}
	if (*job->granted_pe) {
		begin(o, "Granted PE");
		text_plain(o, job->granted_pe);
		out_put(o, " %u\n", job->slots);
	}
}

void requests_put(const struct fl_view *view, struct out *o, const struct fl_job *job)
{
	struct fl_request r;

	if (fl_request(view, job->job_number, &r))
		r = (struct fl_request){ .hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "" };
	put_text(o, "Full jobname", job->name);
	put_text(o, "Master Queue", job->queue);
	put_pes(o, job);
	put_text(o, "Checkpoint Env.", r.checkpoint);
	put_resources(o, "Hard Resources", job->hard_resources);
	put_resources(o, "Soft Resources", job->soft_resources);
	put_queues(o, "Hard requested queues", r.hard_queues);
	put_queues(o, "Soft requested queues", r.soft_queues);
	put_queues(o, "Master task hard requested queues", r.master_queues);
	put_predecessors(o, view, job, false);
	put_predecessors(o, view, job, true);
	put_text(o, "Binding", "NONE");
}
