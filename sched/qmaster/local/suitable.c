/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qsub -w: check whether the requests of a job could ever be satisfied here. Otherwise the job is
 * refused (e), or accepted with a note (w, and without -w). v and p only ask; n checks nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "sched/dispatch/phase.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static int verify(struct local *local, const struct local_job *job, struct error *why)
{
	const struct job_spec *spec = &job->request.spec;
	const struct advance_wish wish = {
		.owner = job->owner,
		.group = job->group,
		.project = job_text(spec->project, NULL),
		.hard = job_text(spec->hard, NULL),
		.pe = job_text(spec->pe, NULL),
		.pe_range = job_text(spec->pe_range, NULL),
		.hard_queues = job_text(spec->hard_queues, NULL),
		.master_queues = job_text(spec->master_queues, NULL),
		.ckpt = job_text(spec->ckpt, NULL),
		.now = spec->now,
	};

	/* instances of an advance reservation were found when it was made */
	if (spec->ar > 0)
		return 0;
	return sched_verify(local->sched, clock_date(), &wish, why);
}

/*
 * Get a memory value such as "h_vmem=100G" of a -l list in bytes. Returns false if it is not
 * requested or is unlimited.
 */
static bool memory_asked(const char *list, const char *name, double *bytes)
{
	size_t length = strlen(name), n;
	char value[64];

	for (const char *at = list; *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (strncmp(at, name, length) != 0 || at[length] != '=' || n - length > sizeof(value))
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)(n - length - 1), at + length + 1);
		return number_parse(value, bytes) == 0 && *bytes > 0 && *bytes < 0x1p60;
	}
	return false;
}

/*
 * Add a note if a memory limit exceeds the memory of the machine. The job may start, but it cannot
 * use what it requests. Usually another unit was meant.
 */
static void memory_note(const struct local_job *job, char note[NOTE_BYTES])
{
	static const char *const names[] = { "h_vmem", "s_vmem", "h_rss", "s_rss" };
	const char *hard = job_text(job->request.spec.hard, "");
	double bytes, has = machine_memory_bytes();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !*note && has > 0; i++)
		if (memory_asked(hard, names[i], &bytes) && bytes > has)
			snprintf(note, NOTE_BYTES,
				 "warning: %s is more than this machine has: %.1fG of memory and swap", names[i],
				 has / 0x1p30);
}

int suitable_check(struct local *local, struct local_job *job, const struct value *request, char note[NOTE_BYTES],
		   struct error *error)
{
	const struct value *asked = value_member(request, "check");
	const char *check = value_text(asked);
	struct error why = { "" };
	int rc;

	*note = '\0';
	if (asked && asked->type != VALUE_NULL && (!check || strlen(check) != 1 || !strchr("ewnpv", *check)))
		return error_set(error, -EINVAL, "check: one letter of e w n p v is expected");
	if (check && *check == 'n')
		return 0;
	rc = verify(local, job, &why);
	if (rc == -ENOMEM)
		return error_set(error, rc, "out of memory");
	if (rc == 0) {
		memory_note(job, note);
		return 0;
	}
	if (check && strchr("evp", *check)) {
		job->memory.taking.refusal.reason = REPLY_NO_SUITABLE_QUEUE;
		return error_set(error, -EINVAL, "%s: %s",
				 *check == 'e' ? "error: no suitable queues" : "verification: no suitable queues",
				 why.text);
	}
	snprintf(note, NOTE_BYTES, "warning: no suitable queues: %s; it waits until the cell has what it requests",
		 why.text);
	return 0;
}

void suitable_answer(struct client *client, uint32_t number, int rc, const struct refusal_reason *refusal,
		     const struct error *error)
{
	if (rc == 0)
		result_add(client, REPLY_VERIFIED, number, 0, "verification: found suitable queue(s)");
	else
		result_refuse(client, rc, refusal, number, error->text);
}
