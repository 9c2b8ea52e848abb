/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of cluster queues, byte for byte like qstat(1) -g c, and as a table with bars for people. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/queues/queues.h"

#define RULE "--------------------------------------------------------------------------------"
#define BAR 20u				/* width of the bars */

/* columns aoACDS and cdsuE of qstat -g c */
enum queue_condition { QUEUE_OPEN, QUEUE_BUSY, QUEUE_CLOSED };

static enum queue_condition queue_condition(const char *state)
{
	if (strpbrk(state, "cdsuE"))
		return QUEUE_CLOSED;
	return strpbrk(state, "aoACDS") ? QUEUE_BUSY : QUEUE_OPEN;
}

static void sum_add(struct queue_sum *sum, const struct fl_instance *instance)
{
	enum queue_condition condition = queue_condition(instance->state);

	sum->instances++;
	sum->total += instance->slots;
	sum->used += instance->used;
	sum->reserved += instance->reserved;
	sum->available +=
		condition == QUEUE_OPEN && instance->slots > instance->used ? instance->slots - instance->used : 0;
	sum->busy += condition == QUEUE_BUSY ? instance->slots : 0;
	sum->closed += condition == QUEUE_CLOSED ? instance->slots : 0;
	for (size_t k = 0; *instance->state && k < sizeof(sum->by_letter) / sizeof(*sum->by_letter); k++)
		sum->by_letter[k] += strchr(instance->state, QUEUE_LETTERS[k]) ? instance->slots : 0;
	if (instance->host_available && instance->np_load_avg >= 0) {
		sum->load += instance->np_load_avg;
		sum->loads++;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct queue_sum *)a)->name, ((const struct queue_sum *)b)->name);
}

struct queue_sum *queues_sum(const struct queues *queues, size_t *n)
{
	struct queue_sum *sums = NULL;
	size_t capacity = 0, at = 0;

	*n = 0;
	for (size_t k = 0; k < queues->nrows; k++) {
		const struct fl_instance *instance = &queues->rows[k].instance;

		/* instances of a queue are consecutive, unless their seq_no differ */
		if (at >= *n || strcmp(sums[at].name, instance->queue) != 0)
			for (at = 0; at < *n && strcmp(sums[at].name, instance->queue) != 0; at++)
				;
		if (at == *n && *n == capacity) {
			struct queue_sum *more = reallocarray(sums, 2 * capacity + 16, sizeof(*more));

			if (!more) {
				free(sums);
				return NULL;
			}
			sums = more;
			capacity = 2 * capacity + 16;
		}
		if (at == *n)
			sums[(*n)++] = (struct queue_sum){ .name = instance->queue };
		sum_add(&sums[at], instance);
	}
	if (*n > 0)
		qsort(sums, *n, sizeof(*sums), by_name);
	return sums ? sums : calloc(1, sizeof(*sums));
}

static void load_text(char text[32], const struct queue_sum *sum)
{
	double load = sum->loads ? sum->load / sum->loads : 0.0;

	snprintf(text, 32, sum->loads && load < 1e6 ? "%.2f" : "-NA-", load);
}

static void sum_put(const struct queues *queues, struct out *out, const struct queue_sum *sum)
{
	char name[64], load[32];

	*text_column(name, *sum->name ? sum->name : "-", 30) = '\0';
	load_text(load, sum);
	out_put(out, "%s %7s %6lu %6lu %6lu %6lu %6lu %6lu ", name, load, sum->used, sum->reserved, sum->available,
		sum->total, sum->busy, sum->closed);
	for (size_t k = 0; queues->jobs.show & SHOW_EXTENDED && k < sizeof(sum->by_letter) / sizeof(*sum->by_letter);
	     k++)
		out_put(out, "%5lu ", sum->by_letter[k]);
	out_text(out, "\n");
}

int queues_begin_sums(struct queues *queues, const struct fl_view *view, struct queue_sum **sums, size_t *n)
{
	bool any;
	int code = queues_begin(queues, view, &any);

	*n = 0;
	*sums = any ? queues_sum(queues, n) : NULL;
	if (any && !*sums)
		queues->error = -ENOMEM;
	return code;
}

