/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first line on a terminal: of which cell and run the picture is, how much runs and waits in
 * it, and whether its scheduler lives.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/cli/age.h"
#include "sched/cli/stat.h"
#include "sched/cli/width.h"

struct line {
	char text[1024];
	size_t n;
	const char *between;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *format, ...)
{
	va_list arguments;
	int n;

	if (l->n > 0)
		l->n += (size_t)snprintf(l->text + l->n, sizeof(l->text) - l->n, "%s", l->between);
	va_start(arguments, format);
	n = vsnprintf(l->text + l->n, sizeof(l->text) - l->n, format, arguments);
	va_end(arguments);
	l->n = l->n + (size_t)n < sizeof(l->text) - 8 ? l->n + (size_t)n : sizeof(l->text) - 8;
}

static uint64_t slots_used(const struct fl_view *view)
{
	size_t n = fl_count(view, FL_STARTED);
	struct fl_job job;
	uint64_t slots = 0;

	for (size_t k = 0; k < n; k++)
		if (fl_get(view, FL_STARTED, k, &job) == 0)
			slots += job.slots;
	return slots;
}

static void add_scheduler(struct line *l, const struct fl_run *run)
{
	int64_t age = run->scheduler_alive ? process_age_s(run->scheduler_pid) : -1;
	char text[AGE_BYTES], state = run->scheduler_alive ? process_state(run->scheduler_pid) : 0;

	if (run->scheduler_pid == 0)
		return;
	if (!run->scheduler_alive)
		add(l, "scheduler %" PRIu32 " has ended", run->scheduler_pid);
	else if (state == 'T' || state == 't')
		add(l, "scheduler %" PRIu32 " is stopped", run->scheduler_pid);
	else if (age >= 0) {
		age_text(age, text);
		add(l, "scheduler %" PRIu32 " up %s", run->scheduler_pid, text);
	} else
		add(l, "scheduler %" PRIu32, run->scheduler_pid);
}

static const char *colour_of(const struct fl_run *run, const struct run_age *age)
{
	return !run->scheduler_alive || process_state(run->scheduler_pid) == 'T' ? "\033[1;31m" : age->age_s > age->late_s ? "\033[33m" : "";
}

void headline_put(const struct fl_view *view, struct out *o, const struct stat *s)
{
	struct line l = { .between = s->terminal.has_utf8 ? " · " : " | " };
	char *name = cli_cell_name(s->cell), text[AGE_BYTES];
	struct run_age age;
	struct fl_run run;
	uint64_t used = slots_used(view);

	fl_run(view, &run);
	age_look(&age, view);
	age_text(age.age_s < 0 ? 0 : age.age_s, text);
	add(&l, "%.200s", name ? name : s->cell);
	add(&l, "run %" PRIu64 ", %s ago, %.2f ms", run.run, text, (double)run.run_ns / 1e6);
	add(&l, "%zu running on %" PRIu64 " of %" PRIu64 " slots", run.started, used, used + run.free_slots);
	add(&l, "%zu waiting", run.pending);
	add_scheduler(&l, &run);
	free(name);
	out_text(o, s->terminal.has_colour ? colour_of(&run, &age) : "");
	if (s->terminal.columns && !s->wide && width_of(l.text) > s->terminal.columns)
		width_put(o, l.text, s->terminal.columns, false, "");
	else
		width_put_all(o, l.text);
	out_text(o, s->terminal.has_colour && *colour_of(&run, &age) ? "\033[0m\n" : "\n");
}
