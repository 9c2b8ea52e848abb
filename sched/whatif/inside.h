/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef SCHED_WHATIF_INSIDE_H
#define SCHED_WHATIF_INSIDE_H

#include "sched/sched.h"
#include "sched/whatif/rewrite.h"
#include "sched/whatif/suppose.h"

enum supposition_kind {
	/* of the cell's files */
	SUPPOSED_SET, SUPPOSED_FILE, SUPPOSED_SHARER, SUPPOSED_ALGORITHM,
	/* of what was told; of both */
	SUPPOSED_EVENT, SUPPOSED_HOLD, SUPPOSED_SLOTS, SUPPOSED_DECAY,
	SUPPOSED_TIME,
};

struct supposition {
	enum supposition_kind kind;
	char *option;
	/*
	 * the parameter, file, sharer, queue or algorithm; the value or text, of a file NULL: there
	 * is none; SUPPOSED_SET: the file, NULL: the one that knows the name
	 */
	char *name, *text, *file;
	enum suppose_whose whose;
	enum suppose_amount amount;
	double value;
	uint32_t number;		/* slots; of a job; 1: shares of the share tree */
	int64_t time;			/* epoch seconds; seconds, if it is relative, or decays */
	bool is_relative;
	struct event event;
	char place[4], release[4];	/* holds */
};

/* "OPTION: text". Returns rc. */
int __attribute__((format(printf, 4, 5)))
suppose_error(const struct supposition *supposition, int rc, struct error *error, const char *format, ...);

/* files.c: a change of the cell's files. -EINVAL, -ENOMEM. */
int files_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error);

/* sharers.c: shares in the texts of objects, share tree, associations. */
int sharer_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error);
/* told.c: a change of what was told, behind the jobs. -EINVAL, -ENOMEM. */
int told_change(struct sched *sched, const struct supposition *supposition, struct error *error);
/* A customer's factor, as he is told; NULL: it is not about that. */
void told_factor(const struct suppositions *suppositions, struct event *event, bool *seen);

/* decay.c: is anybody's usage to have decayed; and what is told of it, edited. */
bool decay_any(const struct suppositions *suppositions);
void decay_edit(const struct suppositions *suppositions, const struct cell *cell, struct event *event);

#endif
