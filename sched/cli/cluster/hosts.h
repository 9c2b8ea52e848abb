/* SPDX-License-Identifier: Apache-2.0 */
/* What fairlead hosts is asked for, and what it finds: cluster/hosts.c, cluster/hosts_table.c, cluster/hosts_xml.c, cluster/hosts_json.c. */
#ifndef CLI_CLUSTER_HOSTS_H
#define CLI_CLUSTER_HOSTS_H

#include "sched/cli/cluster/cluster.h"
#include "sched/cli/cluster/instance_jobs.h"
#include "sched/cli/options.h"

struct host_list {
	bool queues, jobs, attributes;	/* -q -j -F */
	bool no_topology;		/* -ncb */
	struct names resources;		/* of -F; none: all */
	struct names names;		/* of -h; none: all */
	struct names users;		/* of -u; none: all */
	struct requests_wanted wanted;	/* of -l */
	struct format format;

	/* in a section */
	struct cluster_cell cell;
	struct found_values found;
	struct placed_jobs placed;
	size_t *first, *next;		/* instances by host: the first one, those behind; SIZE_MAX */
	struct job_lines lines;
	int error;
	bool nothing;			/* the run shows no hosts */
	struct cluster_known known;	/* hosts that there are */
	const char *unknown;		/* a name of -h that is none */
};

/* Opens what the section needs: *any is false where there is nothing to print. */
int hosts_begin(struct host_list *hosts, const struct fl_view *view, bool *any);
void hosts_end(struct host_list *hosts);
/* Is the host meant? Its attributes are in h->found where they are needed. */
bool hosts_means(struct host_list *hosts, const struct fl_view *view, size_t k, struct fl_host *host);
/* job_is_first_task of a PE is FALSE. */
bool hosts_extra_slave(const struct host_list *hosts, const struct fl_view *view, const struct placed *placed);

/* Whether -F asks for this attribute. */
bool hosts_shows(const struct host_list *hosts, const struct found_value *attribute);

/* The columns of a host behind its name, as text: arch, processors, sockets, cores, threads, load, memory and swap, total and used. */
#define HOST_COLUMNS 10u
#define HOST_COLUMN_BYTES 400u
void hosts_columns(const struct fl_host *host, char values[HOST_COLUMNS][HOST_COLUMN_BYTES]);

section_print hosts_table, hosts_xml, hosts_json;

#endif
