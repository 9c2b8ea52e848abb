/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a relay. A message has two parts: a header, and blocks of an image, which zstd has
 * compressed.
 *
 *     topic "D"       blocks that differ from those sent before; sent to all subscribers
 *     topic "K" + id  all blocks, for the one subscriber that chose this id
 *
 * Each new generation has a sequence number. `base` is the sequence number of the generation that
 * the receiver must have; 0: none is needed. A subscriber that is new or has lost a message has
 * another generation. It requests all blocks by subscribing to "K" + id. A message "D" whose
 * sequence number equals its base only shows that the sender is running.
 *
 * Numbers are in the byte order of the sender. If the receiver has another byte order, the magic
 * number differs, and the message is refused.
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
 * Check and copy the header of a received message. Returns 0, or -EPROTO with the reason in
 * `error`.
 */
int message_header(const struct stream_part *part, struct message_header *header, struct error *error);
/*
 * Resize the image as in the header, and put the blocks into it. Returns 0, -ENOMEM, or -EPROTO
 * with the reason in `error`. After -EPROTO all blocks must be received again.
 */
int message_apply(const struct message_header *header, const struct stream_part *part, struct image *image,
		  struct error *error);

#endif
