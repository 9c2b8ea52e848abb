/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load reports of execution hosts. Each slot that a task keeps busy is a load of 1. The only other
 * load is the load beyond its tasks that a host reported before the replay began. A host has as
 * many processors as num_proc, or else as many as slots. All other load values stay as reported, or
 * as in the cell's files.
 */
#include <math.h>
#include <stdio.h>

#include "sched/replay/inside.h"

#define VALUES_MOST 64

struct loads {
	/* Values of one host. Texts belong to the mirror or the cell, or are those below. */
	struct load_report items[VALUES_MOST];
	char texts[3][32];		/* load, load per processor, processors */
	size_t n;
};

static const char *const alone[] = { "load_avg", "load_short", "load_medium", "load_long" };
static const char *const by_processor[] = { "np_load_avg", "np_load_short", "np_load_medium", "np_load_long" };

static void put(struct loads *loads, const char *name, const char *value)
{
	if (loads->n < VALUES_MOST)
		loads->items[loads->n++] = (struct load_report){ name, value };
}

/* Add a value that is not computed here. */
static void put_other(struct loads *loads, const char *name, const char *value)
{
	bool made = strcmp(name, "num_proc") == 0;

	for (size_t i = 0; i < 4; i++)
		made |= strcmp(name, alone[i]) == 0 || strcmp(name, by_processor[i]) == 0;
	if (!made)
		put(loads, name, value);
}

static const struct reported_host *reported_of(const struct replay *replay, const struct machine_host *host)
{
	const struct reported_host *reported = mirror_find_host(sched_mirror(replay->sched), host->name);

	return reported && reported->has_load ? reported : NULL;
}

static void loads_make(const struct replay *replay, const struct machine_host *host, struct loads *loads)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	const struct host_conf *conf = cell_host(sched_cell(replay->sched), host->name);
	const struct reported_host *reported = reported_of(replay, host);
	double load = fmax(host->others + (double)host->busy, 0.0);

	loads->n = 0;
	snprintf(loads->texts[0], sizeof(loads->texts[0]), "%.2f", load);
	snprintf(loads->texts[1], sizeof(loads->texts[1]), "%.6f", load / host->processors);
	snprintf(loads->texts[2], sizeof(loads->texts[2]), "%.0f", host->processors);
	put(loads, "num_proc", loads->texts[2]);
	for (size_t i = 0; i < 4; i++) {
		put(loads, alone[i], loads->texts[0]);
		put(loads, by_processor[i], loads->texts[1]);
	}
	for (size_t i = 0; reported && i < reported->nload; i++)
		put_other(loads, mirror_text(mirror, reported->load[i].name), mirror_text(mirror, reported->load[i].value));
	for (size_t i = 0; !reported && conf && i < conf->load_values.n; i++)
		put_other(loads, conf->load_values.items[i].name, conf->load_values.items[i].text);
}

/* Start from the reported loads, which are kept until the tasks of a host change. */
void loads_begin(struct replay *replay)
{
	const struct mirror *mirror = sched_mirror(replay->sched);

	for (size_t h = 0; h < replay->machine.nhosts; h++) {
		struct machine_host *host = &replay->machine.hosts[h];
		double processors = mirror_load_number(mirror, host->name, "num_proc");

		if (processors >= 1)
			host->processors = processors;
		if (!replay->machine.resumed)
			continue;
		host->others =
			mirror_load_number(mirror, host->name, "np_load_avg") * host->processors - (double)host->busy;
		host->reported_busy = host->busy;
	}
}

int loads_report(struct replay *replay)
{
	struct event event;
	struct loads loads;
	int rc = 0;

	if (!replay->machine.loads)
		return 0;
	event_init(&event, EVENT_HOST_LOAD);
	for (size_t h = 0; h < replay->machine.nhosts && rc == 0; h++) {
		struct machine_host *host = &replay->machine.hosts[h];

		if (host->reported_busy == host->busy)
			continue;
		loads_make(replay, host, &loads);
		event.host.host = host->name;
		event.host.load = (struct load_reports){ loads.items, loads.n };
		rc = replay_send(replay, &event);
		host->reported_busy = host->busy;
	}
	return rc;
}
