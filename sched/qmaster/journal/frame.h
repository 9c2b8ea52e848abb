/* SPDX-License-Identifier: Apache-2.0 */
/* A part as it is written: lines into one zstd frame, and that into a file. */
#ifndef SCHED_QMASTER_JOURNAL_FRAME_H
#define SCHED_QMASTER_JOURNAL_FRAME_H

#include <zstd.h>

#include "sched/qmaster/journal/files.h"

/* fast, and most of what there is to gain; the window bounds what a reader needs */
#define FRAME_LEVEL 3
#define FRAME_WINDOW_LOG 21

struct frame {				/* zeroed, but for files.fd -1 */
	struct journal_files files;
	ZSTD_CCtx *zstd;
	char *out;			/* ZSTD_CStreamOutSize() */
	uint64_t text_bytes;		/* that went in */
	bool open;
};

/* -ENOMEM; what journal_files_begin() says. */
int frame_begin(struct frame *frame, struct error *error);
/* -EFBIG, -ENOSPC, ...: the frame breaks off, frame_end() is to follow. */
int frame_write(struct frame *frame, const char *text, size_t bytes, struct error *error);
/* All that was written can be read from the file. */
int frame_flush(struct frame *frame, struct error *error);
/* `whole`: with its end. No-op where none is open. */
void frame_end(struct frame *frame, bool whole);
void frame_free(struct frame *frame);

#endif
