/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/settlement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/utf8.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

struct usage_book *usage_book(const struct sge *g)
{
	return &g->settlement->usage;
}

int settlement_open(struct sge *g, struct error *error)
{
	int rc;

	g->settlement = calloc(1, sizeof(*g->settlement));
	if (!g->settlement)
		return error_set(error, -ENOMEM, "out of memory");
	starts_open(&g->settlement->starts);
	rc = usage_open(g, error);
	if (rc)
		settlement_close(g);
	return rc;
}

void settlement_close(struct sge *g)
{
	if (!g->settlement)
		return;
	tickets_close(g);
	usage_close(g);
	starts_close(&g->settlement->starts);
	free(g->settlement);
	g->settlement = NULL;
}

/* Packets */

bool packet_begin(struct sge *g, struct packed *p)
{
	struct error error = { "" };
	char *credential = post_credential(g->post, &error);

	*p = (struct packed){ .credential = credential };
	if (!credential)
		log_line(LOG_FAILURE, "nothing can be ordered without a credential: %s", error.text);
	return credential != NULL;
}

uint64_t packet_send(struct sge *g, struct packed *p)
{
	uint64_t request = p->w.rc == 0 && p->tasks > 0 ? post_send(g->post, &p->w) : 0;

	if (!request && p->tasks > 0)
		log_line(LOG_FAILURE, "no memory for a packet of %u orders", p->tasks);
	packed_free(p);
	free((char *)p->credential);
	*p = (struct packed){ 0 };
	return request;
}

/* What is seen */

void settlement_started(struct sge *g, uint32_t job_number, uint32_t task)
{
	starts_seen(g, job_number, task);
}

void settlement_enrolled(struct sge *g, uint32_t job_number, uint32_t task)
{
	starts_enrolled(g, job_number, task);
}

void settlement_finished(struct sge *g, uint32_t job_number, uint32_t task, bool booking)
{
	if (usage_finished(g, job_number, task, booking))
		log_line(LOG_FAILURE, "no memory to have task %u of job %u removed", task, job_number);
}

bool settlement_booked(const struct sge *g, uint32_t job_number, uint32_t task)
{
	return usage_booked(g, job_number, task);
}

void settlement_removed(struct sge *g, uint32_t job_number, uint32_t task)
{
	starts_gone(g, job_number, task);
	usage_removed(g, job_number, task);
}

#define HEARD_NS 1000000000u

static void heard(struct settlement *s)
{
	uint64_t until = clock_monotonic_ns() + HEARD_NS;

	s->heard_ns = until > s->heard_ns ? until : s->heard_ns;
}

void settlement_delivered(struct sge *g)
{
	g->settlement->heard = true;
	heard(g->settlement);
	starts_delivered(g);
	usage_delivered(g);
}

void settlement_updated(struct sge *g)
{
	starts_updated(g);
	usage_updated(g);
	tickets_forget(g);
	g->settlement->info = 0;
	if (place_state(g) != PLACE_HANDING_BACK)
		settlement_resume(g);
}

/* Whether somebody may order at all is said with each task alike: told once. */
static void answer_look(struct sge *g, const unsigned char *bytes, size_t n)
{
	struct gdi_buffer b = { bytes, bytes + n };
	struct gdi_answer answer;
	struct error error;
	char said[200];
	bool refused;

	if (!bytes || gdi_take_header(&b, &error) || gdi_take_answer(&b, &answer, &error) || answer.target != GDI_ORDERS)
		return;
	refused = answer.status != GDI_OK && answer.quality <= GDI_ERROR;
	snprintf(said, sizeof(said), "%s", answer.text);
	utf8_clean(said);
	if (refused && !g->settlement->refused)
		log_line(LOG_FAILURE, "the qmaster takes no orders from us: %s", said);
	g->settlement->refused = refused;
}

/* An answer that is lost says as much as an OK: what became of it is seen. */
void settlement_answered(struct sge *g, uint64_t request, const unsigned char *bytes, size_t n)
{
	answer_look(g, bytes, n);
	starts_answered(g, request);
	usage_answered(g, request);
	tickets_answered(g, request);
}

/* What is done */

void settlement_ran(struct sge *g, int64_t now, bool stored)
{
	struct settlement *s = g->settlement;

	(void)now;
	if (s->heard)
		heard(s);
	s->heard = false;
	starts_note(g);
	usage_ran(g, stored);
	tickets_ran(g);
	s->ran = true;
}

/*
 * Starts first, as somebody waits for them; then what others wait for: the removal of finished
 * tasks. Values that are only looked at come last.
 */
static void usage_send(struct sge *g)
{
	struct packed p;

	while (usage_is_due(g) && place_is_proven(g) && packet_begin(g, &p)) {
		size_t n = usage_pack(g, &p);

		usage_sent(g, packet_send(g, &p));
		if (n == 0)
			break;
	}
}

void settlement_send(struct sge *g)
{
	struct settlement *s = g->settlement;

	if (!place_is_ours(g) || mirror_in_snapshot(g->intake->mirror) || clock_monotonic_ns() >= s->heard_ns)
		return;
	starts_send(g);
	usage_send(g);
	tickets_send(g);
	if (s->ran) {
		tree_send(g);
		info_send(g);
	}
	s->ran = false;
}

/*
 * Who has the place books the ends that are told meanwhile, and removes these tasks; what he does
 * not come to is told again by the update that follows, when the place is ours. So it is while the
 * place is being taken, too. Only a doubt that passes without an update leaves ends to us.
 */
void settlement_watch(struct sge *g)
{
	if (place_state(g) != PLACE_DOUBTFUL || !g->updated)
		mirror_forget_ends(g->intake->mirror);
}

void settlement_stop(struct sge *g)
{
	starts_stop(g);
	usage_stop(g);
	tickets_stop(g);
}

bool settlement_finish(struct sge *g)
{
	g->settlement->finishing = true;
	return starts_are_settled(g) && usage_is_settled(g);
}

void settlement_resume(struct sge *g)
{
	g->settlement->finishing = false;
}
