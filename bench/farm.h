/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster of any size to start jobs on: hosts with loads of their own and a consumable, several
 * queues on each, parallel environments, and jobs of so many categories. The users and policies are
 * those of bench/cell.h.
 */
#ifndef BENCH_FARM_H
#define BENCH_FARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/mirror.h"

enum farm_kind {
	/*
	 * sequential and parallel, some that only few hosts can take, some with -q; hosts are alike
	 */
	FARM_MIXED,
	FARM_PLAIN			/* sequential, -l mem=; hosts have 8 to 64 GB */
};

struct farm {
	enum farm_kind kind;
	size_t jobs;			/* pending */
	size_t hosts, queues, slots;	/* `slots` of a queue instance */
	size_t categories;
	/* pending jobs with -R y, ahead of all others; max_reservation is this, too */
	size_t reservations;
	bool reserve;			/* false: the same jobs, max_reservation 0 */
	/* slots of each queue instance that are taken when the run begins */
	size_t running;
	bool adjust;			/* job_load_adjustments */
	uint32_t seed;
};

#define FARM_USERS 1000

/* Into an empty directory. 0 or -errno. */
int farm_write(const char *directory, const struct farm *farm);

/*
 * Tell a mirror of the hosts and queue instances; of what runs and what is pending. 0 or -errno,
 * and why on stderr.
 */
int farm_add_hosts(struct mirror *mirror, const struct farm *farm);
int farm_add_jobs(struct mirror *mirror, const struct farm *farm, int64_t now);

#endif
