/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of a Slurm site's files to a struct slurm_conf. slurm.conf(5) and all files that it
 * includes are read line by line. Each kind of line has a source file. Values that depend on
 * several lines (totals of partitions, weights of TRES) are computed after the last line.
 *
 * Functions return 0 or -ENOMEM. Problems of a line go to the report, and reading continues.
 */
#ifndef CONF_SLURM_FILES_H
#define CONF_SLURM_FILES_H

#include "conf/base/error.h"
#include "conf/reader.h"
#include "conf/text.h"

enum {
	SLURM_NODES_MOST = 1 << 20,		/* node records of a cluster */
	SLURM_SPANS_MOST = 1 << 17,		/* ranges in a node list */
	/* ranges in the node lists of all partitions together */
	SLURM_NAMED_MOST = 1 << 21,
	SLURM_PARTITIONS_MOST = 1 << 16,
	SLURM_ASSOCIATIONS_MOST = 1 << 20,
	SLURM_NAME_MOST = 255,			/* bytes of a name */
	SLURM_PARAMETERS_MOST = 40,
	SLURM_INCLUDE_DEPTH = 16,
};

struct slurm_place {		/* position in a file, for messages */
	const char *file;	/* borrowed from slurm_files.paths; NULL: no position */
	int line;
};

struct slurm_pair {		/* Key=value of a line, both borrowed from the line */
	const char *key, *value;
};

struct slurm_line {
	struct slurm_place place;
	struct slurm_pair *pairs;
	size_t n;
};

/*
 * Nodes whose names have the same prefix and the same number of digits after it, with consecutive
 * numbers.
 */
struct node_span {
	/* does not end in a digit, unless no digits follow it */
	char *prefix;
	uint32_t digits;		/* 0: the name consists of the prefix only */
	uint32_t kind;			/* for nodes of the cluster: index of their line */
	uint64_t low, high;
};

struct node_spans {
	struct node_span *items;
	size_t n;
};

struct node_kind {			/* NodeName line */
	struct slurm_place place;
	uint32_t cpus, boards, sockets, sockets_per_board, cores, threads;	/* 0: not set */
	uint64_t memory;		/* MiB */
	char *gres, *features;		/* values as written; NULL: none */
};

struct node_set {			/* NodeSet line */
	char *name;
	struct slurm_place place;
	char *nodes, *feature;
};

/* parts of a PartitionName line that are processed after the last line */
struct partition_line {
	struct slurm_place place;
	char *nodes, *billing;
	bool is_default;
};

struct slurm_files {			/* slurm.conf while it is read */
	struct slurm_conf *conf;
	struct report *report;
	char **paths;			/* paths of all files that were read */
	size_t npaths;
	/* files that are being read, each included by the one before */
	const char *open[SLURM_INCLUDE_DEPTH];
	unsigned depth;
	struct slurm_line line;
	/* positions of the parameters, by their index in the table */
	struct slurm_place places[SLURM_PARAMETERS_MOST];
	/* values as written */
	char *accounting_tres, *weight_tres, *licenses, *flags, *priority_type, *storage_type, *enforce, *site_factor;
	struct node_kind *kinds, kind_default;
	size_t nkinds;
	/* spans of all nodes; slurm_nodes_finish() sorts them and excludes overlaps */
	struct node_spans spans;
	double *kind_tres;		/* resources of one node of a kind, by kind and TRES */
	/* resources of all nodes before a span, by span and TRES: one row more than spans */
	double *before;
	struct node_set *sets;
	size_t nsets;
	size_t spans_named;		/* ranges in the lists of the partitions so far */
	/* partition_lines has the order of conf->partitions */
	struct partition_line *partition_lines, line_default;
	struct slurm_partition partition_default;
};

/*
 * report.c: report a problem at a position. Without a position it is about the file that includes
 * all others.
 */
void __attribute__((format(printf, 4, 5))) slurm_report(const struct slurm_files *files, enum severity severity,
							struct slurm_place place, const char *format, ...);

/* Values (values.c): functions return 0, or -EINVAL with the allowed values in `error` */

/*
 * Read a time: "10" minutes, "m:s", "h:m:s", "d-h", "d-h:m", "d-h:m:s", rounded up to whole
 * minutes. INFINITE, UNLIMITED and -1 give SLURM_INFINITE.
 */
int slurm_minutes(const char *text, uint32_t *minutes, struct error *error);
/*
 * Read a number: decimal, 0x hexadecimal or 0 octal, with K or M as powers of 1024. INFINITE and
 * UNLIMITED give the highest value.
 */
int slurm_number(const char *text, uint64_t high, uint64_t *value, struct error *error);
int slurm_bool(const char *text, bool *value, struct error *error);

/* Free *member and replace it by a copy. Returns 0 or -ENOMEM. */
int slurm_text(char **member, const char *text);
void slurm_lower(char *text);

/* Parameters (parameters.c) */

void slurm_defaults(struct slurm_conf *conf);
/* Read the pairs of a line that begins with none of the names below. */
int slurm_parameters_read(struct slurm_files *files);
/* Return true if the name, case-insensitive, is a parameter, even one that is not used. */
bool slurm_parameter_is(const char *name);
struct slurm_place slurm_parameter_place(const struct slurm_files *files, const char *name);

/* Nodes (hostlist.c, nodes.c) */

/*
 * Append the ranges of "n[1-16,20],login,r[0-3]n[1-8]". Returns 0, -EINVAL with the reason in
 * `error`, or -ENOMEM.
 */
