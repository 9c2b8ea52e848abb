/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs, of which main.c has the table. argv[0] is the verb's name; `cell` may be NULL where
 * the table says that none is needed. They return exit codes, after a message on standard error
 * where it is not EXIT_OK.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "sched/cli/options.h"

typedef int verb_run(const char *cell, int argc, char **argv);

extern const struct argument stat_options[], tree_options[], prio_options[], sshare_options[];
verb_run stat_run;		/* jobs, as qstat shows them */
verb_run tree_run;		/* the share tree, as sge_share_mon(8) */
verb_run prio_run;		/* factors of priorities, as sprio(1) */
verb_run sshare_run;		/* associations, as sshare(1) */

extern const struct argument userprio_options[];
/* user priorities of HTCondor's kind, as condor_userprio(1) edits them; exit codes 0 and 1 */
verb_run userprio_run;

extern const struct argument hosts_options[], queues_options[], quotas_options[];
verb_run hosts_run;		/* execution hosts, as qhost shows them */
verb_run queues_run;		/* queues and queue instances, as qstat -f and qstat -g c show them */
verb_run quotas_run;		/* resource quotas in use, as qquota shows them */

extern const struct argument explain_options[];
/* why jobs stand where they stand, every number down to its inputs */
verb_run explain_run;
extern const struct argument compare_options[];
verb_run compare_run;		/* which term of their priorities puts one job before another */

extern const struct argument negotiate_options[];
verb_run negotiate_run;		/* the last negotiation cycle, or the next one, phase by phase */

extern const struct argument dump_options[];
/* the state that a run worked on, as events; its configuration, as files */
verb_run dump_run;

extern const struct argument acct_options[];
verb_run acct_run;		/* what tasks that have ended have used, as qacct(1) tells it */

extern const struct argument replay_options[];
verb_run replay_run;		/* what policies would have done with a workload, side by side */

extern const struct argument whatif_options[];
/* the published run once more, with changes; exit codes 0, 1: something differs */
verb_run whatif_verb_run;

extern const struct argument submit_options[], alter_options[], del_options[], hold_options[], mod_options[];
/* a script or a command becomes a job of the local cell, as with qsub */
verb_run submit_run;
verb_run alter_run;		/* change jobs of the local cell, as qalter does */
verb_run del_run;		/* delete jobs of the local cell, as qdel does */
verb_run hold_run;		/* hold and release jobs of the local cell, as qhold and qrls do */
verb_run mod_run;		/* change the state of jobs of the local cell, as qmod does */

extern const struct argument jobprio_options[];
verb_run jobprio_run;		/* job priorities of the local cell, as condor_prio(1) sets them */

/* of all forms, and of each: reserve sub, stat and del */
extern const struct argument reserve_options[], reserve_sub_options[], reserve_stat_options[], reserve_del_options[];
/*
 * advance reservations of the local cell, as qrsub, qrdel have them; of any cell, as qrstat shows
 * them
 */
verb_run reserve_run;

extern const struct argument attach_options[];
verb_run attach_run;		/* take the place of a qmaster's scheduler, and hand it back */

extern const struct argument audit_options[];
/*
 * What a shadow found, out of its journal. EXIT_DIFFERENCE: something differs; EXIT_NO_DATA: there
 * is no run to tell of.
 */
verb_run audit_run;

extern const struct argument init_options[];
verb_run init_run;		/* a cell for this machine. EXIT_DIFFERENCE: there is something already */

extern const struct argument import_options[];
/* a cell of what another system's commands print. EXIT_DIFFERENCE: it has faults, or is there */
verb_run import_run;

extern const struct argument clean_options[];
verb_run clean_run;		/* what ended schedulers have left in shared memory, taken away */

extern const struct argument lint_options[], doctor_options[], keygen_options[];
/*
 * Everything that is wrong with a cell's files, to standard output. Exit code: 0 no faults (there
 * may be warnings), 1 faults, 2 usage, 3 no such directory, 4 it can't be read.
 */
verb_run lint_run;
/*
 * Without a word: as doctor_cell().
 * memory: plan and reality of the shared memory, for each NUMA node. Looks at the memory itself
 * rather than at what it holds, so it reads the segment without libfairlead. EXIT_DIFFERENCE:
 * something lies elsewhere, or nothing could be bound. nice, store, qmaster: as doctor_nice(),
 * doctor_store(), doctor_qmaster().
 */
verb_run doctor_run;
verb_run keygen_run;		/* keys by which scheduler and execution hosts know each other */

#endif
