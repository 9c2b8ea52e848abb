/* SPDX-License-Identifier: Apache-2.0 */
/* Values as sacct prints them. Functions return 0, or -EINVAL: it is none. */
#ifndef SCHED_TRACE_SACCT_VALUES_H
#define SCHED_TRACE_SACCT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct sacct;

/* "12", "12_3", "12_[4-6%2]", "12+1", and "12.batch" of each */
struct sacct_id {
	uint32_t number, task;		/* number + k of a component "12+k" */
	bool is_array, is_component, is_pending, is_step;
};

int sacct_id_read(const char *text, struct sacct_id *id);

/*
 * A local time "2024-01-31T23:59:59", by the zone of $TZ or of this machine, or epoch seconds.
 * "Unknown", "None" and "N/A" are -1.
 */
int sacct_time(struct sacct *sacct, const char *text, int64_t *time);

/*
 * "[days-]hours:minutes:seconds", "minutes:seconds", with a fraction that is cut off, or a plain
 * number of `unit` seconds. "UNLIMITED", "Partition_Limit" and "" are -1.
 */
int sacct_seconds(const char *text, int64_t unit, int64_t *seconds);

/* 0 to `most`; "" is 0 */
int sacct_count(const char *text, int64_t most, int64_t *count);

/*
 * "4000M", "1.5G": MiB without a letter. `of` is 'c' for each CPU, 'n' for each node, 0 for the
 * job. "" and "?" are 0.
 */
int sacct_memory(const char *text, double *bytes, char *of);

#endif
