/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead import: options and summary. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/cell/import.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct import, name)

const struct argument import_options[] = {
	{ "--gridengine", ARGUMENT_FLAG, FIELD(gridengine),
	  .sentence = "import from the qmaster to which qconf connects" },
	{ "--qconf", ARGUMENT_TEXT, FIELD(qconf), .value = "PATH", .sentence = "with --gridengine: call this qconf" },
	{ "--share-mon", ARGUMENT_TEXT, FIELD(share_mon), .value = "PATH",
	  .sentence = "with --gridengine: call this sge_share_mon to read usage (default: the one in the "
	              "directory of qconf)" },
	{ "--slurm", ARGUMENT_FLAG, FIELD(slurm),
	  .sentence = "import slurm.conf and the output of sacctmgr and sshare" },
	{ "--condor", ARGUMENT_FLAG, FIELD(condor),
	  .sentence = "import the output of condor_config_val -dump, condor_userprio and condor_status" },
	{ "-f", ARGUMENT_TEXT, FIELD(conf), .value = "FILE",
	  .sentence = "with --slurm: read this slurm.conf (default: the one that scontrol names); with --condor: "
	              "read this file instead of a dump" },
	{ "--userprio", ARGUMENT_TEXT, FIELD(userprio), .value = "FILE",
	  .sentence = "with --condor: read the output of condor_userprio -long -allusers, or Accountantnew.log "
	              "(default: call it)" },
	{ "--status", ARGUMENT_TEXT, FIELD(status), .value = "FILE",
	  .sentence = "with --condor: read slots from the output of condor_status -long or -json (default: call it)" },
	{ "--squeue", ARGUMENT_TEXT, FIELD(squeue), .value = "FILE",
	  .sentence = "with --slurm: read pending jobs from the output of squeue --json (default: call it)" },
	{ "--cluster", ARGUMENT_TEXT, FIELD(cluster), .value = "NAME",
	  .sentence = "with --slurm: import this cluster (default: the one that slurm.conf names)" },
	{ .name = NULL },
};

static int import_wrong(const struct import *import)
{
	if (import->gridengine + import->slurm + import->condor != 1)
		return cli_fail(EXIT_USAGE, "import: name a system: --gridengine, --slurm or --condor");
	if (import->qconf && (!import->gridengine || !*import->qconf))
		return cli_fail(EXIT_USAGE, "import: --qconf can only be used with --gridengine, and needs a command");
	if (import->share_mon && (!import->gridengine || !*import->share_mon))
		return cli_fail(EXIT_USAGE,
				"import: --share-mon can only be used with --gridengine, and needs a command");
	if ((import->cluster || import->squeue) && !import->slurm)
		return cli_fail(EXIT_USAGE, "import: --cluster and --squeue can only be used with --slurm");
	if (import->conf && !import->slurm && !import->condor)
		return cli_fail(EXIT_USAGE, "import: -f can only be used with --slurm and --condor");
	if (import->userprio && !import->condor)
		return cli_fail(EXIT_USAGE, "import: --userprio can only be used with --condor");
	if (import->status && !import->condor)
		return cli_fail(EXIT_USAGE, "import: --status can only be used with --condor");
	return EXIT_OK;
}

/* Print the number of files of each kind, "3 queue, 12 hosts". The files are sorted. */
static void import_report(const struct import *import, const char *directory)
{
	const struct cell_files *files = &import->new.files;

	printf("%s:", directory);
	for (size_t k = 0, n; k < files->n; k += n) {
		const char *name = files->items[k].name, *slash = strchr(name, '/');
		size_t length = slash ? (size_t)(slash - name) + 1 : 0;

		for (n = 1; length && k + n < files->n && !strncmp(files->items[k + n].name, name, length); n++)
			;
		printf("%s ", k ? "," : "");
		if (length)
			printf("%.*s %zu", (int)length - 1, name, n);
		else
			printf("%s", name);
	}
	printf("\n%s: %zu fault%s, %zu warning%s\n", directory, import->new.faults, plural(import->new.faults),
	       import->new.warnings, plural(import->new.warnings));
}

static bool has_file(const struct import *import, const char *name)
{
	for (size_t k = 0; k < import->new.files.n; k++)
		if (strcmp(import->new.files.items[k].name, name) == 0)
			return true;
	return false;
}

/* Print the commands that can be used next. */
static void import_advise(const struct import *import, const char *directory)
{
	const char *events = has_file(import, IMPORT_JOBS)    ? IMPORT_JOBS
			     : has_file(import, IMPORT_USAGE) ? IMPORT_USAGE
			     : has_file(import, IMPORT_SLOTS) ? IMPORT_SLOTS
							      : NULL;

	if (import->new.faults) {
		printf("\n  fairlead lint %s      # once the faults are corrected\n", directory);
		return;
	}
	printf("\n  fairlead-schedd -c %s --events %s%s%s --once      # one run", directory, events ? directory : "",
	       events ? "/" : "", events ? events : "/dev/null");
	if (import->slurm && events)
		printf(" over %zu pending job%s", import->pending, plural(import->pending));
	printf("\n  fairlead -c %s %s\n", directory,
	       import->slurm && events ? "prio -l      # their priorities; explain JOB, whatif"
	       : import->condor	       ? "userprio -allusers      # priorities and usage; negotiate"
	       : import->slurm	       ? "share -a -l      # shares and usage"
				       : "tree --bars      # shares and usage");
}

static int import_make(struct import *import, const char *directory)
{
	int code = new_cell_check(directory);

	if (code == EXIT_OK)
		code = import->gridengine ? import_gridengine(import)
		       : import->slurm	  ? import_slurm(import)
					  : import_condor(import);
	if (code == EXIT_OK)
		code = new_cell_write(&import->new, directory);
	if (code == EXIT_OK)
		import_report(import, directory);
	if (code == EXIT_OK)
		import_advise(import, directory);
	cell_files_free(&import->new.files);
	return code == EXIT_OK && import->new.faults ? EXIT_DIFFERENCE : code;
}

int import_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = import_options, .argc = argc, .argv = argv, .next = 1 };
	struct import import = { .gridengine = false };
	int code = options_take(&words, &import);

	(void)cell;
	if (!code)
		code = import_wrong(&import);
	if (code)
		return code;
	if (words.next != argc - 1 || !*argv[words.next])
		return cli_fail(EXIT_USAGE,
				"import: the directory of the new cell is expected after the options");
	return import_make(&import, argv[words.next]);
}
