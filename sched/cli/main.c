/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead: the command line. main() finds the verb in the table below, chooses the cell and calls
 * the function of the verb.
 *
 *     acct/       tasks that have ended, as qacct prints them
 *     cell/       init, import, lint, clean and keygen: a cell and its files
 *     cluster/    hosts and quotas, as qhost and qquota print them
 *     doctor/     checks of a scheduler, a store, a machine and a qmaster
 *     dump/       the input of a run as events
 *     explain/    reasons of a job's priority and position; compare, for two jobs
 *     jobs/       submit, alter, hold, release, del, mod, reserve and jobprio: requests of the local cell, over sched/client/
 *     negotiate/  a negotiation cycle, phase by phase
 *     qmaster/    attach, hand-back and audit: next to or instead of a qmaster's scheduler
 *     queues/     queues and their jobs, as qstat -f and qstat -g c print them
 *     replay/     a workload under several policies, in virtual time
 *     slurm/      prio and share, as sprio and sshare print them
 *     stat/       jobs, as qstat prints them
 *     top/        a live view: shares, jobs, hosts, queues, phases of the scheduler
 *     tree/       the share tree, as sge_share_mon prints it
 *     usage/      resources used by users and projects over time, and the statement of a user
 *     userprio/   user priorities, as condor_userprio prints and edits them
 *     whatif/     the published run again, with changes
 *
 * All verbs use the files of this directory:
 *
 *     verbs.h                    functions of the verbs
 *     options.c, names.c         tables of options, lists of names
 *     section.c                  reading of a consistent run
 *     completion.c               completion in shells, from the tables of options
 *     age.c                      age of a run
 *     text.c, memo.c, clock.c    strings and times
 *     cells.c                    small tables
 *     whole_file.c               files that appear when they are complete
 *     terminal.c, xml.c          output
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/nearest.h"
#include "sched/cli/completion.h"
#include "sched/cli/replay/journal.h"
#include "sched/client/trouble.h"
#include "sched/cli/verbs.h"
#include "sched/process/which_cell.h"

struct verb {
	const char *name;
	verb_run *run;
	const char *sentence;
	const char *operands;
	bool needs_cell;
	const struct argument *options;
};

static verb_run completion_run;

static const struct argument completion_options[] = {
	{ .name = NULL },
};

