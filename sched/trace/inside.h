/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room share. A format has a reader: it knows a line of its
 * own, takes what stands before the first record, and then one record after the other. What holds
 * for all formats, windows, scaling, limits, counts, is done behind it in trace.c, and sorting in
 * rows.c.
 */
#ifndef SCHED_TRACE_INSIDE_H
#define SCHED_TRACE_INSIDE_H

#include <stddef.h>

#include "conf/base/text_set.h"
#include "sched/trace/lines.h"
#include "sched/trace/rows.h"
#include "sched/trace/trace.h"

#define TEXTS_MOST ((size_t)1 << 22)		/* different ones of a kind */
#define TEXT_BYTES_MOST ((size_t)1 << 30)	/* of all of them */
#define TIME_MOST INT64_C(253402300799)		/* the end of the year 9999 */
#define SECONDS_MOST INT64_C(4000000000)	/* a time that something takes */
#define SLOTS_MOST INT64_C(1000000000)
#define PREFIX_MOST 64
#define SWF_COLUMNS 18
#define SWF_NAMED 65536				/* numbers whose names are looked up in a table */
#define SACCT_FIELDS_MOST 256
#define SACCT_MEANINGS 32

enum text_kind {
	TEXT_USER,
	TEXT_GROUP,
	TEXT_PROJECT,
	TEXT_DEPARTMENT,
	TEXT_QUEUE,
	TEXT_PARTITION,
	TEXT_PE,
	TEXT_HARD,
	TEXT_QOS,
	TEXT_NAME,
	TEXT_HEADER,
	TEXT_KINDS
};

/* Names that SWF has numbers for: "user87", or what the header says. */
struct numbered {
	const char **names;		/* by number; NULL: not needed yet */
	const char **defined;		/* what the header says; NULL: nothing */
	size_t n;
};

struct swf {
	struct numbered users, groups, queues, partitions, applications;
	size_t columns;			/* of the first line; 0: none yet */
	int64_t zero;			/* epoch s of time 0 */
	bool timed;			/* `zero` is known */
	int64_t submit;			/* of the line above */
	uint32_t number;		/* of that line's job */
};

struct sacct {
	uint8_t meaning[SACCT_FIELDS_MOST];	/* of each field: enum sacct_field */
	size_t n;			/* 0: the header is still to come */
	bool trailing;			/* lines end with a '|', as those of sacct -p */
	/* the one field in which users may write '|'; n: there is none */
	size_t free_text;
	size_t first_free;		/* the first field in which users may end a line; n: there is none */
	char *open;			/* beginning of a record whose text has ends of lines; NULL: none */
	size_t open_bytes, open_fields;
	uint64_t open_line;		/* in which it begins */
	bool there[SACCT_MEANINGS];	/* by enum sacct_field */
	struct {
		int64_t hour, epoch;
	} hours[256];			/* the local hours that were looked up last */
};

struct trace {
	struct trace_options options;
	struct trace_about about;
	struct trace_lines lines;
	const struct trace_reader *reader;
	struct text_set texts[TEXT_KINDS];
	size_t text_bytes;
	char *user_prefix, *group_prefix;
	char *first;			/* the first record, in `lines`; NULL: it was taken */
	size_t first_bytes;
	bool sorted;			/* jobs come from `rows` */
	struct rows rows;
	bool begun;			/* a job was given */
	/* submissions, as recorded: of the first given, of the last read */
	int64_t origin, recorded;
	int rc;				/* of the call that failed, with its error; 1: at the end */
	struct error error;
	struct swf swf;
	struct sacct sacct;
};

/* TAKE_NONE: the line is no record, or its job was left out, which is counted. */
enum { TAKE_JOB = 0, TAKE_NONE = 1 };

struct trace_reader {
	const char *name;
	/* Could this be a line of it? */
	bool (*knows)(const char *line);
	/*
	 * TAKE_NONE: one that stands before the records. TAKE_JOB: the first record, not taken yet.
	 */
	int (*header)(struct trace *trace, char *line, size_t n, struct error *error);
	/* A job as recorded. */
	int (*take)(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);
	/* Report what is unfinished at the end of the file. 0 or -EINVAL; NULL: nothing ever is */
	int (*end)(struct trace *trace, struct error *error);
	/* records are in the order of ends, and may tell of a job again */
	bool by_end;
};

bool swf_knows(const char *line);
int swf_header(struct trace *trace, char *line, size_t n, struct error *error);
int swf_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);
void swf_free(struct swf *swf);
/* A comment line, behind its ';'. 0 or -ENOMEM. swf_header.c */
int swf_comment(struct trace *trace, char *text, struct error *error);
/* What the number is called. 0 or -ENOMEM, -EINVAL. swf_header.c */
int numbered_name(struct trace *trace, struct numbered *names, enum text_kind kind, uint32_t number, const char **name,
		  struct error *error);

bool accounting_knows(const char *line);
int accounting_header(struct trace *trace, char *line, size_t n, struct error *error);
int accounting_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);

bool sacct_knows(const char *line);
int sacct_header(struct trace *trace, char *line, size_t n, struct error *error);
int sacct_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);
int sacct_end(struct trace *trace, struct error *error);
void sacct_free(struct sacct *sacct);
/*
 * Join the lines of a record whose free texts have ends of lines: sacct prints a SubmitLine as it
 * was written. Each end of a line becomes a blank. sacct_lines.c
 *   0            *line is a whole record; it lives until the next call
 *   TAKE_NONE    it goes on in the next line
 *   -EINVAL, -ENOMEM
 */
int sacct_join(struct trace *trace, char **line, size_t *n, struct error *error);

/* A fault in the line at hand: FILE:LINE: words. Returns -EINVAL. */
int trace_fault(const struct trace *trace, struct error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Count, under the line at hand. trace_leave() returns TAKE_NONE. */
int trace_leave(struct trace *trace, enum trace_reason reason);
void trace_note(struct trace *trace, enum trace_quirk quirk);
/* When it started, as recorded; 0: unknown. Its submission is known. */
void trace_started(struct trace *trace, struct trace_job *job, int64_t start);
/*
 * Keeps a text, made printable in its place, and gives the one address of all that are equal to it.
 * 0, -ENOMEM, or -EINVAL: there are too many.
 */
int trace_text(struct trace *trace, enum text_kind kind, char *text, const char **kept, struct error *error);

#endif
