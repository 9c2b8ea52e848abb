/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiving side: the writer of a segment of its own, with the runs of the sender. If the
 * sender is silent, the last run stays published, and readers see its age.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/relay/message.h"
#include "sched/relay/relay.h"
#include "sched/run/records.h"
#include "sched/wire/subscriber.h"

#define ASK_NS 2000000000ull		/* time until all blocks are requested again */
#define SILENT_NS 10000000000ull	/* time without a message until it is logged */

struct receiver {
	const struct relay_options *options;
	struct wire_subscriber *subscriber;
	struct segment segment;
	struct facts facts;
	struct image image;
	bool has_segment;
	/* stream and sequence number of the image; 0: all blocks are needed */
	uint64_t stream, sequence;
	char topic[TOPIC_BYTES];	/* topic on which all blocks are requested; "": none */
	uint64_t asked_ns, heard_ns;
	bool silent;
	/* last error about a message that was logged; 0: none since a good one */
	int refused;
};

/* Requests */

/* Subscribe to a topic of our own, on which the sender answers with all blocks. */
static void ask(struct receiver *receiver)
{
	uint64_t id, now = clock_monotonic_ns();

	if (receiver->asked_ns && now - receiver->asked_ns < ASK_NS)
		return;
	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return;
	if (*receiver->topic)
		subscriber_unsubscribe(receiver->subscriber, receiver->topic);
	snprintf(receiver->topic, sizeof(receiver->topic), MESSAGE_ONE "%0*" PRIx64, MESSAGE_ID_CHARS, id);
	if (subscriber_subscribe(receiver->subscriber, receiver->topic))
		*receiver->topic = '\0';
	receiver->asked_ns = now;
}

static void answered(struct receiver *receiver)
{
	subscriber_unsubscribe(receiver->subscriber, receiver->topic);
	*receiver->topic = '\0';
	receiver->asked_ns = 0;
}

/* Messages */

/* Log an error once, and again after a message that was good. */
static void refusal_log(struct receiver *receiver, int rc, const char *failed, const char *reason)
{
	if (rc != receiver->refused)
		log_line(LOG_ODD, "%s: %s", failed, reason);
	receiver->refused = rc;
}

/* Put a message into the image and publish it. After an error all blocks are requested again. */
static void take(struct receiver *receiver, const struct message_header *header, const struct stream_part *part)
{
	struct error error = { "" };
	int rc = message_apply(header, part, &receiver->image, &error);

	if (rc == 0) {
		rc = image_publish(&receiver->image, &receiver->segment, &receiver->facts);
		if (rc)
			error_set(&error, rc, "shared memory: %s", strerror(-rc));
	}
	if (rc) {
		refusal_log(receiver, rc, "a run is not published", error.text);
		receiver->sequence = 0;
		return;
	}
	receiver->refused = 0;
	receiver->stream = header->stream;
	receiver->sequence = header->sequence;
}

static void message(void *context, const char *topic, const struct stream_part parts[STREAM_PARTS])
{
	struct receiver *receiver = context;
	struct message_header header;
	struct error error = { "" };
	bool is_whole = *receiver->topic && strcmp(topic, receiver->topic) == 0;

	if (receiver->silent)
		log_line(LOG_NOTE, "runs arrive again");
	receiver->silent = false;
	receiver->heard_ns = clock_monotonic_ns();
	if (message_header(&parts[0], &header, &error)) {
		refusal_log(receiver, -EPROTO, "a message is refused", error.text);
		return;
	}
	if (is_whole && header.base == 0) {
		image_free(&receiver->image);
		take(receiver, &header, &parts[1]);
		answered(receiver);
	} else if (receiver->sequence > 0 && header.stream == receiver->stream && header.base == receiver->sequence) {
		if (header.sequence != header.base)
			take(receiver, &header, &parts[1]);
	} else if (strcmp(topic, MESSAGE_ALL) == 0 && header.sequence > 0 &&
		   !(header.stream == receiver->stream && header.sequence <= receiver->sequence)) {
		ask(receiver);
	}
	if (receiver->sequence == 0)
		ask(receiver);
}

static void tick(void *context)
{
	struct receiver *receiver = context;

	if (receiver->sequence == 0)
		ask(receiver);
	if (!receiver->silent && clock_monotonic_ns() - receiver->heard_ns > SILENT_NS) {
		log_line(LOG_ODD,
			 "no message from %s for %llu s: is fairlead-relay --serve running there, and does it know the "
			 "key of this host?",
			 receiver->options->from, SILENT_NS / 1000000000ull);
		receiver->silent = true;
	}
}

static void receiver_handle(void *context)
{
	subscriber_handle(((struct receiver *)context)->subscriber);
}

/* Opening */

static int segment_open(struct receiver *receiver, struct error *error)
{
	const struct relay_options *options = receiver->options;
	const struct segment_options made = { .file_bytes = options->bytes,
					      .mode = options->group >= 0 ? 0640 : 0644,
					      .group = options->group,
					      .records = RECORDS_VERSION };
	struct segment_trouble trouble;
	int rc = segment_create(&receiver->segment, options->cell, &made, &trouble);

	if (rc == -EBUSY)
		return error_set(error, rc, "%s: process %u already publishes runs of this cell on this machine",
				 options->cell, trouble.pid);
	if (rc)
		return error_set(error, rc, "%s: shared memory: %s%s%s", options->cell, strerror(-rc),
				 *trouble.path ? ": " : "", trouble.path);
	receiver->has_segment = true;
	receiver->facts = (struct facts){ .segment = &receiver->segment, .chunk_bytes = sizeof(struct job_facts) };
	return 0;
}

static int subscriber_begin(struct receiver *receiver, struct error *error)
{
	const struct subscriber_options options = { .endpoint = receiver->options->from, .keys = receiver->options->keys,
					     .name = receiver->options->name, .most_bytes = IMAGE_MOST_BYTES };
	const struct subscriber_calls calls = { .context = receiver, .message = message, .tick = tick };
	int rc = subscriber_open(&receiver->subscriber, &options, &calls, error);

	if (rc == 0 && (rc = subscriber_subscribe(receiver->subscriber, MESSAGE_ALL)))
		error_set(error, rc, "ZeroMQ: %s", strerror(-rc));
	return rc;
}

int receiver_run(const struct relay_options *options, struct error *error)
{
	struct receiver *receiver = calloc(1, sizeof(*receiver));
	int rc;

	if (!receiver)
		return error_set(error, -ENOMEM, "out of memory");
	receiver->options = options;
	receiver->heard_ns = clock_monotonic_ns();
	rc = segment_open(receiver, error);
	if (rc == 0)
		rc = subscriber_begin(receiver, error);
	if (rc == 0) {
		const struct relay_side side = { .side = receiver,
						 .fd = subscriber_fd(receiver->subscriber),
						 .handle = receiver_handle };

		log_line(LOG_NOTE, "runs of %s are received from %s", options->cell, options->from);
		rc = relay_loop(&side, options->interval_ms, error);
	}
	subscriber_close(receiver->subscriber);
	if (receiver->has_segment) {
		facts_free(&receiver->facts);
		segment_close(&receiver->segment);
	}
	image_free(&receiver->image);
	free(receiver);
	return rc;
}