static const struct verb verbs[] = {
	{ "stat", stat_run, "list jobs: state, priority, reason for waiting", "", true, stat_options },
	{ "top", top_run, "watch shares, jobs, hosts and queues on a terminal", "", true, top_options },
	{ "hosts", hosts_run, "show execution hosts: load, memory, queues, jobs, free resources", "", true, hosts_options },
	{ "queues", queues_run, "show queues and queue instances: slots in use, states with reasons, free resources", "", true, queues_options },
	{ "quotas", quotas_run, "show resource quotas: limits, usage and the amount that is left", "", true, quotas_options },
	{ "tree", tree_run, "show the share tree with targets and usage", "[PATH...]", true, tree_options },
	{ "acct", acct_run, "show the resources that finished jobs used, in total or per job", "", false, acct_options },
	{ "usage", usage_run, "show usage by user, project, month; with --me what a share has left", "", false, usage_options },
	{ "explain", explain_run, "explain the priority of a job down to its inputs, and when it starts", "JOB[.TASK]...", true, explain_options },
	{ "compare", compare_run, "compare the priorities of two jobs term by term", "JOB[.TASK] JOB[.TASK]", true, compare_options },
	{ "whatif", whatif_verb_run, "show the effect of a change before it is made: ranks, job starts, targets", "", true, whatif_options },
	{ "replay", replay_run, "replay a workload under several policies: SWF, accounting, sacct -P", "TRACE", false, replay_options },
	{ "submit", submit_run, "submit a script or a command as a job of the local cell", "[SCRIPT|COMMAND|- [ARGUMENT...]]", false, submit_options },
	{ "alter", alter_run, "change jobs of the local cell", "JOB...", true, alter_options },
	{ "del", del_run, "delete jobs of the local cell", "JOB[.TASKS]...", true, del_options },
	{ "hold", hold_run, "hold jobs of the local cell", "JOB[.TASKS]...", true, hold_options },
	{ "release", hold_run, "release held jobs of the local cell", "JOB[.TASKS]...", true, hold_options },
	{ "mod", mod_run, "suspend or reschedule jobs of the local cell, disable or suspend its queues", "JOB...|QUEUE[@HOST]...", true, mod_options },
	{ "reserve", reserve_run, "reserve slots and resources of the local cell in advance", "sub|stat|del [RESERVATION...]", true, reserve_options },
	{ "jobprio", jobprio_run, "set job priorities of the local cell, as condor_prio of HTCondor does", "JOB[.PROC]|USER...", true, jobprio_options },
	{ "prio", prio_run, "show Slurm priorities: pending jobs with their factors", "", true, prio_options },
	{ "share", sshare_run, "show Slurm fair shares: associations with usage and factors", "", true, sshare_options },
	{ "userprio", userprio_run, "show or edit HTCondor user priorities: submitters and groups with quotas "
			"and usage", "[SUBMITTER...]", false, userprio_options },
	{ "negotiate", negotiate_run, "show the last HTCondor negotiation cycle: shares, matches, reasons", "", true, negotiate_options },
	{ "init", init_run, "create a cell for this machine: local jobs, one slot for each processor", "[DIR]", false, init_options },
	{ "import", import_run, "create a cell from the configuration of Grid Engine, Slurm or HTCondor", "DIR", false, import_options },
	{ "lint", lint_run, "check the files of a cell", "[CELL]", false, lint_options },
	{ "doctor", doctor_run, "check the scheduler, its memory and store, CPU control mechanisms, a qmaster",
	  "[memory|nice|store [FILE|STATE]|qmaster [ROOT/CELL]]", false, doctor_options },
	{ "clean", clean_run, "free the shared memory of schedulers that have ended", "[CELL]", false, clean_options },
	{ "dump", dump_run, "write the state of the last run as events, and its configuration as files", "[DIR]", true, dump_options },
	{ "keygen", keygen_run, "create the keys by which scheduler and execution hosts authenticate each other", "DIR", false, keygen_options },
	{ "completion", completion_run, "write the completion of this command line for a shell", "bash|zsh|fish", false, completion_options },
	{ "attach", attach_run, "make Fairlead the scheduler of a Grid Engine qmaster", "", true, attach_options },
	{ "hand-back", attach_run, "return the scheduler role to the built-in scheduler of the qmaster", "", true, attach_options },
	{ "audit", audit_run, "compare the decisions of the built-in scheduler with Fairlead's (shadow mode)", "[JOURNAL]", false, audit_options },
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int completion_run(const char *cell, int argc, char **argv)
{
	struct completion_command commands[VERBS];

	(void)cell;
	for (size_t k = 0; k < VERBS; k++)
		commands[k] = (struct completion_command){ verbs[k].name, verbs[k].sentence, verbs[k].operands,
							   verbs[k].options };
	if (argc != 2 || completion_write(argv[1], commands, VERBS, stdout))
		return cli_fail(EXIT_USAGE, "completion: the name of a shell is expected: bash, zsh or fish");
	return EXIT_OK;
}

/* headings of the help, with the first verb of each group */
static const struct {
	const char *verb, *heading;
} groups[] = {
	{ "stat", "Jobs, hosts and shares" },
	{ "explain", "Explanations and predictions" },
	{ "submit", "Jobs of a local cell" },
	{ "prio", "Policies of Slurm and HTCondor" },
	{ "init", "Cells and schedulers" },
	{ "attach", "Grid Engine" },
};

static const char *heading_of(const char *verb)
{
	for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++)
		if (!strcmp(groups[k].verb, verb))
			return groups[k].heading;
	return NULL;
}

