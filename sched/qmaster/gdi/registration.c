/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/registration.h"

#include <errno.h>

#define COUNT(A) (sizeof(A) / sizeof((A)[0]))
#define EVENTS 2			/* type of a report, and of an acknowledgement */

/* Write all fields of an EV element. The qmaster itself fills in host, connection and user. */
static void client_write(struct gdi_writer *writer, const char *list_name, const struct gdi_registration *registration)
{
	static const struct gdi_word words[] = {
		{ EV_id, 0x703 },
		{ EV_name, 0x8 },
		{ EV_host, 0xc },
		{ EV_commproc, 0x8 },
		{ EV_commid, 0x3 },
		{ EV_uid, 0x3 },
		{ EV_d_time, 0x3 },
		{ EV_flush_delay, 0x3 },
		{ EV_subscribed, 0x9 },
		{ EV_changed, 0x6 },
		{ EV_busy_handling, 0x3 },
		{ EV_session, 0x8 },
		{ EV_last_heard_from, 0x3 },
		{ EV_last_send_time, 0x3 },
		{ EV_next_send_time, 0x3 },
		{ EV_next_number, 0x3 },
		{ EV_busy, 0x3 },
		{ EV_events, 0x9 },
		{ EV_sub_array, 0xb },
		{ EV_state, 0x3 },
		{ EV_update_function, 0xb },
	};
	size_t list = gdi_list_begin(writer, list_name, words, COUNT(words));

	gdi_element_begin(writer, list);
	gdi_write_u32(writer, registration->id);
	gdi_write_text(writer, registration->name);
	gdi_write_text(writer, NULL);		/* host */
	gdi_write_text(writer, NULL);		/* component */
	gdi_write_u32(writer, 0);			/* connection */
	gdi_write_u32(writer, 0);			/* user */
	gdi_write_u32(writer, registration->d_time);
	gdi_write_u32(writer, 0);			/* flush delay */
	gdi_write_subscribed(writer, registration->subscribed, registration->nsubscribed);
	gdi_write_u32(writer, registration->nsubscribed > 0);
	gdi_write_u32(writer, registration->busy);
	gdi_write_text(writer, NULL);		/* session */
	for (int times = 0; times < 3; times++)
		gdi_write_u32(writer, 0);
	gdi_write_u32(writer, 0);			/* next number */
	gdi_write_u32(writer, 0);			/* not busy */
	gdi_write_null(writer);			/* events */
	gdi_write_u32(writer, 0);			/* state */
	gdi_list_end(writer, list);
}

static void packet_write(struct gdi_writer *writer, uint32_t command, const char *list_name,
			 const struct gdi_registration *registration, const char *credential)
{
	gdi_write_header(writer);
	gdi_task_begin(writer, command, GDI_EVENT_CLIENTS);
	client_write(writer, list_name, registration);
	gdi_task_simple(writer, credential, 1, false);
}

void gdi_write_register(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential)
{
	packet_write(writer, GDI_ADD | GDI_RETURN_NEW, "registration", registration, credential);
}

void gdi_write_change(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential)
{
	packet_write(writer, GDI_MOD, "change configuration", registration, credential);
}

void gdi_write_acknowledgement(struct gdi_writer *writer, uint32_t event, uint32_t client)
{
	static const struct gdi_word words[] = {
		{ ACK_type, 0x803 }, { ACK_id, 0x803 }, { ACK_id2, 0x803 }, { ACK_str, 0x808 }
	};

	gdi_write_header(writer);
	gdi_free_element_begin(writer, words, COUNT(words));
	gdi_write_u32(writer, EVENTS);
	gdi_write_u32(writer, event);
	gdi_write_u32(writer, client);
	gdi_write_text(writer, NULL);
}

void gdi_write_leave(struct gdi_writer *writer, uint32_t client)
{
	gdi_write_header(writer);
	gdi_write_u32(writer, client);
}

static int unknown_report(const char *what, struct error *error)
{
	return error_set(error, -EPROTO, "a report of the qmaster %s", what);
}

int gdi_delivery_check(const unsigned char *bytes, size_t n, struct gdi_delivery *delivery, struct error *error)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_list reports, events;
	struct gdi_element report, event;
	int rc;

	*delivery = (struct gdi_delivery){ .n = 0 };
	if ((rc = gdi_take_header(&buffer, error)) != 0 || (rc = gdi_take_list(&buffer, &reports, error)) != 0 ||
	    (rc = gdi_take_end(&buffer, error)) != 0)
		return rc;
	if (reports.left != 1 || !gdi_next(&reports, &report))
		return unknown_report("does not have exactly one list", error);
	if (gdi_u32(&report, REP_type) != EVENTS)
		return unknown_report("is not about events", error);
	events = gdi_list(&report, REP_list);
	delivery->n = events.left;
	if (!gdi_first(&events, &event))
		return 0;
	delivery->first = gdi_u32(&event, ET_number);
	if (delivery->first == 0 || delivery->n - 1 > UINT32_MAX - delivery->first)
		return unknown_report("has invalid event numbers", error);
	return 0;
}

struct gdi_list gdi_delivery_events(const unsigned char *bytes)
{
	struct gdi_list reports = gdi_checked_list(bytes + GDI_HEADER_BYTES);
	struct gdi_element report;

	return gdi_next(&reports, &report) ? gdi_list(&report, REP_list) : (struct gdi_list){ .name = "" };
}

int gdi_take_registered(const unsigned char *bytes, size_t n, uint32_t *client, struct error *error)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_answer answer;
	struct gdi_element element;
	int rc = gdi_take_header(&buffer, error);

	*client = 0;
	if (rc == 0)
		rc = gdi_take_answer(&buffer, &answer, error);
	if (rc)
		return rc;
	if (answer.quality <= GDI_ERROR)
		return error_set(error, -EPERM, "the qmaster refuses: %s", answer.text);
	if (gdi_next(&answer.data, &element))
		*client = gdi_u32(&element, EV_id);
	if (*client == 0)
		return error_set(error, -EPROTO, "the qmaster has not reported the number of the event client");
	return 0;
}
