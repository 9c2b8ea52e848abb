/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a relay. A sender copies the runs of a scheduler; lines change its messages, with
 * hexadecimal numbers:
 *
 *    run                    another event and another run, which the sender copies
 *    header OFFSET VALUE    8 bytes of the header of the next message
 *    blocks OFFSET VALUE    8 bytes of its blocks before they are compressed
 *    part OFFSET VALUE      8 bytes of its compressed blocks
 *    cut BYTES              length of its blocks before they are compressed
 *    whole                  send a message with all blocks
 *    difference             send a message with the blocks that differ
 *
 * A receiver takes each message and publishes the result, and all displays of it are printed. After
 * a message without changes the receiver has the sender's image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "sched/relay/message.h"
#include "sched/run/records.h"
#include "shm/attach.h"
#include "tests/fuzz/support.h"

#define CHANGES 64
#define JOBS 3

enum part { PART_HEADER, PART_BLOCKS, PART_PACKED };

struct change {
	enum part part;
	uint64_t at, value;
};

struct stream {
	struct fuzz_sched scheduler;
	char cell[256];			/* of the scheduler */
	unsigned jobs;
	struct image image;		/* of the sender */
	uint64_t sequence;
	struct change changes[CHANGES];	/* of the next message */
	size_t n, cut;
};

struct receiver {
	char cell[256];
	struct segment segment;
	struct facts facts;
	struct image image;
	uint64_t sequence;		/* 0: it needs all blocks */
	bool is_equal;			/* no change was taken since a message with all blocks */
};

static void image_look(struct stream *stream)
{
	struct attachment attachment;
	struct view view;

	MUST(attach_open(&attachment, stream->cell, RECORDS_VERSION) == 0);
	attach_begin(&attachment, &view);
	MUST(image_take(&stream->image, &view) == 0);
	MUST(attach_end(&attachment, &view) == 0);
	attach_close(&attachment);
}

static void stream_run(struct stream *stream)
{
	char event[200];
	struct piece line = { .text = event };

	stream->jobs++;
	line.length = (size_t)snprintf(event, sizeof(event),
				       "{\"event\":\"job_add\",\"job_number\":%u,\"owner\":\"ann%u\",\"submission_time\":1699999000}",
				       stream->jobs, stream->jobs % JOBS);
	fuzz_sched_report(&stream->scheduler, &line);
	fuzz_sched_run(&stream->scheduler);
	image_look(stream);
}

static void stream_open(struct stream *stream)
{
	*stream = (struct stream){ .cut = SIZE_MAX };
	scratch_copy("conf/default", "sender");
	scratch_path(stream->cell, "sender");
	MUST(fuzz_sched_open(&stream->scheduler, stream->cell));
	stream_run(stream);
}

/* Return memory of exactly this size, so that a read beyond its end is detected. */
static void *exact(const void *bytes, size_t n)
{
	void *copy = malloc(n + !n);

	MUST(copy != NULL);
	memcpy(copy, bytes, n);
	return copy;
}

static void change_all(const struct stream *stream, enum part part, uint8_t *bytes, size_t n)
{
	for (size_t k = 0; k < stream->n; k++)
		if (stream->changes[k].part == part && n >= sizeof(uint64_t))
			memcpy(bytes + stream->changes[k].at % (n - sizeof(uint64_t) + 1), &stream->changes[k].value,
			       sizeof(uint64_t));
}

/* Change the blocks of a message, and compress them again. */
static void blocks_change(struct stream *stream, struct stream_part parts[STREAM_PARTS])
{
	struct message_header *header = parts[0].bytes;
	size_t n = header->bytes, most = ZSTD_compressBound(n);
	uint8_t *blocks = malloc(n + 1);

	MUST(blocks && ZSTD_decompress(blocks, n, parts[1].bytes, parts[1].size) == n);
	change_all(stream, PART_BLOCKS, blocks, n);
	header->bytes = n = stream->cut < n ? stream->cut : n;
	free(parts[1].bytes);
	parts[1].bytes = malloc(most);
	MUST(parts[1].bytes != NULL);
	parts[1].size = ZSTD_compress(parts[1].bytes, most, blocks, n, 1);
	MUST(!ZSTD_isError(parts[1].size));
	free(blocks);
}

static void equality_look(const struct image *a, const struct image *b)
{
	MUST(a->rows == b->rows && image_objects(a) == image_objects(b) && memcmp(a->head, b->head, HEAD_BYTES) == 0);
	for (uint32_t k = 0; k < image_objects(a); k++) {
		const struct image_object *x = image_object(a, k), *y = image_object(b, k);

		MUST(x->size == y->size && (x->size == 0 || memcmp(x->bytes, y->bytes, x->size) == 0));
	}
}

