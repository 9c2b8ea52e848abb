/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by rerun.c, which reads files, rerun_take.c, which takes lines, and
 * rerun_run.c, which makes runs.
 */
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
	RERUN_WAITING,			/* until the beginning of a part */
	RERUN_BEGINNING,		/* reading the files and state of a part */
	/* Skipping the files and state of a part that continues from the current state. */
	RERUN_SKIPPING,
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
	struct cell_files files;	/* files read since a configuration was loaded */
	size_t files_capacity, files_bytes;
	struct order *kept;
	size_t nkept, kept_capacity;
	struct free_places places;
	struct out orders;		/* lines of the orders recorded for the next run */
	/* The scheduler, created at the first event of the state. */
	struct sched *s;
	struct intake intake;
	struct attachment attachment;
	bool attached;
	struct answers_read answers;
	struct values_kept *values;
	struct values parsed;		/* values of the current line */
	int64_t clock;			/* time of the next edit */
	uint64_t last_run;		/* last run made; 0: none */
	uint64_t cycle_before;		/* negotiation cycle when the part began */
	bool done;
};

/* Take a line. Returns 0, or -EPROTO, -EINVAL and others with the reason, without file and line. */
int rerun_take(struct rerunning *rerunning, const char *line, size_t bytes, struct error *error);
/* Destroy the scheduler, if there is one. */
void rerun_drop(struct rerunning *rerunning);

/* rerun_run.c: make the run of a line {"run":...} and compare it. */
int rerun_run(struct rerunning *rerunning, const struct value *object, struct error *error);

#endif