static const struct verb *verb_find(const char *name)
{
	for (size_t k = 0; k < VERBS; k++)
		if (!strcmp(verbs[k].name, name))
			return &verbs[k];
	return NULL;
}

static int help(FILE *to)
{
	fprintf(to, "usage: fairlead [-c CELL] VERB [options]\n");
	for (size_t k = 0; k < VERBS; k++) {
		const char *heading = heading_of(verbs[k].name);

		if (heading)
			fprintf(to, "\n%s\n", heading);
		fprintf(to, "  %-10s %s\n", verbs[k].name, verbs[k].sentence);
	}
	fprintf(to, "\nfairlead VERB --help lists the options of a verb. fairlead --version prints the version.\n"
		    "CELL is the directory of the cell. Default: $FAIRLEAD_CELL, else " CELL_BY_DEFAULT ",\n"
		    "else the Grid Engine cell that $SGE_ROOT and $SGE_CELL name.\n");
	return to == stdout ? EXIT_OK : EXIT_USAGE;
}

static int verb_help(const struct verb *verb)
{
	printf("usage: fairlead [-c CELL] %s [options]%s%s\n\n%s\n\n", verb->name, *verb->operands ? " " : "",
	       verb->operands, verb->sentence);
	options_help(verb->options, stdout);
	if (verb->options == replay_options) {
		printf("\nwith the journal of a scheduler:\n");
		options_help(replay_journal_options, stdout);
	}
	return EXIT_OK;
}

/* Command names that users know from other systems, and the command to use here. */
static const struct {
	const char *names, *instead;
} habits[] = {
	{ " log logs output cat follow tail ", "fairlead stat -j JOB, which names the output files of a job" },
	{ " ps jobs queue squeue qstat status list ls ", "fairlead stat; with --watch 2 it is repeated" },
	{ " kill cancel scancel rm remove delete qdel condor_rm ", "fairlead del" },
	{ " nodes sinfo qhost ", "fairlead hosts" },
	{ " run exec srun sbatch qsub sub wait ", "fairlead submit; with -sync y it waits for the end of the job" },
	{ " analyze better-analyze why ", "fairlead explain JOB, or fairlead stat --why" },
	{ " users who ", "fairlead tree" },
	{ " report accounting history sacct qacct sreport ", "fairlead acct" },
	{ " sprio ", "fairlead prio" },
	{ " sshare ", "fairlead share" },
	{ " suspend resume reschedule requeue disable enable ", "fairlead mod" },
};

static int habit_say(const char *name)
{
	char word[40];

	snprintf(word, sizeof(word), " %.30s ", name);
	for (size_t k = 0; k < sizeof(habits) / sizeof(habits[0]); k++)
		if (!strchr(name, ' ') && strstr(habits[k].names, word))
			return cli_fail(EXIT_USAGE, "no verb %s; did you mean %s?", name, habits[k].instead);
	return EXIT_OK;
}

static int verb_unknown(const char *name)
{
	struct nearest nearest = { .name = name };
	int code = habit_say(name);

	if (code)
		return code;

	for (size_t k = 0; k < VERBS; k++)
		nearest_look(&nearest, verbs[k].name);
	if (nearest.found)
		return cli_fail(EXIT_USAGE, "no verb %s; did you mean %s?", name, nearest.found);
	return cli_fail(EXIT_USAGE, "no verb %s; see fairlead --help", name);
}

static int help_about(const char *name)
{
	const struct verb *verb = name ? verb_find(name) : NULL;

	if (verb)
		return verb_help(verb);
	return name ? verb_unknown(name) : help(stdout);
}

/*
 * Return whether the verb parses its words itself. The options of the submitted command follow it
 * and may include a -c.
 */
static bool is_submit(const char *word)
{
	return !strcmp(word, "submit");
}

/*
 * Remove "-c CELL" from the words, at any position. Return 0, or a negative number if CELL is
 * missing.
 */
