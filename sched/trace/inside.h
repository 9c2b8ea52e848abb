/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of this room. Each format has a reader, which recognises its
 * lines, reads the header, and then one record after the other. trace.c does afterwards what all
 * formats need: window, scaling, limits and counts. rows.c sorts.
 */
#ifndef SCHED_TRACE_INSIDE_H
#define SCHED_TRACE_INSIDE_H

#include <stddef.h>

#include "conf/base/text_set.h"
#include "sched/trace/lines.h"
#include "sched/trace/rows.h"
#include "sched/trace/trace.h"

#define TEXTS_MOST ((size_t)1 << 22)		/* different texts of a kind */
#define TEXT_BYTES_MOST ((size_t)1 << 30)	/* all texts */
#define TIME_MOST INT64_C(253402300799)		/* end of the year 9999 */
#define SECONDS_MOST INT64_C(4000000000)	/* longest duration */
#define SLOTS_MOST INT64_C(1000000000)
#define PREFIX_MOST 64
#define SWF_COLUMNS 18
#define SWF_NAMED 65536				/* numbers whose names are in a table */
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

/* Names for numbers of SWF: "user87", or the name in the header. */
struct numbered {
	const char **names;		/* index: number; NULL: not needed yet */
	const char **defined;		/* names in the header; NULL: none */
	size_t n;
};

struct swf {
	struct numbered users, groups, queues, partitions, applications;
	size_t columns;			/* columns of the first line; 0: none yet */
	int64_t zero;			/* epoch seconds of time 0 */
	bool timed;			/* `zero` is known */
	int64_t submit;			/* submission of the line above */
	uint32_t number;		/* job number of the line above */
};

struct sacct {
	uint8_t meaning[SACCT_FIELDS_MOST];	/* meaning of each field: enum sacct_field */
	size_t n;			/* 0: the header has not been read */
	bool trailing;			/* lines end with a '|', as with sacct -p */
	/* The only field in which users may write '|'; n: there is none. */
	size_t free_text;
	/* first field in which users may write a newline; n: there is none */
	size_t first_free;
	/* beginning of a record whose text has newlines; NULL: none */
	char *open;
	size_t open_bytes, open_fields;
	uint64_t open_line;		/* line in which it begins */
	bool there[SACCT_MEANINGS];	/* index: enum sacct_field */
	struct {
		int64_t hour, epoch;
	} hours[256];			/* local hours that were looked up last */
};

struct trace {
	struct trace_options options;
	struct trace_about about;
	struct trace_lines lines;
	const struct trace_reader *reader;
	struct text_set texts[TEXT_KINDS];
	size_t text_bytes;
	char *user_prefix, *group_prefix;
	char *first;			/* first record, in `lines`; NULL: it has been used */
	size_t first_bytes;
	bool sorted;			/* jobs come from `rows` */
	struct rows rows;
	bool begun;			/* a job was returned */
	/* Recorded submission times: of the first job returned, of the last job read. */
	int64_t origin, recorded;
	/* result of the call that failed, with its error; 1: at the end */
	int rc;
	struct error error;
	struct swf swf;
	struct sacct sacct;
};

/* TAKE_NONE: the line is not a record, or its job was omitted and counted. */
enum { TAKE_JOB = 0, TAKE_NONE = 1 };

struct trace_reader {
	const char *name;
	/* Return whether this may be a line of the format. */
	bool (*knows)(const char *line);
	/*
	 * Read a line of the header. TAKE_NONE: the line is before the records. TAKE_JOB: it is the
	 * first record, which has not been read yet.
	 */
	int (*header)(struct trace *trace, char *line, size_t n, struct error *error);
	/* Read a job as recorded. */
	int (*take)(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);
	/*
	 * Report an unfinished record at the end of the file. Returns 0 or -EINVAL. NULL: not
	 * needed.
	 */
	int (*end)(struct trace *trace, struct error *error);
	/* Records are sorted by end, and a job may occur again. */
	bool by_end;
};

bool swf_knows(const char *line);
int swf_header(struct trace *trace, char *line, size_t n, struct error *error);
int swf_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error);
void swf_free(struct swf *swf);
/* Read a comment line, after its ';'. Returns 0 or -ENOMEM. In swf_header.c. */
int swf_comment(struct trace *trace, char *text, struct error *error);
/* Return the name for a number. Returns 0 or -ENOMEM, -EINVAL. In swf_header.c. */
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
 * Join the lines of a record whose free texts contain newlines: sacct prints a SubmitLine as it was
 * written. Each newline becomes a blank. In sacct_lines.c.
 *   0            *line is a whole record; valid until the next call
 *   TAKE_NONE    it continues in the next line
 *   -EINVAL, -ENOMEM
 */
int sacct_join(struct trace *trace, char **line, size_t *n, struct error *error);

/* Report an error in the current line: FILE:LINE: words. Returns -EINVAL. */
int trace_fault(const struct trace *trace, struct error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Count a reason or a quirk for the current line. trace_leave() returns TAKE_NONE. */
int trace_leave(struct trace *trace, enum trace_reason reason);
void trace_note(struct trace *trace, enum trace_quirk quirk);
/* Set the recorded start of a job whose submission is known; 0: unknown. */
void trace_started(struct trace *trace, struct trace_job *job, int64_t start);
/*
 * Store a text, made printable in place, and return the address that all equal texts share. Returns
 * 0, -ENOMEM, or -EINVAL: there are too many.
 */
int trace_text(struct trace *trace, enum text_kind kind, char *text, const char **kept, struct error *error);

#endif
