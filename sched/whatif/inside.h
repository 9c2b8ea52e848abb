/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the files in this directory. */
#ifndef SCHED_WHATIF_INSIDE_H
#define SCHED_WHATIF_INSIDE_H

#include "sched/sched.h"
#include "sched/whatif/rewrite.h"
#include "sched/whatif/suppose.h"

enum supposition_kind {
	/* changes of the cell's files */
	SUPPOSED_SET, SUPPOSED_FILE, SUPPOSED_SHARER, SUPPOSED_ALGORITHM,
	/* changes of reported objects; SUPPOSED_SLOTS and SUPPOSED_DECAY need the files, too */
	SUPPOSED_EVENT, SUPPOSED_HOLD, SUPPOSED_SLOTS, SUPPOSED_DECAY,
	SUPPOSED_TIME,
};

struct supposition {
	enum supposition_kind kind;
	char *option;
	/*
	 * The parameter, file, sharer, queue or algorithm; its value or text (of a file NULL:
	 * delete it); the file of SUPPOSED_SET (NULL: the one that defines the parameter).
	 */
	char *name, *text, *file;
	enum suppose_whose whose;
	enum suppose_amount amount;
	double value;
	uint32_t number;		/* slots; job number; 1: use the shares of the share tree */
	int64_t time;			/* epoch seconds; seconds if it is relative or a decay */
	bool is_relative;
	struct event event;
	char place[4], release[4];	/* holds */
};

/* Set the error "OPTION: text". Returns rc. */
int __attribute__((format(printf, 4, 5)))
suppose_error(const struct supposition *supposition, int rc, struct error *error, const char *format, ...);

/* files.c: change the cell's files. -EINVAL, -ENOMEM. */
int files_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error);

/* sharers.c: change shares in the texts of objects, share tree or associations. */
int sharer_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error);
/* reported.c: change reported objects, after the jobs are reported. -EINVAL, -ENOMEM. */
int reported_change(struct sched *sched, const struct supposition *supposition, struct error *error);
/* Set the factor of a reported customer if a supposition is about it, and mark this in `seen`. */
void reported_factor(const struct suppositions *suppositions, struct event *event, bool *seen);

/* decay.c: return whether usage of any user decays; change an event that reports usage. */
bool decay_any(const struct suppositions *suppositions);
void decay_edit(const struct suppositions *suppositions, const struct cell *cell, struct event *event);

#endif
