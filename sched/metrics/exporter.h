/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages with the metrics of a cell's newest run. The metrics of a run are made only once. The
 * values of the exporter itself are made for each scrape. Nothing is sent to the scheduler.
 */
#ifndef SCHED_METRICS_EXPORTER_H
#define SCHED_METRICS_EXPORTER_H

#include "sched/metrics/exposition.h"
#include "sched/metrics/starts.h"
#include "sched/reader/fairlead.h"

enum exporter_names { NAMES_SLURM = 1, NAMES_GRID = 2 };

struct exporter_options {
	const char *cell; /* directory */
	const char *cluster; /* label; NULL: none */
	struct buckets limits; /* of histograms */
	int64_t users; /* users that are shown one by one; < 0: all */
	unsigned names; /* enum exporter_names */
};

struct body { /* families of a run */
	struct exposition page;
	bool is_open, is_made;
	uint64_t generation;
	int64_t now, late_s; /* clock of the run; age after which it is late, seconds */
};

struct exporter { /* private to exporter.c */
	struct exporter_options options;
	struct fl_cell *handle; /* NULL: not attached */
	int attach_error; /* last error that was logged */
	struct starts starts;
	struct body bodies[PAGE_FORMATS];
	int64_t began; /* epoch seconds */
	uint64_t scrapes, evicted;
	uint64_t observe_ns; /* monotonic time of the next observation */
};

void exporter_open(struct exporter *exporter, const struct exporter_options *options);
void exporter_close(struct exporter *exporter);

/*
 * Observe the started tasks of the newest run if it is time, and attach to the cell if necessary.
 * Call it again at `observe_ns`.
 */
void exporter_observe(struct exporter *exporter);

/* Make a page. The caller frees `*text`. Returns 0 or -ENOMEM. */
int exporter_scrape(struct exporter *exporter, enum exposition_format format, char **text, size_t *bytes);

#endif
