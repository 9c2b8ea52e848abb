/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query and result of fairlead hosts, for cluster/hosts.c, cluster/hosts_table.c,
 * cluster/hosts_xml.c and cluster/hosts_json.c.
 */
#ifndef CLI_CLUSTER_HOSTS_H
#define CLI_CLUSTER_HOSTS_H

#include "sched/cli/cluster/cluster.h"
#include "sched/cli/cluster/instance_jobs.h"
#include "sched/cli/options.h"

struct host_list {
	bool queues, jobs, attributes;	/* -q -j -F */
	bool no_topology;		/* -ncb */
	struct names resources;		/* resources of -F, empty: all */
	struct names names;		/* hosts of -h, empty: all */
	struct names users;		/* users of -u, empty: all */
	struct requests_wanted wanted;	/* requests of -l */
	struct format format;
	struct messages *messages;	/* borrowed; receives faults */

	/* Valid in a section. */
	struct cluster_cell cell;
	struct found_values found;
	struct placed_jobs placed;
	/* instances by host: index of the first, then of the next one; SIZE_MAX: none */
	size_t *first, *next;
	struct job_lines lines;
	int error;
	bool nothing;			/* the run has no hosts */
	struct cluster_known known;	/* existing hosts */
	const char *unknown;		/* name of -h that matches no host */
};

/* Collect what the section needs. *any is false if there is nothing to print. */
int hosts_begin(struct host_list *hosts, const struct fl_view *view, bool *any);
/* Return whether the host is selected. If attributes are needed, they are in hosts->found. */
bool hosts_means(struct host_list *hosts, const struct fl_view *view, size_t k, struct fl_host *host);
/* Return whether job_is_first_task of the job's parallel environment is FALSE. */
bool hosts_extra_slave(const struct host_list *hosts, const struct fl_view *view, const struct placed *placed);

/* Return whether -F selects this attribute. */
bool hosts_shows(const struct host_list *hosts, const struct found_value *attribute);

/*
 * Write the columns after the host's name as text: arch, processors, sockets, cores, threads, load,
 * memory and swap, total and used.
 */
#define HOST_COLUMNS 10u
#define HOST_COLUMN_BYTES 400u
void hosts_columns(const struct fl_host *host, char values[HOST_COLUMNS][HOST_COLUMN_BYTES]);

section_print hosts_table, hosts_xml, hosts_json;

#endif
