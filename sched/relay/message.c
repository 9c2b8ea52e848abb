/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/relay/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "sched/run/records.h"

#define MAGIC 0x79616c6572646c66u	/* "fldrelay", little endian */
#define VERSION 1u
#define LEVEL 1				/* of zstd: a relay has no time for more */

struct message_block { uint32_t object, block; };	/* followed by the bytes of the block */

static uint64_t bytes_of(const struct image_object *object, uint32_t block)
{
	uint64_t rest = object->size - (uint64_t)block * IMAGE_BLOCK_BYTES;

	return rest < IMAGE_BLOCK_BYTES ? rest : IMAGE_BLOCK_BYTES;
}

/* Making */

static struct message_header *header_make(const struct image *image, uint64_t stream, uint64_t sequence, uint64_t base)
{
	struct message_header *header = calloc(1, sizeof(*header));

	if (!header)
		return NULL;
	*header = (struct message_header){ .magic = MAGIC,
					   .version = VERSION,
					   .records = RECORDS_VERSION,
					   .stream = stream,
					   .sequence = sequence,
					   .base = base };
	if (!image)
		return header;
	header->rows = image->rows;
	header->results_bytes = image->results_bytes;
	memcpy(header->head, image->head, HEAD_BYTES);
	for (unsigned id = 0; id < MAX_TABLES; id++) {
		size_t each = image_record_bytes(id);

		header->counts[id] = each ? image->tables[id].size / each : 0;
	}
	return header;
}

/* Write the blocks one after the other. NULL: memory is exhausted. */
static uint8_t *blocks_write(const struct image *image, bool all, struct message_header *header)
{
	uint64_t most = image_bytes(image, all) + (image_bytes(image, all) / IMAGE_BLOCK_BYTES + image_objects(image)) *
							  sizeof(struct message_block);
	uint8_t *bytes = malloc(most + 1), *to = bytes;

	for (uint32_t k = 0; bytes && k < image_objects(image); k++) {
		const struct image_object *object = image_object(image, k);

		for (uint32_t block = 0; block < object->nblocks; block++) {
			const struct message_block place = { k, block };
			uint64_t n = bytes_of(object, block);

			if (!all && !object->changed[block])
				continue;
			memcpy(to, &place, sizeof(place));
			memcpy(to + sizeof(place), object->bytes + (uint64_t)block * IMAGE_BLOCK_BYTES, n);
			to += sizeof(place) + n;
			header->nblocks++;
		}
	}
	header->bytes = bytes ? (uint64_t)(to - bytes) : 0;
	return bytes;
}

static int compress(const uint8_t *bytes, uint64_t n, struct stream_part *part)
{
	size_t room = ZSTD_compressBound(n);

	part->bytes = malloc(room + 1);
	if (!part->bytes)
		return -ENOMEM;
	part->size = ZSTD_compress(part->bytes, room, bytes, n, LEVEL);
	if (!ZSTD_isError(part->size))
		return 0;
	free(part->bytes);
	return -ENOMEM;
}

int message_make(const struct image *image, bool all, uint64_t stream, uint64_t sequence, uint64_t base,
		 struct stream_part parts[STREAM_PARTS])
{
	struct message_header *header = header_make(image, stream, sequence, base);
	uint8_t *blocks = header ? blocks_write(image, all, header) : NULL;
	int rc = blocks ? compress(blocks, header->bytes, &parts[1]) : -ENOMEM;

	free(blocks);
	if (rc)
		free(header);
	else
		parts[0] = (struct stream_part){ header, sizeof(*header) };
	return rc;
}

int message_make_empty(uint64_t stream, uint64_t sequence, struct stream_part parts[STREAM_PARTS])
{
	struct message_header *header = header_make(NULL, stream, sequence, sequence);

	parts[0] = (struct stream_part){ header, sizeof(*header) };
	parts[1] = (struct stream_part){ NULL, 0 };
	return header ? 0 : -ENOMEM;
}

/* Receiving */

int message_header(const struct stream_part *part, struct message_header *header, struct error *error)
{
	if (part->size != sizeof(*header))
		return error_set(error, -EPROTO, "a header of %zu bytes; %zu are expected", part->size,
				 sizeof(*header));
	memcpy(header, part->bytes, sizeof(*header));
	if (header->magic != MAGIC || header->version != VERSION)
		return error_set(error, -EPROTO,
				 "the sender has another version of the messages of a relay, or another byte order");
	if (header->records != RECORDS_VERSION)
		return error_set(error, -EPROTO,
				 "the sender publishes records of version %u; this program reads version %u",
				 header->records, (unsigned)RECORDS_VERSION);
	if (header->bytes > IMAGE_MOST_BYTES)
		return error_set(error, -EPROTO, "a message of %llu bytes is too long",
				 (unsigned long long)header->bytes);
	return 0;
}

static int blocks_apply(const struct message_header *header, const uint8_t *bytes, struct image *image,
			struct error *error)
{
	uint64_t rest = header->bytes;

	for (uint64_t k = 0; k < header->nblocks; k++) {
		struct message_block place;
		struct image_object *object;

		if (rest < sizeof(place))
			return error_set(error, -EPROTO, "a message ends in a block");
		memcpy(&place, bytes, sizeof(place));
		bytes += sizeof(place);
		rest -= sizeof(place);
		object = image_object(image, place.object);
		if (!object || place.block >= object->nblocks || bytes_of(object, place.block) > rest)
			return error_set(error, -EPROTO, "block %u of object %u does not exist", place.block,
					 place.object);
		memcpy(object->bytes + (uint64_t)place.block * IMAGE_BLOCK_BYTES, bytes, bytes_of(object, place.block));
		object->changed[place.block] = 1;
		bytes += bytes_of(object, place.block);
		rest -= bytes_of(object, place.block);
	}
	return rest ? error_set(error, -EPROTO, "%llu bytes after the last block", (unsigned long long)rest) : 0;
}

int message_apply(const struct message_header *header, const struct stream_part *part, struct image *image,
		  struct error *error)
{
	uint8_t *bytes;
	size_t n;
	int rc;

	if (ZSTD_getFrameContentSize(part->bytes, part->size) != header->bytes)
		return error_set(error, -EPROTO, "the blocks cannot be decompressed");
	/* results_bytes of the head decides what readers compute with */
	if (((const struct run_record *)header->head)->results_bytes != header->results_bytes)
		return error_set(error, -EPROTO, "the sizes of chunks differ in the header");
	rc = image_shape(image, header->rows, header->counts, header->results_bytes, header->bytes);
	if (rc)
		return error_set(error, rc, rc == -ENOMEM ? "out of memory" : "the header has impossible sizes");
	memcpy(image->head, header->head, HEAD_BYTES);
	bytes = malloc(header->bytes + 1);
	if (!bytes)
		return error_set(error, -ENOMEM, "out of memory");
	n = ZSTD_decompress(bytes, header->bytes, part->bytes, part->size);
	rc = ZSTD_isError(n) || n != header->bytes ? error_set(error, -EPROTO, "the blocks cannot be decompressed")
						   : blocks_apply(header, bytes, image, error);
	free(bytes);
	return rc;
}
