/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a Slurm site's files become a struct slurm_conf: slurm.conf(5) with all that it includes is
 * taken in line by line, a file for each kind of line; what needs several of them together (totals
 * of partitions, weights of TRES) is worked out behind the last line.
 *
 * Functions return 0 or -ENOMEM; what is wrong with a line goes to the report, and the next one is
 * read.
 */
#ifndef CONF_SLURM_FILES_H
#define CONF_SLURM_FILES_H

#include "conf/error.h"
#include "conf/reader.h"
#include "conf/text.h"

enum {
	SLURM_NODES_MOST = 1 << 20,		/* node records of a cluster */
	SLURM_SPANS_MOST = 1 << 17,		/* ranges that a node list may be made of */
	/* ranges that the node lists of all partitions come to */
	SLURM_NAMED_MOST = 1 << 21,
	SLURM_PARTITIONS_MOST = 1 << 16,
	SLURM_ASSOCIATIONS_MOST = 1 << 20,
	SLURM_NAME_MOST = 255,			/* bytes of a name */
	SLURM_PARAMETERS_MOST = 40,
	SLURM_INCLUDE_DEPTH = 16,
};

struct slurm_place {		/* where something stands, for messages */
	const char *file;	/* borrowed from slurm_files.paths; NULL: nowhere */
	int line;
};

struct slurm_pair {		/* Key=value of a line, both borrowed from it */
	const char *key, *value;
};

struct slurm_line {
	struct slurm_place place;
	struct slurm_pair *pairs;
	size_t n;
};

/*
 * Nodes whose names have the same beginning and equally many digits behind it, with consecutive
 * numbers.
 */
struct node_span {
	/* does not end in a digit, unless there are no digits behind it */
	char *prefix;
	uint32_t digits;		/* 0: the name is the prefix alone */
	uint32_t kind;			/* of cluster nodes: index of their line */
	uint64_t low, high;
};

struct node_spans {
	struct node_span *items;
	size_t n;
};

struct node_kind {			/* a NodeName line */
	struct slurm_place place;
	uint32_t cpus, boards, sockets, sockets_per_board, cores, threads;	/* 0: not said */
	uint64_t memory;		/* MiB */
	char *gres, *features;		/* as written; NULL: none */
};

struct node_set {			/* a NodeSet line */
	char *name;
	struct slurm_place place;
	char *nodes, *feature;
};

struct partition_line {			/* what of a PartitionName line waits for the others */
	struct slurm_place place;
	char *nodes, *billing;
	bool is_default;
};

struct slurm_files {			/* slurm.conf being read */
	struct slurm_conf *conf;
	struct report *report;
	char **paths;			/* of all files read */
	size_t npaths;
	const char *open[SLURM_INCLUDE_DEPTH];		/* those that include each other now */
	unsigned depth;
	struct slurm_line line;
	/* of the parameters, by their places in the table */
	struct slurm_place places[SLURM_PARAMETERS_MOST];
	/* as written */
	char *accounting_tres, *weight_tres, *licenses, *flags, *priority_type, *storage_type, *enforce, *site_factor;
	struct node_kind *kinds, kind_default;
	size_t nkinds;
	/* of all nodes; sorted, without overlaps by slurm_nodes_finish() */
	struct node_spans spans;
	double *kind_tres;		/* what a node of a kind has, by kind and TRES */
	/* what the nodes before a span have, by span and TRES: one row more than spans */
	double *before;
	struct node_set *sets;
	size_t nsets;
	size_t spans_named;		/* by partitions so far */
	struct partition_line *partition_lines, line_default;	/* the former as conf->partitions */
	struct slurm_partition partition_default;
};

/* slurm_report.c: `place` nowhere: of the file that all others are included from. */
void __attribute__((format(printf, 4, 5))) slurm_report(const struct slurm_files *files, enum severity severity,
							struct slurm_place place, const char *format, ...);

/* Values (slurm_values.c): 0 or -EINVAL with what is allowed in `e` */

/*
 * "10" minutes, "m:s", "h:m:s", "d-h", "d-h:m", "d-h:m:s", rounded up to whole minutes; INFINITE,
 * UNLIMITED, -1: SLURM_INFINITE.
 */
int slurm_minutes(const char *text, uint32_t *minutes, struct error *error);
/*
 * Decimal, 0x hexadecimal or 0 octal, with K or M of 1024; INFINITE and UNLIMITED are the highest.
 */
int slurm_number(const char *text, uint64_t high, uint64_t *value, struct error *error);
int slurm_bool(const char *text, bool *value, struct error *error);

/* A copy in the place of *member, which is freed. -ENOMEM. */
int slurm_text(char **member, const char *text);
void slurm_lower(char *text);

/* Parameters (slurm_parameters.c) */

void slurm_defaults(struct slurm_conf *conf);
/* The pairs of a line that begins with none of the names below. */
int slurm_parameters_read(struct slurm_files *files);
/* in any case; also those that nothing here needs */
bool slurm_parameter_is(const char *name);
struct slurm_place slurm_parameter_place(const struct slurm_files *files, const char *name);

/* Nodes (slurm_hostlist.c, slurm_nodes.c) */

/*
 * The ranges of "n[1-16,20],login,r[0-3]n[1-8]" behind those that are there. -EINVAL with the
 * reason in `e`, -ENOMEM.
 */
