/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/dump/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/cli/cli.h"
#include "sched/qmaster/objects/page.h"

enum { HOST_COLUMN = 22 };

static struct cell_file *find(struct cell_files *files, const char *name)
{
	return array_find(files->items, files->n, sizeof(*files->items), name);
}

bool dump_is_reported(const struct cell_files *files)
{
	return array_find(files->items, files->n, sizeof(*files->items), CELL_ABOUT) != NULL;
}

/* Write the load values. Values that no line can hold become "none", as in the qmaster's text. */
static void load_write(struct page *page, const struct load_reports *load)
{
	page_begin(page, "load_values", HOST_COLUMN);
	for (size_t i = 0; i < load->n; i++) {
		page_put(page, i ? "," : "");
		page_item(page, load->items[i].name);
		page_put(page, "=");
		page_value(page, load->items[i].value);
	}
	page_end(page);
}

static int load_replace(struct cell_file *file, const struct load_reports *load)
{
	char *from = strstr(file->text, "\nload_values "), *to = strstr(file->text, "\nprocessors ");
	struct page page = { 0 };

	if (!from || !to || to < from)
		return 0;
	from[1] = '\0';
	page_put(&page, file->text);
	load_write(&page, load);
	page_put(&page, to + 1);
	from[1] = 'l';
	if (page.rc || page.odd) {
		int rc = page.rc;

		page_free(&page);
		return rc;
	}
	free(file->text);
	file->text = page.bytes;
	return 0;
}

int dump_load(struct cell_files *files, const struct host_event *load)
{
	char name[300];
	struct cell_file *file;

	snprintf(name, sizeof(name), "hosts/%.256s", load->host);
	file = find(files, name);
	return file ? load_replace(file, &load->load) : 0;
}

void dump_about(struct cell_files *files)
{
	struct cell_file *about = find(files, CELL_ABOUT);
	char *rest, *line;

	if (!about)
		return;
	rest = about->text;
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			cli_fail(EXIT_OK, "left out, because it is not in the format of qconf: %s", line);
	free(about->name);
	free(about->text);
	memmove(about, about + 1, (size_t)(files->items + files->n - about - 1) * sizeof(*about));
	files->n--;
}
