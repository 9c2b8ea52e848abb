/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/frame.h"

#include <errno.h>
#include <stdlib.h>

static int make(struct frame *frame)
{
	if (!frame->zstd)
		frame->zstd = ZSTD_createCCtx();
	if (!frame->out)
		frame->out = malloc(ZSTD_CStreamOutSize());
	if (!frame->zstd || !frame->out)
		return -ENOMEM;
	ZSTD_CCtx_reset(frame->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(frame->zstd, ZSTD_c_compressionLevel, FRAME_LEVEL);
	ZSTD_CCtx_setParameter(frame->zstd, ZSTD_c_windowLog, FRAME_WINDOW_LOG);
	ZSTD_CCtx_setParameter(frame->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

int frame_begin(struct frame *frame, struct error *error)
{
	int rc;

	frame_end(frame, true);
	if (make(frame))
		return error_set(error, -ENOMEM, "out of memory");
	rc = journal_files_begin(&frame->files, error);
	frame->open = rc == 0;
	frame->text_bytes = 0;
	return rc;
}

static int compress(struct frame *frame, ZSTD_inBuffer *in, ZSTD_EndDirective what, struct error *error)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { frame->out, ZSTD_CStreamOutSize(), 0 };
		int rc;

		left = ZSTD_compressStream2(frame->zstd, &out, in, what);
		if (ZSTD_isError(left))
			return error_set(error, -EIO, "zstd: %s", ZSTD_getErrorName(left));
		rc = out.pos ? journal_files_write(&frame->files, frame->out, out.pos, error) : 0;
		if (rc)
			return rc;
	} while (what == ZSTD_e_continue ? in->pos < in->size : left > 0);
	return 0;
}

int frame_write(struct frame *frame, const char *text, size_t bytes, struct error *error)
{
	frame->text_bytes += bytes;
	return bytes ? compress(frame, &(ZSTD_inBuffer){ text, bytes, 0 }, ZSTD_e_continue, error) : 0;
}

int frame_flush(struct frame *frame, struct error *error)
{
	return compress(frame, &(ZSTD_inBuffer){ NULL, 0, 0 }, ZSTD_e_flush, error);
}

void frame_end(struct frame *frame, bool whole)
{
	struct error error;

	if (frame->open && whole)
		(void)compress(frame, &(ZSTD_inBuffer){ NULL, 0, 0 }, ZSTD_e_end, &error);
	journal_files_end(&frame->files);
	frame->open = false;
}

void frame_free(struct frame *frame)
{
	frame_end(frame, false);
	ZSTD_freeCCtx(frame->zstd);
	free(frame->out);
	frame->zstd = NULL;
	frame->out = NULL;
}
