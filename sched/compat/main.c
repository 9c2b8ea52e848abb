/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-compat: Grid Engine's client programs on a local cell, for scripts and workflow engines.
 * It is called through links with the names of the programs.
 *
 *     main()               table of programs, selection of the cell
 *       qsub.c             qsub, qalter, qresub; published.c waits until qstat sees the job
 *       qdel.c             qdel, qhold, qrls
 *       qmod.c  qacct.c
 *       qstat.c            jobs, with -f and -g c queues, too; qstat_jobs.c -j
 *       qhost.c            qhost, qquota
 *       qselect.c  qreserve.c: qrsub, qrstat, qrdel
 *       qconf.c            queries, without a verb. qconf_cell.c  qconf_policy.c  qconf_edit.c
 *     for all of them
 *       walk.c             options of the command, and others; call.c the command and its results
 *     of sched/client/     commands that send requests
 *     of sched/cli/        the verbs stat, queues, hosts, quotas, acct and reserve stat, which print a run,
 *                          and the output of -verify
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sched/compat/compat.h"
#include "sched/process/which_cell.h"

static int interactive_run(const struct client_program *program, const char *cell, int argc, char **argv);

static const struct client_program programs[] = {
	{ "qsub", qsub_run, "[SCRIPT|COMMAND [ARGUMENT...]]", submit_options, qsub_foreign },
	{ "qstat", qstat_run, "", stat_options, qstat_foreign },
	{ "qdel", qdel_run, "JOB[,...]...", del_options, qdel_foreign },
	{ "qhold", qhold_run, "JOB[,...]...", hold_options, qhold_foreign },
	{ "qrls", qhold_run, "JOB[,...]...", hold_options, qhold_foreign },
	{ "qalter", qalter_run, "JOB[,...]...", alter_options, qalter_foreign },
	{ "qmod", qmod_run, "JOB[,...]...", mod_options, qmod_foreign },
	{ "qacct", qacct_run, "", acct_options, NULL },
	{ "qhost", qhost_run, "", hosts_options, NULL },
	{ "qquota", qquota_run, "", quotas_options, NULL },
	{ "qselect", qselect_run, "", qselect_options, NULL },
	{ "qresub", qresub_run, "JOB[,...]...", qresub_options, NULL },
	{ "qrsub", qrsub_run, "", reserve_sub_options, qrsub_foreign },
	{ "qrstat", qrstat_run, "", reserve_stat_options, qrstat_foreign },
	{ "qrdel", qrdel_run, "RESERVATION[,...]...", reserve_del_options, qrdel_foreign },
	{ "qconf", qconf_run, "", NULL, NULL },
	{ "qrsh", interactive_run, "", NULL, NULL },
	{ "qsh", interactive_run, "", NULL, NULL },
	{ "qlogin", interactive_run, "", NULL, NULL },
};

#define PROGRAMS (sizeof(programs) / sizeof(*programs))

static int interactive_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	(void)cell;
	(void)argc;
	(void)argv;
	return program_fail(
		program->name,
		"interactive jobs and -inherit are not supported; qsub -sync y waits for the end of a job", NULL);
}

static void option_print(FILE *to, const char *name, const char *value, const char *sentence)
{
	int width = fprintf(to, "   [%s%s%s]", name, value ? " " : "", value ? value : "");

	fprintf(to, "%*s%s\n", width < 44 ? 44 - width : 1, "", sentence);
}

void program_help(const struct client_program *program, FILE *to)
{
	if (program->run == qselect_run) {
		fputs(qselect_usage, to);
		return;
	}
	fprintf(to, "SGE 8.1.9 (Fairlead %s)\nusage: %s [options]%s%s\n", FAIRLEAD_VERSION, program->name,
		*program->operands ? " " : "", program->operands);
	for (const struct argument *row = program->options; row && row->name; row++)
		if (row->kind != ARGUMENT_SAME)
			option_print(to, row->name, row->value, row->sentence);
	for (const struct foreign *row = program->foreign; row && row->name; row++)
		if (row->ignored)
			option_print(to, row->name, row->value, "ignored");
	option_print(to, "-help", NULL, "print this help");
}

static const struct client_program *program_find(const char *path)
{
	const char *name = strrchr(path, '/');

	for (const struct client_program *program = programs; program < programs + PROGRAMS; program++)
		if (!strcmp(program->name, name ? name + 1 : path))
			return program;
	return NULL;
}

static int names_print(void)
{
	fprintf(stderr, "fairlead-compat: call it by a link with one of these names:");
	for (const struct client_program *program = programs; program < programs + PROGRAMS; program++)
		fprintf(stderr, " %s", program->name);
	fputc('\n', stderr);
	return 1;
}

static int dispatch(int argc, char **argv)
{
	const struct client_program *program = argc > 0 ? program_find(argv[0]) : NULL;
	const char *cell = which_cell(NULL);

	if (!program)
		return names_print();
	if (argc > 1 && program->run != qconf_run && !strcmp(argv[1], "-help")) {
		program_help(program, stdout);
		return 0;
	}
	if (!cell || !*cell)
		return program_fail(program->name, "no cell: set FAIRLEAD_CELL, or create " CELL_BY_DEFAULT, NULL);
	return program->run(program, cell, argc, argv);
}

/*
 * Like the programs of Grid Engine, ignore that no process reads the output: requests are carried
 * out, and the exit code is theirs.
 */
int main(int argc, char **argv)
{
	struct messages messages = { .items = NULL };
	int code;

	signal(SIGPIPE, SIG_IGN);
	code = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		code = cli_add_unwritten(&messages, errno) ? 1 : code;
		for (size_t i = 0; i < messages.n; i++)
			if (messages.items[i].reason != REASON_NO_READER)
				fprintf(stderr, "%s\n", messages.items[i].text);
		messages_free(&messages);
	}
	return code;
}