/* Take a message like sched/relay/receiver.c. */
static void receive(struct receiver *receiver, const struct stream_part parts[STREAM_PARTS])
{
	struct message_header header;
	struct error error = { "" };
	int rc = message_header(&parts[0], &header, &error);

	MUST(rc == 0 || error.text[0]);
	if (rc || (header.base > 0 && header.base != receiver->sequence)) {
		fuzz_taken(false);
		return;
	}
	if (header.base == 0)
		image_free(&receiver->image);
	rc = message_apply(&header, &parts[1], &receiver->image, &error);
	MUST(rc == 0 || error.text[0]);
	if (rc == 0)
		rc = image_publish(&receiver->image, &receiver->segment, &receiver->facts);
	receiver->sequence = rc ? 0 : header.sequence;
	fuzz_taken(rc == 0);
}

static void send(struct stream *stream, bool all, struct receiver *receiver)
{
	struct stream_part parts[STREAM_PARTS], sent[STREAM_PARTS];
	bool changed = stream->n > 0 || stream->cut < SIZE_MAX, ready = all || (receiver->sequence > 0 && receiver->sequence == stream->sequence);

	stream->sequence += !all;
	MUST(message_make(&stream->image, all, 1, stream->sequence, all ? 0 : stream->sequence - 1, parts) == 0);
	if (!all)
		image_sent(&stream->image);
	if (changed)
		blocks_change(stream, parts);
	change_all(stream, PART_HEADER, parts[0].bytes, parts[0].size);
	change_all(stream, PART_PACKED, parts[1].bytes, parts[1].size);
	for (int k = 0; k < STREAM_PARTS; k++) {
		sent[k] = (struct stream_part){ exact(parts[k].bytes, parts[k].size), parts[k].size };
		free(parts[k].bytes);
	}
	receive(receiver, sent);
	MUST(changed || !ready || receiver->sequence == stream->sequence);
	receiver->is_equal = !changed && ready && (all || receiver->is_equal);
	if (receiver->is_equal)
		equality_look(&stream->image, &receiver->image);
	for (int k = 0; k < STREAM_PARTS; k++)
		free(sent[k].bytes);
	stream->n = 0;
	stream->cut = SIZE_MAX;
	if (receiver->sequence > 0)
		fuzz_print(receiver->cell);
}

static void receiver_open(struct receiver *receiver)
{
	const struct segment_options options = { .file_bytes = 256u << 20, .group = -1, .records = RECORDS_VERSION };
	struct segment_trouble trouble;

	*receiver = (struct receiver){ .sequence = 0 };
	scratch_copy("conf/default", "receiver");
	scratch_path(receiver->cell, "receiver");
	MUST(segment_create(&receiver->segment, receiver->cell, &options, &trouble) == 0);
	receiver->facts = (struct facts){ .segment = &receiver->segment, .chunk_bytes = sizeof(struct job_facts) };
}

static void receiver_close(struct receiver *receiver)
{
	facts_free(&receiver->facts);
	segment_close(&receiver->segment);
	image_free(&receiver->image);
}

static void change_add(struct stream *stream, enum part part, uint64_t at, uint64_t value)
{
	if (stream->n < CHANGES)
		stream->changes[stream->n++] = (struct change){ part, at, value };
}

static void line_take(struct stream *stream, struct receiver *receiver, const struct piece *line)
{
	unsigned long long at, value;

	if (piece_is(line, "run"))
		stream_run(stream);
	else if (piece_is(line, "whole"))
		send(stream, true, receiver);
	else if (piece_is(line, "difference"))
		send(stream, false, receiver);
	else if (sscanf(line->text, "header %llx %llx", &at, &value) == 2)
		change_add(stream, PART_HEADER, at, value);
	else if (sscanf(line->text, "blocks %llx %llx", &at, &value) == 2)
		change_add(stream, PART_BLOCKS, at, value);
	else if (sscanf(line->text, "part %llx %llx", &at, &value) == 2)
		change_add(stream, PART_PACKED, at, value);
	else if (sscanf(line->text, "cut %llx", &at) == 1)
		stream->cut = at;
}

#ifdef BROKEN			/* a block that differs is not marked */
int __real_image_take(struct image *image, const struct view *view);
int __wrap_image_take(struct image *image, const struct view *view);

int __wrap_image_take(struct image *image, const struct view *view)
{
	int rc = __real_image_take(image, view);

	image_sent(image);
	return rc;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, line;
	struct receiver receiver;
	struct stream stream;

	fuzz_hostile = true;
	stream_open(&stream);
	stream.sequence = 1;		/* of a difference that no receiver has seen */
	image_sent(&stream.image);
	receiver_open(&receiver);
	for (; piece_line(&rest, &line); piece_free(&line))
		line_take(&stream, &receiver, &line);
	receiver_close(&receiver);
	image_free(&stream.image);
	fuzz_sched_close(&stream.scheduler);
	return 0;
}
