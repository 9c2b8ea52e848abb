/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders must say of the qmaster's objects and the mirror has no use for: versions, which tasks
 * are enrolled, what is booked there. Filled by take*.c, read by settlement.c and packed_*.c. A total
 * update builds it anew beside the one in force.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_KNOWN_H
#define SCHED_QMASTER_GRIDENGINE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known;

struct known_job {
	uint32_t job_number, version;	/* JB_version */
	bool is_array, immediate;	/* JB_type */
};

struct known *known_create(void);	/* NULL: no memory */
void known_destroy(struct known *k);

/* NULL, false: not known. */
const struct known_job *known_job(const struct known *k, uint32_t job_number);
bool known_instance_version(const struct known *k, const char *queue, uint32_t *version);	/* "q@host" */
bool known_pe_controls_slaves(const struct known *k, const char *pe);
/* As the last USER_* or PROJECT_* has it: orders about usage must name it. */
bool known_user_version(const struct known *k, const char *user, uint32_t *version);
bool known_project_version(const struct known *k, const char *project, uint32_t *version);
uint32_t known_tree_version(const struct known *k);	/* of the root */
/* Is this task of this job still at the qmaster with status finished (0x10000), to be removed? */
bool known_finished(const struct known *k, uint32_t job_number, uint32_t task);

#endif
