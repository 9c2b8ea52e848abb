/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a relay. A message has two parts: a header, and blocks of an image compressed by zstd.
 *
 *     topic "D"       the blocks that differ from the message before; sent to all subscribers
 *     topic "K" + id  all blocks, for the one subscriber that chose this id
 *
 * Each new generation has a sequence number. A message says on which one it builds, 0: on none. A
 * subscriber that has another one, because it is new or has lost a message, asks for all blocks by
 * subscribing to "K" + id. A message "D" whose sequence number equals its base says only that the
 * sender lives.
 *
 * Numbers are those of this machine's byte order. The magic number differs on others, which are
 * refused.
 */
#ifndef SCHED_RELAY_MESSAGE_H
#define SCHED_RELAY_MESSAGE_H

#include "sched/relay/image.h"
#include "sched/wire/publisher.h"

#define MESSAGE_ALL "D"
#define MESSAGE_ONE "K"
#define MESSAGE_ID_CHARS 16

struct message_header {
	uint64_t magic;
	uint32_t version;		/* of this struct and of struct message_block */
	uint32_t records;		/* RECORDS_VERSION of the sender */
	uint64_t stream;		/* chosen at random when the sender starts */
	uint64_t sequence, base;
	uint64_t rows, results_bytes;
	uint64_t counts[MAX_TABLES];	/* records of each table */
	uint64_t nblocks, bytes;	/* blocks; bytes of the second part before compression */
	unsigned char head[HEAD_BYTES];
};

/*
 * Make a message with all blocks, or with those that are marked. The parts are from malloc(3).
 * Returns 0 or -ENOMEM.
 */
int message_make(const struct image *image, bool all, uint64_t stream, uint64_t sequence, uint64_t base,
		 struct stream_part parts[STREAM_PARTS]);
/* Make a message without blocks: nothing has changed since `sequence`. */
int message_make_empty(uint64_t stream, uint64_t sequence, struct stream_part parts[STREAM_PARTS]);

/*
 * Check and copy the header of a received message. Returns 0, or -EPROTO with the reason in `error`.
 */
int message_header(const struct stream_part *part, struct message_header *header, struct error *error);
/*
 * Put the blocks into the image, whose shape becomes that of the header. Returns 0, -ENOMEM, or
 * -EPROTO with the reason in `error`; the image must then be received again as a whole.
 */
int message_apply(const struct message_header *header, const struct stream_part *part, struct image *image,
		  struct error *error);

#endif