int hostlist_parse(struct node_spans *spans, const char *text, uint32_t kind, struct error *error);
/* Write the name of a span's node. */
void node_span_name(const struct node_span *span, uint64_t number, char name[2 * SLURM_NAME_MOST]);
int node_span_compare(const void *a, const void *b);	/* order: prefix, digits, low, kind */
void node_spans_free(struct node_spans *spans);

int slurm_node_read(struct slurm_files *files);
int slurm_node_set_read(struct slurm_files *files);
/* Count the nodes of the cluster and add up their resources. Call after slurm_tres_finish(). */
int slurm_nodes_finish(struct slurm_files *files);
/*
 * Return the number of nodes of a list that the cluster has, and their resources by TRES in
 * `total`. The list must be sorted and without overlaps.
 */
uint64_t slurm_nodes_sum(const struct slurm_files *files, const struct node_spans *list, double *total);
/* Remove duplicates from a sorted list. */
void node_spans_merge(struct node_spans *spans);

/* Partitions (partitions.c) */

int slurm_partition_read(struct slurm_files *files);
int slurm_partitions_finish(struct slurm_files *files);

/* TRES (tres.c) */

/* Set the kinds of TRES and the weights of PriorityWeightTRES. */
int slurm_tres_finish(struct slurm_files *files);
/*
 * Read "CPU=1.0,Mem=0.25G" into `weights` by TRES. Returns 0, -EINVAL with the reason in `error`,
 * or -ENOMEM.
 */
int slurm_weights_parse(const struct slurm_conf *conf, const char *text, double *weights, struct error *error);
#define SLURM_LIMITS_ALLOWED "KIND=minutes, whole numbers up to 9007199254740992 with commas between, is allowed"
/*
 * Convert limits ("mem=2G,cpu=10") to the format of sshare: "cpu=10,mem=2048"; NULL if there are
 * none. Returns 0, -EINVAL or -ENOMEM.
 */
int slurm_limits_parse(const struct slurm_conf *conf, const char *text, char **limits);
/*
 * Add the resources "gpu:tesla:2,gpu:1(S:0),craynetwork" of a node, or licenses
 * ("matlab:10,foo*5"), below `family` ("gres", "license").
 */
int slurm_gres_add(const struct slurm_conf *conf, const char *family, const char *text, double *counts,
		   struct error *error);

/* Checks across parameters (check.c) */

void slurm_flags_finish(struct slurm_files *files);
void slurm_check(struct slurm_files *files);
/*
 * Warn about weights for tables that do not exist. Call after all files have been read. Returns 0
 * or -ENOMEM.
 */
int slurm_tables_check(const struct reader *reader);

/* Output of other commands (associations.c, sshare.c, tree.c, qos.c, find.c) */

int slurm_associations_read(struct reader *reader);
int slurm_sshare_read(struct reader *reader);
int slurm_qos_read(struct reader *reader);

/*
 * Rows of cells separated by bars, below a line that names the columns, which is the format of
 * Slurm's commands with -P. Columns may be in any order. Their names are case-insensitive, and
 * blanks in them are ignored. Lines that begin with # are skipped.
 */
enum { COLUMNS_MOST = 8 };

struct columns {
	struct text text;
	const char *const *names;
	size_t n;			/* number of names; the first `needed` must exist */
	size_t place[COLUMNS_MOST];	/* index of each column in a row; SIZE_MAX: missing */
	/* cells of the row, by name; "" if the column is missing */
	char *cells[COLUMNS_MOST];
};

/*
 * Open a file. Returns 0, -ENOENT (no such file, nothing is reported), -EINVAL (reported) or
 * -ENOMEM. Call columns_close() in each case.
 */
int columns_open(struct columns *columns, const char *path, const char *const *names, size_t n, size_t needed,
		 struct report *report);
bool columns_next(struct columns *columns);
void columns_close(struct columns *columns);

#define SLURM_QOS_NORMAL "normal"	/* QOS that a cluster has by default */

struct association_row {		/* line of the file, in file order */
	char *account, *user, *partition;
	char *parent;			/* account directly above; "": this is the root */
	uint32_t shares;
	int64_t priority;		/* -1: not set */
	double usage;
	/* see struct slurm_association; said_list is as written */
	char *said_qos, *said_list, *group_minutes;
	int line;
};

struct association_rows {
	const char *path;
	struct report *report;
	struct association_row *items;
	size_t n;
};

/* Add a row whose user and partition are empty. NULL: memory is exhausted. */
struct association_row *association_rows_add(struct association_rows *rows);
void association_rows_free(struct association_rows *rows);
/*
 * Store the rows in pre-order in the configuration, which takes over their texts. Item 0 must be
 * the root. Faults go to the report.
 */
int association_rows_plant(struct association_rows *rows, struct slurm_conf *conf);
/* Set the QOS of an association. The QOS of the association above must be known (qos_list.c). */
int slurm_qos_inherit(struct slurm_conf *conf, struct slurm_association *association);
/* Sort conf->association_index. Returns 0 or -ENOMEM. */
int slurm_associations_index(struct slurm_conf *conf);
/* Return the association with exactly these names, or UINT32_MAX. */
uint32_t slurm_association_exact(const struct slurm_conf *conf, const char *account, const char *user,
				 const char *partition);

/* Read slurm.conf, associations, sshare and qos of the cell (conf.c). */
int slurm_read(struct reader *reader);
void slurm_free(struct slurm_conf *conf);

#endif
