/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations. The qmaster decides where they lie, and when they begin and end. */
#include <errno.h>

#include "sched/qmaster/gridengine/take.h"

/* AR_state, as the letters of qrstat(1): nothing starts in one that is in none of these. */
static const char *state_of(uint32_t state)
{
	switch (state) {
	case 1:
		return "w";
	case 2:
		return "r";
	case 5:
		return "E";
	case 6:
		return "W";
	default:		/* unknown, exited, deleted */
		return "d";
	}
}

static int names_take(struct sge *g, const struct gdi_element *e, struct advance_event *a, struct error *error)
{
	int rc = said_key(e, AR_owner, &a->owner, error);

	rc = rc ? rc : said_shown(g->take, e, AR_name, &a->name, error);
	rc = rc ? rc : said_shown(g->take, e, AR_account, &a->account, error);
	rc = rc ? rc : said_name(e, AR_pe, &a->pe, error);
	rc = rc ? rc : said_name(e, AR_granted_pe, &a->granted_pe, error);
	return rc ? rc : said_name(e, AR_checkpoint_name, &a->ckpt, error);
}

static int lists_take(struct sge *g, const struct gdi_element *e, struct advance_event *a, struct error *error)
{
	int rc = said_requests(g->take, e, AR_resource_list, &a->hard, error);

	rc = rc ? rc : said_queues(g->take, e, AR_queue_list, &a->hard_queues, error);
	rc = rc ? rc : said_queues(g->take, e, AR_master_queue_list, &a->master_queues, error);
	rc = rc ? rc : said_slots(g->take, e, AR_pe_range, &a->pe_range, error);
	rc = rc ? rc : said_access(g->take, e, AR_acl_list, &a->access, error);
	rc = rc ? rc : said_access(g->take, e, AR_xacl_list, &a->no_access, error);
	return rc ? rc : said_granted(g->take, e, AR_granted_slots, &a->granted, error);
}

int take_advance(struct sge *g, const struct gdi_element *e, struct error *error)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_ADVANCE_RESERVATION);
	event.advance.number = gdi_u32(e, AR_id);
	event.advance.state = state_of(gdi_u32(e, AR_state));
	event.advance.submission_time = gdi_u32(e, AR_submission_time);
	event.advance.start_time = gdi_u32(e, AR_start_time);
	event.advance.end_time = gdi_u32(e, AR_end_time);
	event.advance.hard_error = gdi_u32(e, AR_error_handling);
	rc = names_take(g, e, &event.advance, error);
	rc = rc ? rc : lists_take(g, e, &event.advance, error);
	return rc ? rc : take_tell(g, &event, error);
}

int take_advance_delete(struct sge *g, uint32_t number, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_ADVANCE_RESERVATION_DELETE);
	event.advance.number = number;
	return take_tell(g, &event, error);
}
