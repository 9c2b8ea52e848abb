/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sending side. It is a reader of the cell as every other one, and costs the scheduler nothing,
 * however many subscribers there are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/relay/message.h"
#include "sched/relay/relay.h"
#include "sched/run/records.h"
#include "shm/attach.h"

#define ALIVE_NS 1000000000ull		/* time without a message until an empty one is sent */
#define ASKED_MOST 64			/* subscribers that are served in one turn */

struct sender {
	const struct relay_options *options;
	struct attachment attachment;
	bool attached, is_new;		/* is_new: a generation was copied that was not sent */
	int attach_rc;			/* reason that was logged, 0: none */
	struct wire_publisher *publisher;
	struct image image;
	bool is_torn;			/* the image has parts of several runs: a section failed */
	uint64_t stream, sequence;	/* sequence: of the image that was sent; 0: none */
	/* generation of the image, and creation of its file, because numbers may repeat */
	uint64_t gen;
	int64_t created;
	uint64_t damaged_gen;		/* generation whose damage was logged */
	uint64_t sent_ns;		/* time of the last message to all */
	struct stream_part whole[STREAM_PARTS];	/* message with all blocks; bytes NULL: not made */
	char asked[ASKED_MOST][TOPIC_BYTES];	/* topics of subscribers that need all blocks */
	size_t nasked;
};

/* Reading */

static bool attach(struct sender *sender)
{
	int rc;

	if (sender->attached)
		return true;
	rc = attach_open(&sender->attachment, sender->options->cell, RECORDS_VERSION);
	if (rc && rc != sender->attach_rc)
		log_line(rc == -ENOENT ? LOG_NOTE : LOG_ODD, "%s cannot be read yet: %s", sender->options->cell,
			 rc == -ENOENT ? "nothing is published" : strerror(-rc));
	sender->attach_rc = rc;
	sender->attached = rc == 0;
	return rc == 0;
}

/* Copy the newest generation, if it was not copied before. */
static void look(struct sender *sender)
{
	struct view view;
	uint64_t gen;
	int64_t created;
	int rc;

	if (!attach(sender))
		return;
	attach_begin(&sender->attachment, &view);
	gen = view.gen;
	created = sender->attachment.header->created;
	rc = gen == 0 || (gen == sender->gen && created == sender->created) ? -EAGAIN
									    : image_take(&sender->image, &view);
	if (attach_end(&sender->attachment, &view) && rc != -EAGAIN) {
		sender->is_torn = true;
		return;
	}
	if (rc == -EAGAIN)
		return;
	sender->is_torn = rc != 0;
	if (rc) {
		if (gen != sender->damaged_gen)
			log_line(LOG_ODD, "generation %llu is not sent: %s", (unsigned long long)gen,
				 rc == -ENOMEM ? "out of memory" : "the data in shared memory is damaged");
		sender->damaged_gen = gen;
		return;
	}
	sender->gen = gen;
	sender->created = created;
	sender->is_new = true;
}

/* Sending */

static void send(struct sender *sender, const char *topic, struct stream_part parts[STREAM_PARTS])
{
	int rc = publisher_send(sender->publisher, topic, parts);

	if (rc)
		log_line(LOG_ODD, "a message was not sent: %s", strerror(-rc));
}

static void difference_send(struct sender *sender)
{
	struct stream_part parts[STREAM_PARTS];

	if (message_make(&sender->image, false, sender->stream, sender->sequence + 1, sender->sequence, parts)) {
		log_line(LOG_ODD, "a run is not sent: out of memory");
		return;
	}
	sender->sequence++;
	image_sent(&sender->image);
	sender->is_new = false;
	sender->sent_ns = clock_monotonic_ns();
	send(sender, MESSAGE_ALL, parts);
}

static void whole_free(struct sender *sender)
{
	for (int k = 0; k < STREAM_PARTS; k++)
		free(sender->whole[k].bytes);
	memset(sender->whole, 0, sizeof(sender->whole));
}

