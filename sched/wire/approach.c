/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/approach.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#define EVENTS_A_LOOK 256

int approach_open(struct approach *a, void *zmq, void *socket)
{
	const int now = 0, events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
				    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
				    ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
	char name[64];

	approach_close(a);
	snprintf(name, sizeof(name), "inproc://fairlead-approach-%p", socket);
	a->monitor = zmq_socket(zmq, ZMQ_PAIR);
	if (!a->monitor)
		return -errno;
	zmq_setsockopt(a->monitor, ZMQ_LINGER, &now, sizeof(now));
	return zmq_socket_monitor(socket, name, events) || zmq_connect(a->monitor, name) ? -errno : 0;
}

void approach_close(struct approach *a)
{
	if (a->monitor)
		zmq_close(a->monitor);
	*a = (struct approach){ .outcome = a->outcome };
}

static void event_take(struct approach *a, uint16_t event)
{
	switch (event) {
	case ZMQ_EVENT_CONNECTED:
		a->connected = true;
		break;
	case ZMQ_EVENT_CONNECT_RETRIED:		/* behind each failure, of whatever kind */
		a->outcome = a->connected ? a->outcome : APPROACH_NOBODY;
		a->connected = false;
		break;
	case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
		a->outcome = APPROACH_REFUSED;
		break;
	case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
		a->outcome = APPROACH_MET;
		break;
	default:
		a->outcome = APPROACH_BROKEN;
		break;
	}
}

void approach_look(struct approach *a)
{
	char event[256], address[256];
	uint16_t id;
	int n;

	for (int k = 0; k < EVENTS_A_LOOK && a->monitor; k++) {
		n = zmq_recv(a->monitor, event, sizeof(event), ZMQ_DONTWAIT);
		if (n < (int)sizeof(id))
			return;
		memcpy(&id, event, sizeof(id));
		(void)zmq_recv(a->monitor, address, sizeof(address), ZMQ_DONTWAIT);
		event_take(a, id);
	}
}

const char *approach_why(enum approach_outcome outcome)
{
	static const char *const why[] = {
		[APPROACH_NOBODY] = "nobody takes the connection",
		[APPROACH_BROKEN] = "the connection is ended at once: no scheduler listens there, or it has another key than scheduler.pub",
		[APPROACH_REFUSED] = "the scheduler does not know this host's key: its --keys directory needs the public one",
		[APPROACH_MET] = "the connection is there, but the scheduler begins no session",
	};

	return why[outcome];
}