int hostlist_parse(struct node_spans *spans, const char *text, uint32_t kind, struct error *error);
/* The name of a span's node. */
void node_span_name(const struct node_span *span, uint64_t number, char name[2 * SLURM_NAME_MOST]);
int node_span_compare(const void *a, const void *b);	/* by prefix, digits, low, kind */
void node_spans_free(struct node_spans *spans);

int slurm_node_read(struct slurm_files *files);
int slurm_node_set_read(struct slurm_files *files);
/* Counts the cluster and sums up its nodes. Behind slurm_tres_finish(). */
int slurm_nodes_finish(struct slurm_files *files);
/* Nodes of a sorted list without overlaps that the cluster has, and what they have, by TRES. */
uint64_t slurm_nodes_sum(const struct slurm_files *files, const struct node_spans *list, double *total);
/* Drops what is in a sorted list twice. */
void node_spans_merge(struct node_spans *spans);

/* Partitions (slurm_partitions.c) */

int slurm_partition_read(struct slurm_files *files);
int slurm_partitions_finish(struct slurm_files *files);

/* TRES (slurm_tres.c) */

int slurm_tres_finish(struct slurm_files *files);		/* the kinds, and PriorityWeightTRES */
/* "CPU=1.0,Mem=0.25G" into `weights` by TRES. 0, -EINVAL with the reason in `e`, -ENOMEM. */
int slurm_weights_parse(const struct slurm_conf *conf, const char *text, double *weights, struct error *error);
#define SLURM_LIMITS_ALLOWED "KIND=minutes, whole numbers up to 9007199254740992 with commas between, is allowed"
/*
 * Limits, "mem=2G,cpu=10", as sshare prints them: "cpu=10,mem=2048"; NULL if there are none.
 * -EINVAL, -ENOMEM.
 */
int slurm_limits_parse(const struct slurm_conf *conf, const char *text, char **limits);
/*
 * Adds "gpu:tesla:2,gpu:1(S:0),craynetwork" of a node, or licences ("matlab:10,foo*5"), below
 * `family` ("gres", "license").
 */
int slurm_gres_add(const struct slurm_conf *conf, const char *family, const char *text, double *counts,
		   struct error *error);

/* Across parameters (slurm_check.c) */

void slurm_flags_finish(struct slurm_files *files);
void slurm_check(struct slurm_files *files);
/* Behind all files: weights of what there is no table of. -ENOMEM. */
int slurm_tables_check(const struct reader *reader);

/*
 * What other commands print (slurm_associations.c, slurm_sshare.c, slurm_tree.c, slurm_qos.c,
 * slurm_find.c)
 */

int slurm_associations_read(struct reader *reader);
int slurm_sshare_read(struct reader *reader);
int slurm_qos_read(struct reader *reader);

/*
 * Rows of cells with bars between, below a line that names the columns: what -P makes Slurm's
 * commands print. Columns come in any order; their names have no case, and blanks in them do not
 * count. Lines that begin with # are skipped.
 */
enum { COLUMNS_MOST = 8 };

struct columns {
	struct text text;
	const char *const *names;
	size_t n;			/* of the names; the first `needed` must be there */
	size_t place[COLUMNS_MOST];	/* where a row has them; SIZE_MAX: nowhere */
	/* of the row, by name; "" where the file lacks the column */
	char *cells[COLUMNS_MOST];
};

/*
 * 0, -ENOENT (no such file, nothing is reported), -EINVAL (in the report), -ENOMEM. columns_close()
 * must follow in each case.
 */
int columns_open(struct columns *columns, const char *path, const char *const *names, size_t n, size_t needed,
		 struct report *report);
bool columns_next(struct columns *columns);
void columns_close(struct columns *columns);

#define SLURM_QOS_NORMAL "normal"	/* a cluster's own one */

struct association_row {		/* one line, in file order */
	char *account, *user, *partition;
	char *parent;			/* account that it is directly below; "": it is the root */
	uint32_t shares;
	int64_t priority;		/* -1: not said */
	double usage;
	/* see struct slurm_association; said_list: as written */
	char *said_qos, *said_list, *group_minutes;
	int line;
};

struct association_rows {
	const char *path;
	struct report *report;
	struct association_row *items;
	size_t n;
};

/* with empty user and partition; NULL without memory */
struct association_row *association_rows_add(struct association_rows *rows);
void association_rows_free(struct association_rows *rows);
/*
 * Puts the rows in pre-order into the configuration, which takes their texts. Item 0 must be the
 * root. Faults go to the report.
 */
int association_rows_plant(struct association_rows *rows, struct slurm_conf *conf);
/* slurm_qos_list.c: an association's, when that of the one above it is known. */
int slurm_qos_inherit(struct slurm_conf *conf, struct slurm_association *association);
/* Sorts conf->association_index. -ENOMEM. */
int slurm_associations_index(struct slurm_conf *conf);
/* The association with exactly these names; UINT32_MAX. */
uint32_t slurm_association_exact(const struct slurm_conf *conf, const char *account, const char *user,
				 const char *partition);

/* conf.c: slurm.conf, associations, sshare, qos of the cell. */
int slurm_read(struct reader *reader);
void slurm_free(struct slurm_conf *conf);

#endif