static int take_cell(int *argc, char **argv, const char **cell)
{
	int kept = 1;

	for (int k = 1; k < *argc; k++) {
		if (!strcmp(argv[k], "--") || (kept == 1 && is_submit(argv[k]))) {
			while (k < *argc)
				argv[kept++] = argv[k++];
		} else if (strcmp(argv[k], "-c")) {
			argv[kept++] = argv[k];
		} else if (++k < *argc) {
			*cell = argv[k];
		} else {
			return -1;
		}
	}
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

/* Return whether a word asks for help. "-h" does so unless it is an option of the verb. */
static bool is_help(const char *word, const struct argument *options)
{
	for (; options->name && !strcmp(word, "-h"); options++)
		if (!strcmp(options->name, "-h"))
			return false;
	return !strcmp(word, "--help") || !strcmp(word, "-help") || !strcmp(word, "-h");
}

/*
 * Commands that change a qmaster's jobs instead of these verbs. submit is missing, as it finds its
 * cell and checks it itself.
 */
static const struct {
	const char *verb, *command;
	bool same_operands;
} of_qmasters[] = {
	{ "alter", "qalter", true }, { "del", "qdel", true }, { "hold", "qhold", true }, { "release", "qrls", true }, { "mod", "qmod", true },
	{ "jobprio", "qalter -p", false }, { "reserve", "qrsub, qrstat or qrdel", false },
};

static int jobs_check(const struct verb *verb, const char *cell, char **operands)
{
	static char *none[] = { NULL };
	struct messages messages = { .items = NULL };
	int code = EXIT_OK;

	for (size_t k = 0; cell && *cell && k < sizeof(of_qmasters) / sizeof(of_qmasters[0]); k++)
		if (!strcmp(of_qmasters[k].verb, verb->name))
			code = cell_check_jobs(&messages, cell, of_qmasters[k].command,
					       of_qmasters[k].same_operands ? operands : none);
	cli_print(&messages);
	return code;
}

/*
 * Return whether the verb changes more than its output. It is then carried out to its end, even if
 * no process reads its output any more. main() ends the process by SIGPIPE afterwards.
 */
static bool has_effects(const char *verb)
{
	static const char verbs_with_effects[] = " submit alter del hold release mod reserve jobprio userprio init "
						 "import dump keygen clean doctor attach hand-back replay ";
	char word[40];

	snprintf(word, sizeof(word), " %s ", verb);
	return strstr(verbs_with_effects, word) != NULL;
}

static int run(const char *cell, int argc, char **argv)
{
	const struct verb *verb = verb_find(argv[1]);
	int code;

	if (!verb)
		return verb_unknown(argv[1]);
	for (int k = 2; k < argc && strcmp(argv[k], "--") && (k == 2 || !is_submit(argv[1])); k++)
		if (is_help(argv[k], verb->options))
			return verb_help(verb);
	if (verb->needs_cell && (!cell || !*cell))
		return cli_no_cell("");
	code = jobs_check(verb, cell, argv + 2);
	if (has_effects(verb->name))
		signal(SIGPIPE, SIG_IGN);
	return code ? code : verb->run(cell, argc - 1, argv + 1);
}

static int dispatch(int argc, char **argv)
{
	static const struct argument no_options[] = { { .name = NULL } };
	const char *cell = NULL;

	if (take_cell(&argc, argv, &cell))
		return cli_fail(EXIT_USAGE, "-c needs the cell's directory");
	if (argc < 2)
		return help(stderr);
	if (is_help(argv[1], no_options) || !strcmp(argv[1], "help"))
		return help_about(argc > 2 ? argv[2] : NULL);
	if (!strcmp(argv[1], "--version")) {
		printf("fairlead %s\n", FAIRLEAD_VERSION);
		return EXIT_OK;
	}
	cell = which_cell(cell);
	return run(cell ? cell : which_qmaster_cell(), argc, argv);
}

int main(int argc, char **argv)
{
	int code = dispatch(argc, argv);

	return fflush(stdout) || ferror(stdout) ? cli_unwritten(errno) : code;
}
