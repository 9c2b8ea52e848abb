/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/approach.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#define EVENTS_A_LOOK 256

int approach_open(struct approach *approach, void *zmq, void *socket)
{
	const int now = 0, events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
				    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
				    ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
	char name[64];

	approach_close(approach);
	snprintf(name, sizeof(name), "inproc://fairlead-approach-%p", socket);
	approach->monitor = zmq_socket(zmq, ZMQ_PAIR);
	if (!approach->monitor)
		return -errno;
	zmq_setsockopt(approach->monitor, ZMQ_LINGER, &now, sizeof(now));
	return zmq_socket_monitor(socket, name, events) || zmq_connect(approach->monitor, name) ? -errno : 0;
}

void approach_close(struct approach *approach)
{
	if (approach->monitor)
		zmq_close(approach->monitor);
	*approach = (struct approach){ .outcome = approach->outcome };
}

static void event_take(struct approach *approach, uint16_t event)
{
	switch (event) {
	case ZMQ_EVENT_CONNECTED:
		approach->connected = true;
		break;
	case ZMQ_EVENT_CONNECT_RETRIED:		/* follows each failure, of any kind */
		approach->outcome = approach->connected ? approach->outcome : APPROACH_NO_LISTENER;
		approach->connected = false;
		break;
	case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
		approach->outcome = APPROACH_REFUSED;
		break;
	case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
		approach->outcome = APPROACH_ESTABLISHED;
		break;
	default:
		approach->outcome = APPROACH_BROKEN;
		break;
	}
}

void approach_read(struct approach *approach)
{
	char event[256], address[256];
	uint16_t id;
	int n;

	for (int k = 0; k < EVENTS_A_LOOK && approach->monitor; k++) {
		n = zmq_recv(approach->monitor, event, sizeof(event), ZMQ_DONTWAIT);
		if (n < (int)sizeof(id))
			return;
		memcpy(&id, event, sizeof(id));
		(void)zmq_recv(approach->monitor, address, sizeof(address), ZMQ_DONTWAIT);
		event_take(approach, id);
	}
}

const char *approach_why(enum approach_outcome outcome)
{
	static const char *const why[] = {
		[APPROACH_NO_LISTENER] = "no process accepts the connection",
		[APPROACH_BROKEN] =
			("the connection is closed at once: no scheduler listens there, or its key is not that of "
			 "scheduler.pub"),
		[APPROACH_REFUSED] =
			"the scheduler does not know this host's key: add the public key to its --keys directory",
		[APPROACH_ESTABLISHED] = "the connection is established, but the scheduler begins no session",
	};

	return why[outcome];
}
