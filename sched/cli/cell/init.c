/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead init: create a cell for this machine, with a comment on each parameter. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "conf/lists.h"
#include "sched/cli/cell/init_template.h"
#include "sched/cli/cell/new_cell.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"
#include "sched/process/which_cell.h"

#define SLOTS_MOST 99999

struct machine_facts {
	char host[256], slots[16];
};

static int slots_take(void *field, struct words *words)
{
	struct machine_facts *facts = field;
	unsigned long slots;

	if (options_number(words->messages, "--slots", NULL, words->value, 1, SLOTS_MOST, &slots))
		return EXIT_USAGE;
	snprintf(facts->slots, sizeof(facts->slots), "%lu", slots);
	return EXIT_OK;
}

const struct argument init_options[] = {
	{ "--slots", ARGUMENT_CALL, .call = slots_take, .value = "N",
	  .sentence = "run at most N tasks at a time (default: the number of processors)" },
	{ .name = NULL },
};

static int facts_find(struct machine_facts *facts)
{
	struct error error = { "" };

	if (gethostname(facts->host, sizeof(facts->host) - 1))
		return cli_fail(EXIT_NO_DATA, "init: the name of this machine is not known: %m");
	if (name_check(facts->host, &error))
		snprintf(facts->host, sizeof(facts->host), "localhost");
	if (!*facts->slots)
		snprintf(facts->slots, sizeof(facts->slots), "%d", get_nprocs());
	return EXIT_OK;
}

/* Return the text with the machine's name and slots filled in, allocated. */
static char *text_fill(const char *text, const struct machine_facts *facts)
{
	static const char host[] = "@host@", slots[] = "@slots@";
	size_t size;
	char *filled = NULL;
	FILE *out = open_memstream(&filled, &size);

	while (out && *text) {
		if (!strncmp(text, host, sizeof(host) - 1)) {
			fputs(facts->host, out);
			text += sizeof(host) - 1;
		} else if (!strncmp(text, slots, sizeof(slots) - 1)) {
			fputs(facts->slots, out);
			text += sizeof(slots) - 1;
		} else {
			putc(*text++, out);
		}
	}
	if (!out || fclose(out)) {
		free(filled);
		return NULL;
	}
	return filled;
}

static int files_make(struct new_cell *new, const struct machine_facts *facts)
{
	char host_file[300];
	const struct { const char *name, *text;
	} files[] = {
		{ "sched_conf", init_sched_conf },
		{ "share_tree", init_share_tree },
		{ "queue/all.q", init_queue },
		{ "pe/smp", init_pe },
		{ host_file, init_host },
		{ "complex", init_complex },
		{ "sge_request", init_sge_request },
		{ "hgrp/@allhosts", init_hgrp },
		{ "usersets/arusers", init_arusers },
		{ "usersets/deadlineusers", init_deadlineusers },
		{ "usersets/defaultdepartment", init_defaultdepartment },
	};
	int rc = 0;

	snprintf(host_file, sizeof(host_file), "hosts/%s", facts->host);
	for (size_t k = 0; k < sizeof(files) / sizeof(*files) && rc == 0; k++) {
		char *text = text_fill(files[k].text, facts);

		rc = text ? new_cell_add(new, files[k].name, text, strlen(text)) : -ENOMEM;
		free(text);
	}
	return rc ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

static void init_report(const char *directory, const struct machine_facts *facts)
{
	bool is_default = !strcmp(directory, CELL_BY_DEFAULT);

	printf("%s: a cell for %s with %s slot%s\n\n", directory, facts->host, facts->slots,
	       plural(strcmp(facts->slots, "1") ? 2 : 1));
	if (!is_default)
		printf("  export FAIRLEAD_CELL=%s\n", directory);
	printf("  fairlead-schedd --local &      # starts jobs; as root those of all users, else only yours\n"
	       "  fairlead submit sleep 60       # a job; fairlead stat shows it\n");
}

static int init_make(const char *directory, struct machine_facts *facts)
{
	struct new_cell new = { .faults = 0 };
	char *real;
	int code = new_cell_check(directory);

	if (code == EXIT_OK)
		code = facts_find(facts);
	if (code == EXIT_OK)
		code = files_make(&new, facts);
	if (code == EXIT_OK)
		code = new_cell_write(&new, directory);
	cell_files_free(&new.files);
	if (code)
		return code;
	real = realpath(directory, NULL);
	init_report(real ? real : directory, facts);
	free(real);
	return EXIT_OK;
}

int init_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = init_options, .argc = argc, .argv = argv, .next = 1 };
	struct machine_facts facts = { .host = "" };
	const char *directory = CELL_BY_DEFAULT;
	int code = options_take(&words, &facts);

	(void)cell;
	if (code)
		return code;
	if (words.next < argc)
		directory = argv[words.next++];
	if (words.next < argc || !*directory)
		return cli_fail(EXIT_USAGE, "init: one directory is expected: fairlead init [--slots N] [DIR]");
	if (!strcmp(directory, CELL_BY_DEFAULT)) {
		umask(022);	/* any user of the machine may read this cell */
		if (mkdir("/etc/fairlead", 0755) && errno != EEXIST)
			return cli_fail(
				EXIT_PERMISSION,
				"init: /etc/fairlead: %m; as another user than root name a directory: fairlead "
				"init DIR");
	}
	return init_make(directory, &facts);
}
