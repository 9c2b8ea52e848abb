/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of one generation in private memory, and the difference between two generations.
 *
 * An image has objects: the tables of the generation, its chunks of facts and its chunks of
 * results. An object has blocks of IMAGE_BLOCK_BYTES; the last one may be shorter. The sending
 * relay compares each block with the copy that was sent before, and sends the blocks that differ.
 * The receiving relay puts these blocks into its own copy. It publishes the copy as a generation of
 * its own segment, see shm/generation.h. Readers of this segment have the same guarantees as
 * readers of the scheduler's segment.
 *
 * Offsets are not sent, because each segment has its own offsets. The numbers in tables and chunks
 * are indices and string ids, which are the same in both segments.
 */
#ifndef SCHED_RELAY_IMAGE_H
#define SCHED_RELAY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "shm/facts.h"
#include "shm/read.h"

#define IMAGE_BLOCK_BYTES 65536u
#define IMAGE_MOST_BYTES ((uint64_t)16 << 30)	/* largest image that is accepted */

struct image_object {
	uint8_t *bytes;
	uint64_t size, capacity;
	uint8_t *changed;		/* by block: 1: not sent yet */
	size_t nblocks;
};

struct image {				/* zero-initialised */
	uint64_t rows;
	unsigned char head[HEAD_BYTES];
	struct image_object tables[MAX_TABLES];
	struct image_object *facts, *results;	/* by chunk */
	size_t nchunks;
	uint64_t facts_bytes, results_bytes;	/* bytes of a chunk */
};

/* Return the bytes of a record of a table. 0: no such table. */
size_t image_record_bytes(unsigned table);

/*
 * Copy the generation of a section, and mark the blocks that differ. Marks that were set stay set.
 * The copy is valid only if the section ends successfully. Otherwise copy the generation again.
 * Returns 0, -ENOMEM, or -EPROTO if the generation is damaged.
 */
int image_take(struct image *image, const struct view *view);
/* Remove all marks, after they have been sent. */
void image_sent(struct image *image);
/* Return the bytes of all marked blocks, or of all blocks. */
uint64_t image_bytes(const struct image *image, bool all);

/*
 * Resize the objects of the image to the sizes in a received header. New bytes are zero. Returns 0,
 * -ENOMEM, or -EPROTO if the sizes are impossible or have more than `growth` bytes more than
 * before.
 */
int image_shape(struct image *image, uint64_t rows, const uint64_t counts[MAX_TABLES], uint64_t results_bytes,
		uint64_t growth);
/* Return an object by its number: tables, then facts, then results. NULL: there is none. */
struct image_object *image_object(const struct image *image, uint32_t number);
uint32_t image_objects(const struct image *image);

/*
 * Publish the image as the next generation. `facts` belongs to the segment of this relay. Returns
 * 0, -ENOMEM, or an error of segment_announce().
 */
int image_publish(struct image *image, struct segment *segment, struct facts *facts);

void image_free(struct image *image);

#endif
