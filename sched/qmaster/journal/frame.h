/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a part: lines are compressed into one zstd frame in a file. */
#ifndef SCHED_QMASTER_JOURNAL_FRAME_H
#define SCHED_QMASTER_JOURNAL_FRAME_H

#include <zstd.h>

#include "sched/qmaster/journal/files.h"

/* Level 3 is fast and saves most of the bytes. The window limits the memory of a reader. */
#define FRAME_LEVEL 3
#define FRAME_WINDOW_LOG 21

struct frame {				/* zeroed, except files.fd -1 */
	struct journal_files files;
	ZSTD_CCtx *zstd;
	char *out;			/* buffer of ZSTD_CStreamOutSize() bytes */
	uint64_t text_bytes;		/* bytes of text written so far */
	bool open;
};

/* Begin a frame. -ENOMEM, or an error of journal_files_begin(). */
int frame_begin(struct frame *frame, struct error *error);
/* Write text. After -EFBIG, -ENOSPC or another error the frame is broken; call frame_end(). */
int frame_write(struct frame *frame, const char *text, size_t bytes, struct error *error);
/* Make all text readable from the file. */
int frame_flush(struct frame *frame, struct error *error);
/* End the frame. `whole`: write its end. No-op if no frame is open. */
void frame_end(struct frame *frame, bool whole);
void frame_free(struct frame *frame);

#endif
