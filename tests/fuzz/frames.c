/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes received on a connection to a Grid Engine qmaster: a byte that selects the sizes of the
 * pieces, and the bytes. The result must not depend on the pieces, and memory must grow only with
 * received bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/qmaster/gdi/frame.h"
#include "tests/fuzz/support.h"

#define ROOM_AT_FIRST ((size_t)1 << 16)	/* for data, before any have come */

struct reported {				/* sums over all frames of an input */
	uint64_t frames, sum;
	int rc;				/* how the connection ended */
	char text[sizeof(((struct error *)0)->text)];
};

static void reported_add(struct reported *reported, const void *bytes, size_t n)
{
	for (const unsigned char *at = bytes; n > 0; n--, at++)
		reported->sum = (reported->sum ^ *at) * 1099511628211u;
}

static void frame_look(struct reported *reported, const struct gdi_frame *frame)
{
	uint32_t numbers[] = { (uint32_t)frame->kind, frame->id,      frame->tag,	 frame->answers,
			       frame->wants_receipt,  frame->granted, (uint32_t)frame->n };

	MUST(frame->kind <= GDI_FRAME_CLOSED);
	MUST(frame->data && frame->data[frame->n] == '\0');
	MUST(frame->n <= (frame->kind == GDI_FRAME_DATA ? GDI_MESSAGE_MOST : GDI_CONTROL_MOST));
	MUST(strnlen(frame->text, sizeof(frame->text)) < sizeof(frame->text));
	for (const char *c = frame->text; *c; c += utf8_length(c))
		MUST(utf8_length(c) > 0);
	reported->frames++;
	reported_add(reported, numbers, sizeof(numbers));
	reported_add(reported, frame->text, strlen(frame->text));
	reported_add(reported, frame->data, frame->n);
}

static int frames_take(struct gdi_frames *frames, struct reported *reported)
{
	struct error error = { "" };
	struct gdi_frame frame;
	int rc;

	while ((rc = gdi_frames_next(frames, &frame, &error)) > 0) {
		frame_look(reported, &frame);
		free(frame.data);
	}
	MUST(rc == 0 || error.text[0]);
	memcpy(reported->text, error.text, sizeof(reported->text));
	return rc;
}

/* Process the bytes in pieces of at most this size. */
static void pieces_take(const uint8_t *data, size_t size, size_t piece, struct reported *reported)
{
	struct gdi_frames frames = { .nhead = 0 };
	size_t room, n;

	for (size_t at = 0; at < size && reported->rc == 0; at += n) {
		void *to = gdi_frames_room(&frames, &room);

		MUST(to && room > 0);
		n = size - at < piece ? size - at : piece;
		n = n < room ? n : room;
		memcpy(to, data + at, n);
		gdi_frames_took(&frames, n);
		reported->rc = frames_take(&frames, reported);
		MUST(frames.capacity <= ROOM_AT_FIRST || frames.capacity <= 4 * at + ROOM_AT_FIRST);
	}
	gdi_frames_free(&frames);
}

#ifdef BROKEN			/* a peer's escapes reach the administrator */
size_t __wrap_utf8_clean(char *s);

size_t __wrap_utf8_clean(char *s)
{
	(void)s;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reported whole = { .sum = 0 }, pieces = { .sum = 0 };

	if (size == 0)
		return 0;
	pieces_take(data + 1, size - 1, size, &whole);
	pieces_take(data + 1, size - 1, 1 + data[0] % 64, &pieces);
	MUST(whole.frames == pieces.frames && whole.sum == pieces.sum && whole.rc == pieces.rc);
	fuzz_taken(whole.frames > 0);
	return 0;
}