/* Copy the message with all blocks, which is made once for all subscribers that ask. */
static int whole_copy(struct sender *sender, struct stream_part parts[STREAM_PARTS])
{
	if (!sender->whole[0].bytes &&
	    message_make(&sender->image, true, sender->stream, sender->sequence, 0, sender->whole)) {
		memset(sender->whole, 0, sizeof(sender->whole));
		return -ENOMEM;
	}
	for (int k = 0; k < STREAM_PARTS; k++) {
		parts[k] = (struct stream_part){ malloc(sender->whole[k].size + 1), sender->whole[k].size };
		if (parts[k].bytes)
			memcpy(parts[k].bytes, sender->whole[k].bytes, parts[k].size);
	}
	if (parts[0].bytes && parts[1].bytes)
		return 0;
	free(parts[0].bytes);
	free(parts[1].bytes);
	return -ENOMEM;
}

/* Send all blocks to each subscriber that has asked. */
static void whole_send(struct sender *sender)
{
	if (sender->sequence == 0 || sender->is_torn || sender->is_new)
		return;			/* at a later turn */
	for (size_t k = 0; k < sender->nasked; k++) {
		struct stream_part parts[STREAM_PARTS];

		if (whole_copy(sender, parts))
			log_line(LOG_ODD, "a run is not sent: out of memory");
		else
			send(sender, sender->asked[k], parts);
	}
	sender->nasked = 0;
	whole_free(sender);
}

static void alive_send(struct sender *sender)
{
	struct stream_part parts[STREAM_PARTS];

	if (clock_monotonic_ns() - sender->sent_ns < ALIVE_NS ||
	    message_make_empty(sender->stream, sender->sequence, parts))
		return;
	sender->sent_ns = clock_monotonic_ns();
	send(sender, MESSAGE_ALL, parts);
}

static void sender_tick(void *context)
{
	struct sender *sender = context;

	look(sender);
	if (sender->is_new && !sender->is_torn)
		difference_send(sender);
	else
		alive_send(sender);
	whole_send(sender);
}

static void sender_handle(void *context)
{
	publisher_handle(((struct sender *)context)->publisher);
}

static void subscribed(void *context, const char *topic)
{
	struct sender *sender = context;

	if (strncmp(topic, MESSAGE_ONE, strlen(MESSAGE_ONE)) == 0 && sender->nasked < ASKED_MOST)
		strcpy(sender->asked[sender->nasked++], topic);
}

static void odd(void *context, const char *text)
{
	(void)context;
	log_line(LOG_ODD, "%s", text);
}

static int sender_reload(void *context, struct error *error)
{
	return publisher_keys(((struct sender *)context)->publisher, error);
}

int sender_run(const struct relay_options *options, struct error *error)
{
	struct sender *sender = calloc(1, sizeof(*sender));
	const struct publisher_options publisher = { .endpoint = options->serve, .keys = options->keys };
	const struct publisher_calls calls = { .context = sender, .subscribed = subscribed, .odd = odd };
	int rc;

	if (!sender)
		return error_set(error, -ENOMEM, "out of memory");
	sender->options = options;
	if (getrandom(&sender->stream, sizeof(sender->stream), 0) != (ssize_t)sizeof(sender->stream))
		rc = error_set(error, -errno, "getrandom: %m");
	else
		rc = publisher_open(&sender->publisher, &publisher, &calls, error);
	if (rc == 0) {
		const struct relay_side side = { .side = sender,
						 .fd = publisher_fd(sender->publisher),
						 .handle = sender_handle,
						 .tick = sender_tick,
						 .reload = sender_reload };

		log_line(LOG_NOTE, "runs of %s are sent at %s", options->cell, publisher_endpoint(sender->publisher));
		rc = relay_loop(&side, options->interval_ms, error);
	}
	publisher_close(sender->publisher);
	if (sender->attached)
		attach_close(&sender->attachment);
	image_free(&sender->image);
	free(sender);
	return rc;
}
