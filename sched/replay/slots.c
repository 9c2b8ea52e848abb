/* SPDX-License-Identifier: Apache-2.0 */
/* A cell that consists only of slots, with the policies of another cell. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/policy/policies.h"
#include "sched/replay/replay.h"

#define SLOTS_OF_HOST UINT64_C(9999999)	/* limit of queue_conf(5) */
#define HOSTS_MOST 1000

/* Limits with which time and memory can be requested */
#define NO_LIMITS \
	"s_rt INFINITY\nh_rt INFINITY\ns_cpu INFINITY\nh_cpu INFINITY\n" \
	"s_fsize INFINITY\nh_fsize INFINITY\ns_data INFINITY\nh_data INFINITY\n" \
	"s_stack INFINITY\nh_stack INFINITY\ns_core INFINITY\nh_core INFINITY\n" \
	"s_rss INFINITY\nh_rss INFINITY\ns_vmem INFINITY\nh_vmem INFINITY\n"

/* Return whether a file of the cell describes its machine. */
static bool is_machine(const char *name)
{
	static const char *const folders[] = { "queue/", "hosts/", "hgrp/", "pe/", "ckpt/", "calendar/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return true;
	return strcmp(name, "rqs") == 0;
}

/* Add a file. Takes ownership of name and text, which are from malloc(3) or NULL. */
static int file_put(struct cell_files *made, char *name, char *text, const struct cell_file *like)
{
	struct cell_file *file = name && text ? array_add(&made->items, &made->n, sizeof(*file)) : NULL;

	if (!file) {
		free(name);
		free(text);
		return -ENOMEM;
	}
	*file = (struct cell_file){ name, text, like ? like->hidden : 0, like ? like->group : 0 };
	return 0;
}

static int policies_copy(struct cell_files *made, const struct cell_files *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && rc == 0; i++)
		if (!is_machine(from->items[i].name))
			rc = file_put(made, strdup(from->items[i].name), strdup(from->items[i].text), &from->items[i]);
	return rc;
}

/* Make the queue on host "machine", or on as many hosts as necessary. */
static int queue_make(struct cell_files *made, uint64_t slots, bool pe)
{
	uint64_t hosts = (slots + SLOTS_OF_HOST - 1) / SLOTS_OF_HOST;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	fprintf(out, "qname all.q\nhostlist");
	for (uint64_t i = 0; i < hosts; i++)
		fprintf(out, hosts == 1 ? " machine" : " machine%llu", (unsigned long long)i);
	fprintf(out, "\nseq_no 0\nload_thresholds NONE\nsuspend_thresholds NONE\nqtype BATCH\npe_list %s\nslots %llu",
		pe ? "slots" : "NONE", (unsigned long long)(slots / hosts));
	if (slots % hosts)	/* the first hosts have one more */
		for (uint64_t i = 0; i < slots % hosts; i++)
			fprintf(out, ",[machine%llu=%llu]", (unsigned long long)i,
				(unsigned long long)(slots / hosts + 1));
	fputs("\n" NO_LIMITS, out);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	return file_put(made, strdup("queue/all.q"), text, NULL);
}

static int pe_make(struct cell_files *made, uint64_t slots)
{
	char *text;

	if (asprintf(
		    &text,
		    "pe_name slots\nslots %llu\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $fill_up\n"
		    "control_slaves FALSE\n"
		    "job_is_first_task TRUE\nurgency_slots min\n",
		    (unsigned long long)(slots < SLOTS_OF_HOST ? slots : SLOTS_OF_HOST)) < 0)
		text = NULL;
	return file_put(made, strdup("pe/slots"), text, NULL);
}

int replay_cell_of_slots(struct cell_files *made, const struct cell *cell, uint64_t slots, struct error *error)
{
	/* HTCondor has a partitionable slot instead, of which jobs request processors */
	bool pe = policies_of(cell)->requests != REQUESTS_CONDOR;
	int rc;

	*made = (struct cell_files){ 0 };
	if (slots == 0 || slots > SLOTS_OF_HOST * HOSTS_MOST)
		return error_set(error, -EINVAL, "a machine cannot have %llu slots: only 1 to %llu are allowed",
				 (unsigned long long)slots, (unsigned long long)(SLOTS_OF_HOST * HOSTS_MOST));
	rc = policies_copy(made, &cell->files);
	if (rc == 0)
		rc = queue_make(made, slots, pe);
	if (rc == 0 && pe)
		rc = pe_make(made, slots);
	if (rc) {
		cell_files_free(made);
		return error_set(error, rc, "out of memory");
	}
	cell_files_sort(made);
	return 0;
}
