/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver CELL NOW: events of fairlead-events(5) on standard input, for a scheduler of that cell,
 * followed by a replay that begins and ends at NOW. Its starts go to standard output in the format
 * of fairlead-orders(5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/detach.h"
#include "sched/qmaster/json/events.h"
#include "sched/qmaster/json/order.h"
#include "sched/replay/replay.h"

static int failures;

static void answer(void *context, const char *line, size_t length)
{
	(void)context;
	if (strstr(line, "\"error\"")) {
		failures++;
		fprintf(stderr, "driver: %.*s", (int)length, line);
	}
}

static void started(void *context, const struct replay_task *task)
{
	struct order order = { .number = ++*(uint64_t *)context,
			       .kind = ORDER_START,
			       .job_number = task->job_number,
			       .task = task->task_number,
			       .is_array = task->task > 0 };
	const char *line;
	size_t length;
	struct out out;

	order.start = (struct order_start){ .start_time = task->start,
					    .granted = task->granted,
					    .granted_pe = task->granted_pe,
					    .prio = task->prio,
					    .ntckts = task->ntckts };
	if (out_open_memory(&out, ORDER_LINE_BYTES)) {
		failures++;
		return;
	}
	order_line(&order, &out);
	if (out_held(&out, &line, &length) == 0)
		fwrite(line, 1, length, stdout);
	out_close(&out);
}

static int take(struct sched *sched)
{
	struct intake intake = { .mirror = sched_mirror(sched) };
	struct events events = { .intake = &intake, .answer = answer };
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0)
		events_line(&events, line, (size_t)n - (line[n - 1] == '\n'));
	free(line);
	events_destroy(&events);
	return failures;
}

int main(int argc, char **argv)
{
	int64_t now = argc == 3 ? atoll(argv[2]) : 0;
	const struct replay_options options = { .begin = now };
	uint64_t orders = 0;
	const struct replay_watch watch = { .context = &orders, .started = started };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	struct replay *replay = NULL;
	int rc = now > 0 ? sched_create_detached(&sched, argv[1], NULL, 0, &report, &error) : -1;

	if (rc == 0)
		rc = take(sched);
	if (rc == 0)
		rc = replay_create(&replay, sched, &options, &watch, &error);
	if (rc == 0)
		rc = replay_until(replay, now, &error);
	if (rc)
		fprintf(stderr, "driver: %s\n", error.text);
	replay_destroy(replay);
	sched_destroy(sched);
	report_free(&report);
	return rc || failures;
}
