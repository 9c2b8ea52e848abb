/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead: the command line. Who looks maps a scheduler's published memory and never calls the
 * scheduler; who has a job for the local cell asks it.
 *
 *     main()               the table of verbs, the cell
 *       stat_run()         jobs, as qstat prints them
 *         stat.c           options            stat_rows.c    the rows in their order
 *         stat_filter.c    which are meant    stat_states.c  stat_parts.c
 *         stat_sort.c      --sort             stat_columns.c stat_values.c  columns by name
 *         stat_fields.h    the table of what is shown, for all of these:
 *         stat_table.c     columns            stat_format.c  --format: width.c
 *         stat_xml.c       -xml               stat_headline.c  stat_colour.c  terminal.c
 *         stat_watch.c     --watch            stat_spread.c  -g t, -t   stat_requests.c  -r
 *         stat_json.c      --json
 *         stat_wanted.c    -j, -s z           description.c  finished.c     asked, and looked up
 *         stat_job.c       -j                 stat_detail.c  stat_reasons.c
 *       acct_run()         tasks that have ended, as qacct tells of them
 *         acct.c           options            acct_file.c    where the file is, its lines
 *         acct_select.c    which are meant    acct_sums.c    acct_block.c
 *       tree_run()         the share tree, as sge_share_mon prints it
 *         tree.c           options            tree_print.c fields and lines
 *         tree_bars.c      the picture for people; terminal.c what it is shown on
 *         shares.c         nodes, and the users on `default` nodes
 *         share_usage.c    what they have used
 *       prio_run()         the factors of jobs' priorities, as sprio prints them
 *         prio_fields.h    the table of what is shown
 *         prio.c           options            prio_format.c   columns
 *         prio_rows.c      which jobs         prio_table.c    prio_json.c
 *       sshare_run()       associations, as sshare prints them
 *         sshare.c         options            sshare_fields.c columns
 *         sshare_print.c   lines              sshare_json.c
 *       userprio_run()     user priorities, as condor_userprio prints and edits them
 *         userprio.c       options            userprio_edit.c
 *         userprio_words.c of the displays    userprio_rows.c  which rows
 *         userprio_file.c  userprio_live.c    where records come from
 *         userprio_table.c userprio_ads.c     userprio_json.c
 *       hosts_run()        execution hosts, as qhost prints them
 *         hosts.c          options            hosts_table.c   hosts_json.c
 *       queues_run()       queues, as qstat -f and qstat -g c print them
 *         queues.c         options            queues_select.c which instances
 *         queues_list.c    -f                 queues_sum.c    -g c, the picture   queues_json.c
 *       quotas_run()       resource quotas, as qquota prints them: quotas.c
 *         cluster.c        for these three    attributes.c    of hosts and instances
 *         instance_jobs.c  jobs below them    cluster_json.c
 *       explain_run()      why a job stands where it stands
 *         explain.c        options            explain_text.c  explain_json.c
 *         explain_place.c  place and start    explain_place_json.c  explain_advice.c
 *                                            explain_when.c
 *       compare_run()      which term puts one job before another: compare.c
 *         ../explain/      derivations, and the run made again that they come from
 *       negotiate_run()    a negotiation cycle, phase by phase
 *         negotiate.c      options            negotiate_print.c   negotiate_json.c
 *         negotiate_dry.c  the next one, on a copy
 *       whatif_verb_run()  the published run once more, with changes: ../whatif/
 *         whatif.c         options            whatif_subject.c  whom they are about
 *         whatif_files.c   files in place of the cell's
 *         whatif_print.c   who moves, who starts
 *         whatif_targets.c what is promised   whatif_json.c
 *       dump_run()         what a run worked on, as events
 *         dump_files.c     and its configuration
 *       attach_run()       the place of a qmaster's scheduler, taken and handed back
 *       audit_run()        what a shadow found beside the built-in scheduler
 *         audit_sum.c      in sum             audit_print.c    audit_json.c
 *       replay_run()       a workload under several policies, in virtual time
 *         replay.c         options            replay_trace.c    replay_about.c
 *         replay_columns.c the policies       replay_threads.c  threads, signals, progress
 *         replay_text.c    replay_json.c      replay_csv.c      replay_findings.c  replay_words.c
 *         replay_page.c    the page: replay_template.c has report.html, .css, _charts.js, _page.js;
 *                          replay_pictures.c the data over time
 *         replay_journal.c runs that a journal has, again
 *         replay_files.c   files that are complete or not there
 *       init_run()         a cell for this machine
 *         init.c           what it is made of: init_template.c has the files in init/
 *         new_cell.c       a cell that is complete or not there
 *       import_run()       a cell of what another system has
 *         import.c         options            command.c        its commands, and what they say
 *         import_squeue.c  a Slurm's pending jobs
 *         import_gridengine.c                 import_slurm.c      import_condor.c
 *         import_share_mon.c, import_usage.c  what was used in a Grid Engine
 *       lint_run()         what is wrong with a cell's files
 *       clean_run()        what ended schedulers have left, taken away: clean.c, ../../shm/clean.c
 *       doctor_run()       where the scheduler's memory lies
 *         doctor_cell.c    without a word: whether the scheduler is well
 *         doctor_nice.c    what steers jobs on this machine
 *         doctor_store.c   whether a store is sound
 *         doctor_qmaster.c whether a real qmaster would take us as its scheduler: diagnosis.c
 *       keygen_run()       keys for the wire between scheduler and hosts
 *       submit_run()       a job for the local cell; alter_run() changes it
 *         submission.h     its sources: option_lines.c, submission_files.c, text_file.c,
 *                          submission_command.c
 *         job.c            what both can say of a job; job_values.c, job_paths.c,
 *                          job_environment.c, job_manner.c
 *       reserve_run()      advance reservations, made and deleted
 *         reserve_stat.c   and shown
 *       del_run() hold_run() mod_run()   jobs deleted; held; suspended, rescheduled; queues disabled
 *       jobprio_run()                    which of a user's jobs comes first, as HTCondor has it
 *         operands.c       which jobs are meant
 *         job_names.c      jobs by name, for verbs that read a run
 *         server.c         the question and the answer; follow.c news of a job
 *     for all of them
 *       verbs.h            what each verb is; options.c tables of options; names.c lists of names
 *       section.c          one consistent run out of shared memory; trouble.c why there is none;
 *                          age.c how old it is
 *       text.c  memo.c  clock.c    strings, strings met again, times; cells.c tables of few rows
 *       ../process/        arguments.c words of a command line; output.c the buffer before stdout;
 *                          json.c digits.c
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "sched/cli/replay_journal.h"
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

