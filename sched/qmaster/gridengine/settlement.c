/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/settlement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/utf8.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

struct usage_book *usage_book(const struct sge *sge)
{
	return &sge->settlement->usage;
}

int settlement_open(struct sge *sge, struct error *error)
{
	int rc;

	sge->settlement = calloc(1, sizeof(*sge->settlement));
	if (!sge->settlement)
		return error_set(error, -ENOMEM, "out of memory");
	starts_open(&sge->settlement->starts);
	rc = usage_open(sge, error);
	if (rc)
		settlement_close(sge);
	return rc;
}

void settlement_close(struct sge *sge)
{
	if (!sge->settlement)
		return;
	tickets_close(sge);
	usage_close(sge);
	starts_close(&sge->settlement->starts);
	free(sge->settlement);
	sge->settlement = NULL;
}

/* Packets */

bool packet_begin(struct sge *sge, struct packed *packed)
{
	struct error error = { "" };
	char *credential;
	int rc = post_credential(sge->post, &credential, &error);

	*packed = (struct packed){ .credential = credential };
	if (rc)
		log_line(LOG_FAILURE, "no orders are sent, because there is no credential: %s", error.text);
	return rc == 0;
}

uint64_t packet_send(struct sge *sge, struct packed *packed)
{
	uint64_t request = packed->w.rc == 0 && packed->tasks > 0 ? post_send(sge->post, &packed->w) : 0;

	if (!request && packed->tasks > 0)
		log_line(LOG_FAILURE, "out of memory for a packet of %u orders", packed->tasks);
	packed_free(packed);
	free((char *)packed->credential);
	*packed = (struct packed){ 0 };
	return request;
}

/* Events */

void settlement_started(struct sge *sge, uint32_t job_number, uint32_t task)
{
	starts_seen(sge, job_number, task);
}

void settlement_enrolled(struct sge *sge, uint32_t job_number, uint32_t task)
{
	starts_enrolled(sge, job_number, task);
}

void settlement_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking)
{
	if (usage_finished(sge, job_number, task, booking))
		log_line(LOG_FAILURE, "out of memory: task %u of job %u is not removed", task, job_number);
}

void settlement_removed(struct sge *sge, uint32_t job_number, uint32_t task)
{
	starts_gone(sge, job_number, task);
	usage_removed(sge, job_number, task);
}

#define HEARD_NS 1000000000u

static void heard(struct settlement *settlement)
{
	uint64_t until = clock_monotonic_ns() + HEARD_NS;

	settlement->heard_ns = until > settlement->heard_ns ? until : settlement->heard_ns;
}

void settlement_delivered(struct sge *sge)
{
	sge->settlement->heard = true;
	heard(sge->settlement);
	starts_delivered(sge);
	usage_delivered(sge);
}

void settlement_updated(struct sge *sge)
{
	starts_updated(sge);
	usage_updated(sge);
	tickets_forget(sge);
	sge->settlement->info = 0;
	if (place_state(sge) != PLACE_HANDING_BACK)
		settlement_resume(sge);
}

/* Log a refusal of orders once. The answer to each task repeats it. */
static void answer_look(struct sge *sge, const unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_answer answer;
	struct error error;
	char said[200];
	bool refused;

	if (!bytes || gdi_take_header(&buffer, &error) || gdi_take_answer(&buffer, &answer, &error) ||
	    answer.target != GDI_ORDERS)
		return;
	refused = answer.status != GDI_OK && answer.quality <= GDI_ERROR;
	snprintf(said, sizeof(said), "%s", answer.text);
	utf8_clean(said);
	if (refused && !sge->settlement->refused)
		log_line(LOG_FAILURE, "the qmaster refuses our orders: %s", said);
	sge->settlement->refused = refused;
}

/* Handle an answer. A lost answer is handled like an OK, because events show the result. */
void settlement_answered(struct sge *sge, uint64_t request, const unsigned char *bytes, size_t n)
{
	answer_look(sge, bytes, n);
	starts_answered(sge, request);
	usage_answered(sge, request);
	tickets_answered(sge, request);
}

/* Actions */

void settlement_ran(struct sge *sge, int64_t now, bool stored)
{
	struct settlement *settlement = sge->settlement;

	(void)now;
	if (settlement->heard)
		heard(settlement);
	settlement->heard = false;
	starts_note(sge);
	usage_ran(sge, stored);
	tickets_ran(sge);
	settlement->ran = true;
}

/*
 * Send usage orders. Starts are sent first because users wait for them. The removal of finished
 * tasks follows, and values that are only displayed come last.
 */
static void usage_send(struct sge *sge)
{
	struct packed packed;

	while (usage_is_due(sge) && place_is_proven(sge) && packet_begin(sge, &packed)) {
		size_t n = usage_pack(sge, &packed);

		usage_sent(sge, packet_send(sge, &packed));
		if (n == 0)
			break;
	}
}

void settlement_send(struct sge *sge)
{
	struct settlement *settlement = sge->settlement;

	if (!place_is_ours(sge) || mirror_in_snapshot(sge->intake->mirror) ||
	    clock_monotonic_ns() >= settlement->heard_ns)
		return;
	starts_send(sge);
	usage_send(sge);
	tickets_send(sge);
	if (settlement->ran) {
		tree_send(sge);
		info_send(sge);
	}
	settlement->ran = false;
}

/*
 * Forget the ends of tasks while another scheduler is active, or while we register. That scheduler
 * books the ends and removes the tasks. Ends that it does not handle are reported again in the
 * total update when we become the scheduler. We only keep ends during a doubt that passes without
 * an update.
 */
void settlement_watch(struct sge *sge)
{
	if (place_state(sge) != PLACE_DOUBTFUL || !sge->updated)
		mirror_forget_ends(sge->intake->mirror);
}

void settlement_stop(struct sge *sge)
{
	starts_stop(sge);
	usage_stop(sge);
	tickets_stop(sge);
}

bool settlement_finish(struct sge *sge)
{
	sge->settlement->finishing = true;
	return starts_are_settled(sge) && usage_is_settled(sge);
}

void settlement_resume(struct sge *sge)
{
	sge->settlement->finishing = false;
}
