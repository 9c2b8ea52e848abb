/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of values printed by sacct. They return 0, or -EINVAL: the text is invalid. */
#ifndef SCHED_TRACE_SACCT_VALUES_H
#define SCHED_TRACE_SACCT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct sacct;

/* Job id: "12", "12_3", "12_[4-6%2]", "12+1", and a step of each, such as "12.batch". */
struct sacct_id {
	uint32_t number, task;		/* for a component "12+k" the number is 12 + k */
	bool is_array, is_component, is_pending, is_step;
};

int sacct_id_read(const char *text, struct sacct_id *id);

/*
 * Read a local time "2024-01-31T23:59:59", in the zone of $TZ or of this machine, or epoch seconds.
 * "Unknown", "None" and "N/A" are -1.
 */
int sacct_time(struct sacct *sacct, const char *text, int64_t *time);

/*
 * Read "[days-]hours:minutes:seconds" or "minutes:seconds", whose fraction is cut, or a plain
 * number of `unit` seconds. "UNLIMITED", "Partition_Limit" and "" are -1.
 */
int sacct_seconds(const char *text, int64_t unit, int64_t *seconds);

/* Read a number from 0 to `most`; "" is 0. */
int sacct_count(const char *text, int64_t most, int64_t *count);

/*
 * Read "4000M" or "1.5G"; without a letter it is MiB. `of` is 'c' for each CPU, 'n' for each node,
 * 0 for the job. "" and "?" are 0.
 */
int sacct_memory(const char *text, double *bytes, char *of);

#endif
