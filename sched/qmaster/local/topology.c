/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets, cores and threads of this machine, as Grid Engine's execution daemon reports them. */
#include <stdio.h>
#include <stdlib.h>

#include "sched/qmaster/local/inside.h"

#define PROCESSORS_MOST 4096

struct processor { long socket, core; };

static bool number_read(int processor, const char *name, long *number)
{
	char path[128];
	FILE *file;
	bool is_there;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", processor, name);
	file = fopen(path, "re");
	is_there = file && fscanf(file, "%ld", number) == 1;
	if (file)
		fclose(file);
	return is_there;
}

static int by_place(const void *a, const void *b)
{
	const struct processor *x = a, *y = b;

	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	return (x->core > y->core) - (x->core < y->core);
}

/* Read the processors. A processor that is offline has no topology. */
static int processors_read(struct processor processors[PROCESSORS_MOST])
{
	int n = 0;

	for (int k = 0; k < PROCESSORS_MOST; k++)
		if (number_read(k, "physical_package_id", &processors[n].socket) &&
		    number_read(k, "core_id", &processors[n].core))
			n++;
	qsort(processors, (size_t)n, sizeof(*processors), by_place);
	return n;
}

/*
 * Write a letter for each socket, core and thread, as in "SCTTCTT", without threads if each core
 * has one. "": too long.
 */
static void text_make(struct machine_topology *topology, const struct processor *processors)
{
	size_t length = 0, most = sizeof(topology->text) - 4;

	for (int k = 0; k < topology->threads && length < most; k++) {
		bool socket = k == 0 || processors[k].socket != processors[k - 1].socket;

		if (socket)
			topology->text[length++] = 'S';
		if (socket || processors[k].core != processors[k - 1].core)
			topology->text[length++] = 'C';
		if (topology->threads > topology->cores)
			topology->text[length++] = 'T';
	}
	topology->text[length < most ? length : 0] = '\0';
}

void machine_topology(struct machine_topology *topology)
{
	struct processor *processors = calloc(PROCESSORS_MOST + 1, sizeof(*processors));

	*topology = (struct machine_topology){ .threads = processors ? processors_read(processors) : 0 };
	for (int k = 0; k < topology->threads; k++) {
		bool socket = k == 0 || processors[k].socket != processors[k - 1].socket;

		topology->sockets += socket;
		topology->cores += socket || processors[k].core != processors[k - 1].core;
	}
	if (processors)
		text_make(topology, processors);
	free(processors);
}
