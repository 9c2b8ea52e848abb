/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations. The qmaster decides where they are placed, and when they begin and end. */
#include <errno.h>

#include "sched/qmaster/gridengine/take.h"

/*
 * Convert AR_state to the letters of qrstat(1). Nothing starts in a reservation in any other state.
 */
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

static int names_take(struct sge *sge, const struct gdi_element *element, struct advance_event *event,
		      struct error *error)
{
	int rc = said_key(element, AR_owner, &event->owner, error);

	rc = rc ? rc : said_shown(sge->take, element, AR_name, &event->name, error);
	rc = rc ? rc : said_shown(sge->take, element, AR_account, &event->account, error);
	rc = rc ? rc : said_name(element, AR_pe, &event->pe, error);
	rc = rc ? rc : said_name(element, AR_granted_pe, &event->granted_pe, error);
	return rc ? rc : said_name(element, AR_checkpoint_name, &event->ckpt, error);
}

static int lists_take(struct sge *sge, const struct gdi_element *element, struct advance_event *event,
		      struct error *error)
{
	int rc = said_requests(sge->take, element, AR_resource_list, &event->hard, error);

	rc = rc ? rc : said_queues(sge->take, element, AR_queue_list, &event->hard_queues, error);
	rc = rc ? rc : said_queues(sge->take, element, AR_master_queue_list, &event->master_queues, error);
	rc = rc ? rc : said_slots(sge->take, element, AR_pe_range, &event->pe_range, error);
	rc = rc ? rc : said_access(sge->take, element, AR_acl_list, &event->access, error);
	rc = rc ? rc : said_access(sge->take, element, AR_xacl_list, &event->no_access, error);
	return rc ? rc : said_granted(sge->take, element, AR_granted_slots, &event->granted, error);
}

int take_advance(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_ADVANCE_RESERVATION);
	event.advance.number = gdi_u32(element, AR_id);
	event.advance.state = state_of(gdi_u32(element, AR_state));
	event.advance.submission_time = gdi_u32(element, AR_submission_time);
	event.advance.start_time = gdi_u32(element, AR_start_time);
	event.advance.end_time = gdi_u32(element, AR_end_time);
	event.advance.hard_error = gdi_u32(element, AR_error_handling);
	rc = names_take(sge, element, &event.advance, error);
	rc = rc ? rc : lists_take(sge, element, &event.advance, error);
	return rc ? rc : take_to_mirror(sge, &event, error);
}

int take_advance_delete(struct sge *sge, uint32_t number, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_ADVANCE_RESERVATION_DELETE);
	event.advance.number = number;
	return take_to_mirror(sge, &event, error);
}
