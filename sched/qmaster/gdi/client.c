/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/link.h"

#define CLOSE_MS 2000			/* longest wait for a peer to agree to close */

struct gdi_client {
	struct gdi_link link;
	int timeout_ms;
	unsigned char *answer;		/* answer to the last call */
};

/* Wait for the next message or for a state. Returns 1, 0 when the state was reached, or -errno. */
static int client_wait(struct gdi_client *client, struct gdi_frame *frame, enum gdi_link_state until, uint64_t end_ns,
		       struct error *error)
{
	int rc = 0;

	for (;;) {
		struct pollfd wait = { client->link.fd, gdi_link_events(&client->link), 0 };
		uint64_t now = clock_monotonic_ns(), due = gdi_link_due_ns(&client->link);

		rc = gdi_link_next(&client->link, frame, now, error);
		if (rc || client->link.state == until)
			return rc;
		due = due < end_ns ? due : end_ns;
		if (now >= end_ns)
			return error_set(error, -ETIMEDOUT, "the qmaster on %s does not answer within %.1f s",
					 client->link.host, client->timeout_ms / 1e3);
		wait.events = gdi_link_events(&client->link);
		if (poll(&wait, 1, (int)((due > now ? due - now : 0) / 1000000) + 1) < 0 && errno != EINTR)
			return error_set(error, -errno, "waiting for the qmaster: %s", strerror(errno));
		rc = gdi_link_handle(&client->link, clock_monotonic_ns(), error);
		if (rc)
			return rc;
	}
}

static uint64_t end_of(int timeout_ms)
{
	return clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
}

int gdi_client_open(struct gdi_client **client, const struct gdi_cell *cell, int timeout_ms, struct error *error)
{
	struct gdi_client *gdi_client = calloc(1, sizeof(*gdi_client));
	struct gdi_frame frame;
	int rc;

	*client = NULL;
	if (!gdi_client)
		return error_set(error, -ENOMEM, "out of memory");
	gdi_client->timeout_ms = timeout_ms;
	rc = gdi_link_open(&gdi_client->link, cell, cell->qmaster, clock_monotonic_ns(), error);
	if (rc == 0)
		rc = client_wait(gdi_client, &frame, GDI_LINK_OPEN, end_of(timeout_ms), error);
	if (rc == 0)
		*client = gdi_client;
	else
		gdi_client_close(gdi_client);
	return rc;
}

void gdi_client_close(struct gdi_client *client)
{
	struct gdi_frame frame;
	struct error error;

	if (!client)
		return;
	gdi_link_close(&client->link);
	if (client->link.state == GDI_LINK_CLOSING) {
		uint64_t end_ns = end_of(CLOSE_MS);

		while (client_wait(client, &frame, GDI_LINK_NONE, end_ns, &error) > 0)
			free(frame.data);
	}
	gdi_link_free(&client->link);
	free(client->answer);
	free(client);
}

int gdi_client_call(struct gdi_client *client, const struct gdi_writer *packet, struct gdi_buffer *answer,
		    struct error *error)
{
	uint64_t end_ns = end_of(client->timeout_ms);
	unsigned char *bytes = packet->rc ? NULL : malloc(packet->n + 1);
	struct gdi_frame frame;
	uint32_t id = 0;
	int rc;

	if (bytes) {
		memcpy(bytes, packet->bytes, packet->n);
		id = gdi_link_send(&client->link, GDI_TAG_REQUEST, bytes, packet->n);
	}
	if (id == 0)
		return error_set(error, -ENOMEM, "out of memory for a request");
	rc = gdi_link_handle(&client->link, clock_monotonic_ns(), error);
	if (rc)
		return rc;
	/* skip messages that do not answer the request */
	while ((rc = client_wait(client, &frame, GDI_LINK_NONE, end_ns, error)) > 0 &&
	       (frame.tag != GDI_TAG_REQUEST || frame.answers != id))
		free(frame.data);
	if (rc <= 0)
		return rc;
	free(client->answer);
	client->answer = frame.data;
	*answer = (struct gdi_buffer){ frame.data, frame.data + frame.n };
	return gdi_take_header(answer, error);
}
