/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of rerun.h share: rerun.c reads, rerun_take.c takes lines, rerun_run.c runs. */
#ifndef SCHED_QMASTER_JOURNAL_RERUN_INSIDE_H
#define SCHED_QMASTER_JOURNAL_RERUN_INSIDE_H

#include "conf/cell_source.h"
#include "sched/process/output.h"
#include "sched/qmaster/intake.h"
#include "sched/qmaster/journal/answers_read.h"
#include "sched/qmaster/journal/beginning.h"
#include "sched/qmaster/journal/digest.h"
#include "sched/qmaster/journal/rerun.h"
#include "sched/qmaster/journal/values_read.h"
#include "sched/sched.h"
#include "shm/attach.h"

enum rerun_mode {
	RERUN_WAITING,			/* for the beginning of a part */
	RERUN_BEGINNING,		/* its files and state come */
	RERUN_SKIPPING,			/* the same, of a part that goes on with what is there */
	RERUN_RUNNING,
};

struct part_head {
	uint64_t run, last_order, orders_refused;
	bool line_limits, ledger, ends_asked;
};

struct rerunning {
	const struct rerun_options *options;
	struct rerun_outcome *outcome;
	enum rerun_mode mode;
	struct part_head head;
	struct cell_files files;	/* that were told since a configuration was loaded */
	size_t files_capacity, files_bytes;
	struct order *kept;
	size_t nkept, kept_capacity;
	struct free_places places;
	struct out orders;		/* lines of those that the next run gave */
	/* the scheduler, made with the state's first event */
	struct sched *s;
	struct intake intake;
	struct attachment attachment;
	bool attached;
	struct answers_read answers;
	struct values_kept *values;
	struct values parsed;		/* JSON */
	int64_t clock;			/* of the next edit */
	uint64_t last_run;		/* that was made; 0: none */
	uint64_t cycle_before;		/* of negotiation, when the part began */
	bool done;
};

/* A line. 0; -EPROTO, -EINVAL and others with the reason, which has no place yet. */
int rerun_take(struct rerunning *rerunning, const char *line, size_t bytes, struct error *error);
/* The scheduler goes, if there is one. */
void rerun_drop(struct rerunning *rerunning);

/* rerun_run.c: {"run":...}: make it, and compare. */
int rerun_run(struct rerunning *rerunning, const struct value *object, struct error *error);

#endif
