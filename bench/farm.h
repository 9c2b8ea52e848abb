/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster of any size for starting jobs: hosts with different loads and a consumable, several
 * queues on each host, parallel environments, and jobs of a given number of categories. Users and
 * policies are those of bench/cell.h.
 */
#ifndef BENCH_FARM_H
#define BENCH_FARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/mirror.h"

enum farm_kind {
	/* sequential and parallel, some for few hosts only, some with -q; all hosts are equal */
	FARM_MIXED,
	FARM_PLAIN			/* sequential, -l mem=; hosts have 8 to 64 GB */
};

struct farm {
	enum farm_kind kind;
	size_t jobs;			/* pending jobs */
	size_t hosts, queues, slots;	/* `slots` is per queue instance */
	size_t categories;
	/* pending jobs with -R y, before all others; also the value of max_reservation */
	size_t reservations;
	bool reserve;			/* false: the same jobs with max_reservation 0 */
	/* slots of each queue instance that are in use when the run begins */
	size_t running;
	bool adjust;			/* job_load_adjustments */
	uint32_t seed;
};

#define FARM_USERS 1000

/* Write the cell's files into an empty directory. Returns 0 or -errno. */
int farm_write(const char *directory, const struct farm *farm);

/*
 * Add the hosts and queue instances, or the running and pending jobs, to a mirror. Returns 0, or
 * -errno with a message on stderr.
 */
int farm_add_hosts(struct mirror *mirror, const struct farm *farm);
int farm_add_jobs(struct mirror *mirror, const struct farm *farm, int64_t now);

#endif