int queues_table(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	struct queue_sum *sums;
	size_t n;
	int code = queues_begin_sums(queues, view, &sums, &n);

	if (n > 0) {
		out_text(out, "CLUSTER QUEUE                   CQLOAD   USED    RES  AVAIL  TOTAL aoACDS  cdsuE  ");
		for (const char *p = QUEUE_LETTERS; (queues->jobs.show & SHOW_EXTENDED) && *p; p++)
			out_put(out, p[1] ? "%5c " : "%5c", *p);
		out_put(out, "\n%s%.*s\n", RULE, queues->jobs.show & SHOW_EXTENDED ? 66 : 0, RULE);
	}
	for (size_t k = 0; k < n; k++)
		sum_put(queues, out, &sums[k]);
	free(sums);
	return code;
}

/* Text with bars */

/* Draw a bar: # used, - free, . not available now. */
static void bar_put(char bar[BAR + 1], const struct queue_sum *s)
{
	uint64_t used = s->total ? (s->used < s->total ? s->used : s->total) * BAR / s->total : 0;
	uint64_t open = s->total ? s->available * BAR / s->total : 0;

	if (s->used > 0 && used == 0)
		used = 1;
	if (s->available > 0 && open == 0)
		open = 1;
	if (used + open > BAR)
		used = BAR - open;
	/* slots that are neither used nor closed are free, regardless of rounding */
	if (s->used + s->available == s->total && s->available > 0)
		open = BAR - used;
	memset(bar, '.', BAR);
	memset(bar, '#', used);
	memset(bar + used, '-', open);
	if (s->used == s->total && s->total > 0)
		memset(bar, '#', BAR);
	bar[BAR] = '\0';
}

/* Print why slots are not available: the number for each state letter. */
static void states_put(struct out *out, const struct queue_sum *sum)
{
	static const struct {
		char letter;
		const char *words;
	} words[] = {
		{ 'd', "disabled" },
		{ 'D', "closed by calendar" },
		{ 's', "suspended" },
		{ 'S', "suspended by another queue" },
		{ 'C', "suspended by calendar" },
		{ 'a', "load too high" },
		{ 'A', "suspended by load" },
		{ 'u', "host unknown" },
		{ 'E', "in error" },
		{ 'c', "ambiguous" },
		{ 'o', "orphaned" },
	};
	bool first = true;

	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
		uint64_t slots = sum->by_letter[strchr(QUEUE_LETTERS, words[k].letter) - QUEUE_LETTERS];

		if (slots > 0)
			out_put(out, "%s%lu %s", first ? "  " : ", ", slots, words[k].words);
		first = first && slots == 0;
	}
}

static size_t name_width(const struct queue_sum *sums, size_t n)
{
	size_t width = strlen("queue");

	for (size_t k = 0; k < n; k++)
		if (strlen(sums[k].name) > width)
			width = strlen(sums[k].name);
	return width < 30 ? width : 30;
}

int queues_picture(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	struct queue_sum *sums;
	size_t n, width;
	int code = queues_begin_sums(queues, view, &sums, &n);

	width = name_width(sums, n);
	if (n > 0)
		out_put(out, "%-*s  %-*s  %6s %6s %6s %8s %6s %6s\n", (int)width, "queue", (int)BAR, "# used - free",
			"used", "free", "slots", "reserved", "hosts", "load");
	for (size_t k = 0; k < n; k++) {
		char name[64], load[32], bar[BAR + 1];

		*text_column(name, *sums[k].name ? sums[k].name : "-", width) = '\0';
		load_text(load, &sums[k]);
		bar_put(bar, &sums[k]);
		out_put(out, "%s  %s  %6lu %6lu %6lu %8lu %6u %6s", name, bar, sums[k].used, sums[k].available,
			sums[k].total, sums[k].reserved, sums[k].instances, load);
		states_put(out, &sums[k]);
		out_text(out, "\n");
	}
	free(sums);
	return code;
}