static const struct verb verbs[] = {
	{ "stat", stat_run, "list jobs: state, priority, reason for waiting", "", true, stat_options },
	{ "hosts", hosts_run, "show execution hosts: load, memory, queues, jobs, free resources", "", true, hosts_options },
	{ "queues", queues_run, "show queues and queue instances: slots in use, states with reasons, free resources", "", true, queues_options },
	{ "quotas", quotas_run, "show resource quotas: limits, usage and the amount that is left", "", true, quotas_options },
	{ "tree", tree_run, "show the share tree with targets and usage", "[PATH...]", true, tree_options },
	{ "acct", acct_run, "show the resources that finished jobs used, in total or per job", "", false, acct_options },
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
	{ "userprio", userprio_run, "show or edit HTCondor user priorities: submitters and groups with quotas and usage", "[SUBMITTER...]", false, userprio_options },
	{ "negotiate", negotiate_run, "show the last HTCondor negotiation cycle: shares, matches, reasons", "", true, negotiate_options },
	{ "init", init_run, "create a cell for this machine: local jobs, one slot for each processor", "[DIR]", false, init_options },
	{ "import", import_run, "create a cell from the configuration of Grid Engine, Slurm or HTCondor", "DIR", false, import_options },
	{ "lint", lint_run, "check the files of a cell", "[CELL]", false, lint_options },
	{ "doctor", doctor_run, "check the scheduler, its memory and store, CPU control mechanisms, a qmaster",
	  "[memory|nice|store [FILE|STATE]|qmaster [ROOT/CELL]]", false, doctor_options },
	{ "clean", clean_run, "free the shared memory of schedulers that have ended", "[CELL]", false, clean_options },
	{ "dump", dump_run, "write the state of the last run as events, and its configuration as files", "[DIR]", true, dump_options },
	{ "keygen", keygen_run, "create the keys by which scheduler and execution hosts authenticate each other", "DIR", false, keygen_options },
	{ "attach", attach_run, "make Fairlead the scheduler of a Grid Engine qmaster", "", true, attach_options },
	{ "hand-back", attach_run, "return the scheduler role to the built-in scheduler of the qmaster", "", true, attach_options },
	{ "audit", audit_run, "compare the decisions of the built-in scheduler with Fairlead's (shadow mode)", "[JOURNAL]", false, audit_options },
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct {			/* of the help: the verb that a group begins with */
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
		fprintf(to, "  %-9s %s\n", verbs[k].name, verbs[k].sentence);
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

/* What the commands of other systems are called, and what does their work here. */
static const struct {
	const char *names, *instead;
} habits[] = {
	{ " log logs output cat follow tail ", "fairlead stat -j JOB, which names the output files of a job" },
	{ " top ps jobs queue squeue qstat status list ls ", "fairlead stat; with --watch 2 it is repeated" },
	{ " kill cancel scancel rm remove delete qdel condor_rm ", "fairlead del" },
	{ " nodes sinfo qhost ", "fairlead hosts" },
	{ " run exec srun sbatch qsub sub wait ", "fairlead submit; with -sync y it waits for the end of the job" },
	{ " analyze better-analyze why ", "fairlead explain JOB, or fairlead stat --why" },
	{ " users who ", "fairlead tree" },
	{ " usage report accounting history sacct qacct sreport ", "fairlead acct" },
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
 * Behind this verb stand the options of somebody else's command, which may have a -c of its own: it
 * takes its words apart itself.
 */
static bool is_submit(const char *word)
{
	return !strcmp(word, "submit");
}

/*
 * Takes "-c CELL" out of the words, wherever it stands. 0, or a negative number when CELL is
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

/* "-h" asks for help where no option of the verb has this name. */
static bool is_help(const char *word, const struct argument *options)
{
	for (; options->name && !strcmp(word, "-h"); options++)
		if (!strcmp(options->name, "-h"))
			return false;
	return !strcmp(word, "--help") || !strcmp(word, "-help") || !strcmp(word, "-h");
}

/* What a qmaster's jobs are changed with in place of these verbs. submit, which finds its cell, looks itself. */
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

	for (size_t k = 0; cell && *cell && k < sizeof(of_qmasters) / sizeof(of_qmasters[0]); k++)
		if (!strcmp(of_qmasters[k].verb, verb->name))
			return cli_jobs_check(cell, of_qmasters[k].command,
					      of_qmasters[k].same_operands ? operands : none);
	return EXIT_OK;
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

	if (fflush(stdout) || ferror(stdout))
		return cli_fail(EXIT_NO_DATA, "writing the output: %m");
	return code;
}
