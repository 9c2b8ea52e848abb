/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays of a cell: the output of the command line's verbs, printed into a file in memory and
 * checked there.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/cli/slurm/prio.h"
#include "sched/cli/slurm/sshare.h"
#include "sched/cli/stat/stat.h"
#include "sched/cli/tree/tree.h"
#include "sched/cli/userprio/show.h"
#include "tests/fuzz/support.h"

#define PIECE_BYTES (256u << 10)	/* state of output.c after the first write */
/*
 * Size of the file. A write beyond its end fails, as if the reader had left. Rows of 100000 tasks
 * take seconds under sanitizers, and jansson takes 50 times as much memory as the output.
 */
#define OUTPUT_BYTES (2u << 20)

bool fuzz_hostile;

static unsigned printed;

/* Check a document, or one per line. jansson accepts neither NaN nor invalid UTF-8. */
static void output_check(const char *text, size_t size)
{
	size_t flags = fuzz_hostile ? 0 : JSON_REJECT_DUPLICATES;
	json_error_t error;
	json_t *document = json_loadb(text, size, flags, &error);

	for (size_t at = 0, next; !document && at < size; at = next) {
		const char *end = memchr(text + at, '\n', size - at);

		next = end ? (size_t)(end - text) + 1 : size;
		json_t *line = json_loadb(text + at, next - at, flags, NULL);

		if (!line)
			fprintf(stderr, "line %d, byte %d: %s: %.300s\n", error.line, error.position, error.text,
				text + (error.position > 100 && (size_t)error.position < size ? error.position - 100
											      : 0));
		MUST(line != NULL);
		json_decref(line);
	}
	json_decref(document);
}

static void output_look(int fd, bool json)
{
	size_t size = (size_t)lseek(fd, 0, SEEK_CUR);
	char *text = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : NULL;

	MUST(text != MAP_FAILED);
	if (json && size)
		output_check(text, size);
	if (size)
		munmap(text, size);
	MUST(lseek(fd, 0, SEEK_SET) == 0);
}

/*
 * Print a section with a reader and a small buffer of its own. The buffer of out_open() is meant
 * for a single use.
 */
static void section(const char *cell, bool json, section_print *print, void *context)
{
	static int fd = -1;
	struct out out = { .capacity = PIECE_BYTES };
	struct fl_cell *handle;
	int code, rc;

	if (fd < 0)
		fd = scratch_output(OUTPUT_BYTES);
	if (fl_attach(&handle, cell) != 0)	/* a hostile segment */
		return;
	out.fd = fd;
	out.buffer = malloc(out.capacity);
	MUST(out.buffer != NULL);
	code = print(fl_begin(handle), &out, context);
	printed += fl_end(handle) == 0 && code == EXIT_OK;
	rc = out_flush(&out);
	MUST(rc == 0 || rc == -EPERM);	/* beyond OUTPUT_BYTES */
	output_look(fd, json && rc == 0);
	free(out.buffer);
	fl_detach(handle);
}

static void print_stat(const char *cell)
{
	static struct job_listing listing;
	struct wanted_job jobs[] = {
		{ .number = 1 }, { .number = 2 }, { .number = 3 }, { .number = 4 }, { .number = 5 }
	};

	listing.filter.states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED;
	listing.show = SHOW_PRIORITY | SHOW_URGENCY | SHOW_EXTENDED | SHOW_TIMES | SHOW_REQUESTS;
	section(cell, true, stat_json, &listing);
	section(cell, false, stat_xml, &listing);
	section(cell, false, stat_table, &listing);
	listing.spread = true;
	listing.show |= SHOW_TASKS;
	section(cell, false, stat_table, &listing);
	listing.spread = false;
	listing.show &= ~(unsigned)SHOW_TASKS;
	listing.filter.states |= STATE_KINDS;
	listing.one_by_one = listing.why = listing.picture = listing.headline = true;
	listing.cell = cell;
	listing.columns =
		"place,job,name,owner,state,for,waits,at,slots,prio,ids,where,why,hard_resources,pe,project,cpu,share,urg,deadline";
	section(cell, false, stat_format, &listing);
	section(cell, true, stat_json, &listing);
	listing.one_by_one = listing.why = listing.picture = listing.headline = false;
	listing.jobs = jobs;
	listing.njobs = sizeof(jobs) / sizeof(*jobs);
	section(cell, false, stat_job, &listing);
	section(cell, false, stat_reasons, &listing);
	section(cell, true, stat_json, &listing);
	listing.jobs = NULL;
	listing.njobs = 0;
}

static void print_tree(const char *cell)
{
	static struct tree tree = {
		.delimiter = "\t", .line_delimiter = "\n", .set_delimiter = "\n", .header = true, .names = true
	};

	MUST(tree_select(&tree, NULL) == EXIT_OK);
	section(cell, false, tree_lines, &tree);
	section(cell, true, tree_json, &tree);
}

static void print_multifactor(const char *cell)
{
	static struct prio prio = { .is_long = true, .cluster = (char *)"cluster" };
	struct sshare_query query = { .is_long = true, .partitions = true, .cluster = (char *)"cluster" };

	section(cell, false, prio_table, &prio);
	section(cell, true, prio_json, &prio);
	section(cell, false, sshare_print, &query);
	section(cell, true, sshare_json, &query);
	free(prio.rows.items);
	prio.rows = (struct prio_rows){ 0 };
}

static void print_userprio(const char *cell)
{
	static char *attributes[] = { (char *)"Name", (char *)"Priority / PriorityFactor" };
	struct userprio_query table = {
		.columns = USERPRIO_ALL, .active_from = USERPRIO_EVER, .group_rollup = true, .now = FUZZ_NOW
	};
	struct userprio_query json = { .is_json = true, .now = FUZZ_NOW },
			      longer = { .is_long = true, .now = FUZZ_NOW };
	struct userprio_query formatted = { .attributes = attributes, .nattributes = 2, .now = FUZZ_NOW };
	struct userprio_query resources = { .resources_of = "ann@pool", .now = FUZZ_NOW };

	section(cell, false, userprio_print, &table);
	section(cell, true, userprio_print, &json);
	section(cell, false, userprio_print, &longer);
	section(cell, false, userprio_print, &formatted);
	section(cell, false, userprio_print, &resources);
}

unsigned fuzz_print(const char *cell)
{
	printed = 0;
	print_stat(cell);
	print_tree(cell);
	print_multifactor(cell);
	print_userprio(cell);
	return printed;
}
