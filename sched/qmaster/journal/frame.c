/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/frame.h"

#include <errno.h>
#include <stdlib.h>

static int make(struct frame *f)
{
	if (!f->zstd)
		f->zstd = ZSTD_createCCtx();
	if (!f->out)
		f->out = malloc(ZSTD_CStreamOutSize());
	if (!f->zstd || !f->out)
		return -ENOMEM;
	ZSTD_CCtx_reset(f->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, FRAME_LEVEL);
	ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_windowLog, FRAME_WINDOW_LOG);
	ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

int frame_begin(struct frame *f, struct error *error)
{
	int rc;

	frame_end(f, true);
	if (make(f))
		return error_set(error, -ENOMEM, "out of memory");
	rc = journal_files_begin(&f->files, error);
	f->open = rc == 0;
	f->text_bytes = 0;
	return rc;
}

static int compress(struct frame *f, ZSTD_inBuffer *in, ZSTD_EndDirective what, struct error *error)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { f->out, ZSTD_CStreamOutSize(), 0 };
		int rc;

		left = ZSTD_compressStream2(f->zstd, &out, in, what);
		if (ZSTD_isError(left))
			return error_set(error, -EIO, "zstd: %s", ZSTD_getErrorName(left));
		rc = out.pos ? journal_files_write(&f->files, f->out, out.pos, error) : 0;
		if (rc)
			return rc;
	} while (what == ZSTD_e_continue ? in->pos < in->size : left > 0);
	return 0;
}

int frame_write(struct frame *f, const char *text, size_t bytes, struct error *error)
{
	f->text_bytes += bytes;
	return bytes ? compress(f, &(ZSTD_inBuffer){ text, bytes, 0 }, ZSTD_e_continue, error) : 0;
}

int frame_flush(struct frame *f, struct error *error)
{
	return compress(f, &(ZSTD_inBuffer){ NULL, 0, 0 }, ZSTD_e_flush, error);
}

void frame_end(struct frame *f, bool whole)
{
	struct error error;

	if (f->open && whole)
		(void)compress(f, &(ZSTD_inBuffer){ NULL, 0, 0 }, ZSTD_e_end, &error);
	journal_files_end(&f->files);
	f->open = false;
}

void frame_free(struct frame *f)
{
	frame_end(f, false);
	ZSTD_freeCCtx(f->zstd);
	free(f->out);
	f->zstd = NULL;
	f->out = NULL;
}
