/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the verbs, which are in the table of main.c. argv[0] is the verb's name. `cell` may
 * be NULL if the table says that none is needed. The functions return exit codes, after a message
 * on standard error unless it is EXIT_OK. Functions of the type verb_show add messages instead, for
 * programs that print them in another form.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "sched/cli/options.h"
#include "sched/client/commands.h"

typedef int verb_run(const char *cell, int argc, char **argv);

extern const struct argument stat_options[], tree_options[], prio_options[], sshare_options[];
verb_run stat_run;		/* jobs, like qstat */
verb_show stat_show;
verb_run tree_run;		/* the share tree, like sge_share_mon(8) */
verb_run prio_run;		/* factors of priorities, like sprio(1) */
verb_run sshare_run;		/* associations, like sshare(1) */

extern const struct argument userprio_options[];
/* user priorities, like condor_userprio(1), with exit codes 0 and 1 */
verb_run userprio_run;

extern const struct argument hosts_options[], queues_options[], quotas_options[];
verb_run hosts_run;		/* execution hosts, like qhost */
verb_run queues_run;		/* queues and queue instances, like qstat -f and qstat -g c */
verb_run quotas_run;		/* resource quotas in use, like qquota */
verb_show hosts_show, queues_show, quotas_show;

extern const struct argument explain_options[];
/* reasons of jobs' priorities and positions, with every number down to its inputs */
verb_run explain_run;
extern const struct argument compare_options[];
verb_run compare_run;		/* term of the priorities that puts one job before another */

extern const struct argument negotiate_options[];
verb_run negotiate_run;		/* the last negotiation cycle, or the next one, phase by phase */

extern const struct argument dump_options[];
/* the input of a run as events, or its configuration as files */
verb_run dump_run;

extern const struct argument acct_options[];
verb_run acct_run;		/* usage of tasks that have ended, like qacct(1) */
verb_show acct_show;

extern const struct argument top_options[];
verb_run top_run;		/* a live view of the published run */

extern const struct argument usage_options[];
verb_run usage_run;		/* usage by user, project and period, and the statement of a user */

extern const struct argument replay_options[];
verb_run replay_run;		/* results of a workload under several policies, side by side */

extern const struct argument whatif_options[];
/* the published run again, with changes; exit codes 0, 1: something differs */
verb_run whatif_verb_run;

/* submission of a script or a command to the local cell, like qsub */
verb_run submit_run;
verb_run alter_run;		/* change jobs of the local cell, like qalter */
verb_run del_run;		/* delete jobs of the local cell, like qdel */
verb_run hold_run;		/* hold and release jobs of the local cell, like qhold and qrls */
verb_run mod_run;		/* change the state of jobs of the local cell, like qmod */

verb_run jobprio_run;		/* job priorities of the local cell, like condor_prio(1) */

extern const struct argument reserve_options[], reserve_stat_options[];
/*
 * advance reservations: made and deleted in the local cell like qrsub and qrdel, shown for any cell
 * like qrstat
 */
verb_run reserve_run;

extern const struct argument attach_options[];
/* take the scheduler role from a qmaster's scheduler, and hand it back */
verb_run attach_run;

extern const struct argument audit_options[];
/*
 * Findings of a shadow, from its journal. EXIT_DIFFERENCE: decisions differ. EXIT_NO_DATA: there is
 * no run to report.
 */
verb_run audit_run;

extern const struct argument init_options[];
/* create a cell for this machine; EXIT_DIFFERENCE: a cell already exists */
verb_run init_run;

extern const struct argument import_options[];
/*
 * make a cell from the output of another system's commands; EXIT_DIFFERENCE: it has faults, or
 * exists
 */
verb_run import_run;

extern const struct argument clean_options[];
verb_run clean_run;		/* remove what ended schedulers have left in shared memory */

extern const struct argument lint_options[], doctor_options[], keygen_options[];
/*
 * Print all faults in a cell's files to standard output. Exit codes: 0 no faults (there may be
 * warnings), 1 faults, 2 usage, 3 no such directory, 4 not readable.
 */
verb_run lint_run;
/*
 * Run the checks of doctor_cell(), or those of a named part. memory: compare plan and reality of
 * the shared memory for each NUMA node. This inspects the memory pages and not their contents, so
 * it reads the segment without libfairlead. EXIT_DIFFERENCE: pages are on another node, or no page
 * could be bound. nice, store, qmaster: see doctor_nice(), doctor_store() and doctor_qmaster().
 */
verb_run doctor_run;
/* keys by which scheduler and execution hosts authenticate each other */
verb_run keygen_run;

#endif
