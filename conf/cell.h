/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of a cell: the output of `qconf`, read into memory. This file is the complete data
 * model.
 *
 *     DIR/sched_conf DIR/share_tree DIR/complex DIR/global_conf
 *     DIR/slurm.conf DIR/associations DIR/sshare DIR/qos
 *     DIR/condor_config DIR/userprio
 *     DIR/users/NAME projects/NAME usersets/NAME pe/NAME queue/NAME hosts/NAME hgrp/NAME ckpt/NAME
 *     DIR/calendar/NAME DIR/rqs
 *
 * A directory is a cell if it has one of sched_conf, slurm.conf and condor_config. If a file is
 * absent, the object does not exist. If complex or global_conf is absent, or a parameter is not in
 * sched_conf, the installed defaults apply. A slurm.conf without a sched_conf means `algorithm
 * multifactor`; a condor_config means `algorithm userprio`. Objects of a kind are sorted by name
 * (byte order) and found by binary search. A cell never changes after cell_load(); a reload makes a
 * second one. Lists written NONE are empty (n = 0), strings written NONE are "".
 *
 * Formats: sched_conf(5), share_tree(5), complex(5), user(5), project(5), access_list(5),
 * sge_pe(5), queue_conf(5), host_conf(5), hostgroup(5), sge_conf(5), checkpoint(5),
 * calendar_conf(5), sge_resource_quota(5), fairlead-multifactor(5), fairlead-condor(5).
 */
#ifndef CONF_CELL_H
#define CONF_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/report.h"
#include "conf/cell_source.h"
#include "conf/condor.h"
#include "conf/slurm.h"

struct strlist {		/* names, in file order */
	char **items;
	size_t n;
};

/* name=value; the text is kept because some values are evaluated only when they are used */
struct pair {
	char *name;
	char *text;
	double value;		/* 0 if the text is not a number */
	bool is_number;
};

struct pairs {			/* in file order */
	struct pair *items;
	size_t n;
};

/*
 * Sum of terms "x" or "x op y": load_formula of sched_conf(5), dynamic limits of
 * sge_resource_quota(5).
 */
struct formula_operand {
	char *name;		/* name of a complex, without its $; NULL: the number */
	double number;
};

struct formula_term {
	bool negative;
	char op;		/* * / & | ^; 0: only x */
	struct formula_operand x, y;
};

struct formula {
	struct formula_term *terms;
	size_t n;
};

enum pe_range_alg { PE_RANGE_AUTO, PE_RANGE_LEAST, PE_RANGE_BIN, PE_RANGE_HIGHEST };

struct sched_params {		/* `params` of sched_conf(5) */
	bool profile, monitor, jc_filter;
	uint32_t duration_offset;	/* seconds */
	enum pe_range_alg pe_range_alg;
};

struct sched_conf {		/* sched_conf(5); times in seconds, INFINITY as UINT32_MAX */
	char *algorithm;
	uint32_t schedule_interval;
	uint32_t maxujobs;
	bool queue_sort_by_seqno;
	struct pairs job_load_adjustments;
	uint32_t load_adjustment_decay_time;
	char *load_formula;
	struct formula formula;			/* load_formula, parsed */
	char *schedd_job_info;
	uint32_t flush_submit_sec, flush_finish_sec;
	char *params;
	struct sched_params with;		/* params, parsed */
	uint32_t reprioritize_interval;
	uint32_t halftime;			/* hours, 0 = no decay */
	struct pairs usage_weight_list;
	double compensation_factor;
	double weight_user, weight_project, weight_department, weight_job;
	uint32_t weight_tickets_functional, weight_tickets_share;
	bool share_override_tickets, share_functional_shares;
	uint32_t max_functional_jobs_to_schedule;
	bool report_pjob_tickets;
	uint32_t max_pending_tasks_per_job;
	/* value: half-life in minutes; negative: usage is discarded at once */
	struct pairs halflife_decay_list;
	/* listed letters of "OFS" in their order; "" = none */
	char policy_hierarchy[4];
	double weight_ticket, weight_waiting_time, weight_deadline, weight_urgency, weight_priority;
	uint32_t max_reservation;
	uint32_t default_duration;
	/* every parameter with its value as written, in the order of qconf -ssconf */
	struct pairs typed;
};

enum complex_type {
	TYPE_INT,
	TYPE_DOUBLE,
	TYPE_TIME,
	TYPE_MEMORY,
	TYPE_BOOL,
	TYPE_RSMAP,		/* an amount of units that have ids; see conf/resource_map.h */
	TYPE_STRING,
	TYPE_CSTRING,
	TYPE_HOST,
	TYPE_RESTRING
};
enum complex_relop { RELOP_EQ, RELOP_GE, RELOP_GT, RELOP_LE, RELOP_LT, RELOP_NE, RELOP_EXCL };
enum complex_requestable { REQUESTABLE_NO, REQUESTABLE_YES, REQUESTABLE_FORCED };
/* booked for each slot of a job, once for the job, or once for each host of the job */
enum complex_consumable { CONSUMABLE_NO, CONSUMABLE_YES, CONSUMABLE_JOB, CONSUMABLE_HOST };

struct complex {		/* complex(5) */
	char *name, *shortcut;
	enum complex_type type;
	enum complex_relop relop;
	enum complex_requestable requestable;
	enum complex_consumable consumable;
	char *default_value;
	double consumption;	/* default_value as a number, 0 if it is not a number */
	double urgency;		/* 0 if it is not a number */
	unsigned line;		/* line in the file; 0: there is no file */
};

/* Words of complex(5). */
const char *complex_type_word(enum complex_type type);
const char *complex_consumable_word(enum complex_consumable consumable);

/* Return whether each slot of a job takes the amount that the job requests. */
static inline bool complex_is_per_slot(const struct complex *complex)
{
	return complex->consumable <= CONSUMABLE_YES;
}

static inline bool complex_is_text(const struct complex *complex)
{
	return complex->type >= TYPE_STRING;
}

struct user {			/* user(5) */
	char *name;
	uint32_t oticket, fshare;
	int64_t delete_time;	/* epoch seconds, 0 = permanent */
	char *default_project;
};

struct project {		/* project(5) */
	char *name;
	uint32_t oticket, fshare;
	struct strlist acl, xacl;	/* userset names */
};

struct userset {		/* access_list(5) */
	char *name;
	bool is_acl, is_department;
	uint32_t oticket, fshare;
	struct strlist entries;	/* users, @unixgroup */
};

struct userset_member {			/* entry of a userset; both borrowed */
	const char *user;
	const struct userset *set;
};

enum allocation_rule { RULE_FIXED, RULE_PE_SLOTS, RULE_FILL_UP, RULE_ROUND_ROBIN };

struct pe {			/* sge_pe(5) */
	char *name;
	uint32_t slots;
	struct strlist user_lists, xuser_lists;
	char *allocation_rule;
	enum allocation_rule rule;	/* allocation_rule, parsed */
	uint32_t slots_per_host;	/* RULE_FIXED: >= 1 */
	bool control_slaves, job_is_first_task;
	char *urgency_slots;	/* min, max, avg or an integer */
	char *start_proc_args, *stop_proc_args;	/* programs, or NONE */
};

struct value_override {		/* ,[host=value] or ,[@hostgroup=value] in a queue */
	char *where;
	char *value;
};

struct queue_value {
	char *name;		/* attribute, e.g. "slots" */
	int line;		/* line in the file, for messages */
	char *value;		/* the default */
	struct value_override *overrides;
	size_t noverrides;
};

struct queue {			/* queue_conf(5) */
	char *name;
	struct strlist hostlist;	/* hosts and @hostgroups */
	/* attributes other than these, in file order; their form has been checked */
	struct queue_value *values;
	size_t nvalues;
};

struct host_conf {			/* host_conf(5) */
	char *name;
	struct pairs load_scaling, complex_values, load_values, usage_scaling;
	struct strlist user_lists, xuser_lists, projects, xprojects;
};

struct hostgroup {		/* hostgroup(5) */
	char *name;		/* including its @ */
	struct strlist hostlist;
	/* groups that contain this group: nabove members of cell.host_members from `above` on */
	size_t above, nabove;
};

/* entry of a host group: a host or a group in it; both borrowed */
struct host_member {
	const char *name;
	const struct hostgroup *group;
};

struct checkpoint {		/* checkpoint(5); only its existence matters */
	char *name;
};

/* effect of a calendar on a queue; if several apply, the last one in this list wins */
enum calendar_state { CALENDAR_UNSAID, CALENDAR_OFF, CALENDAR_SUSPENDED, CALENDAR_ON };

struct calendar_days {		/* days since 1970-01-01, inclusive; empty if first > last */
	int32_t first, last;
};

struct calendar_times {		/* seconds of the day, [begin, end) */
	uint32_t begin, end;
};

struct calendar_entry {		/* a word of `year` or `week` */
	struct calendar_days *days;	/* in file order; n = 0: every day, in `year` */
	size_t ndays;
	unsigned weekdays;		/* bit 0: sunday */
	struct calendar_times *times;	/* n = 0: all day long */
	size_t ntimes;
	enum calendar_state state;
};

struct calendar_entries {
	struct calendar_entry *items;
	size_t n;
};

struct calendar {		/* calendar_conf(5); see conf/calendar.h */
	char *name;
	struct calendar_entries year, week;
};

enum quota_kind { QUOTA_USERS, QUOTA_PROJECTS, QUOTA_PES, QUOTA_QUEUES, QUOTA_HOSTS, QUOTA_KINDS };

struct quota_filter {		/* names, patterns, @lists; no filter if both lists are empty */
	struct strlist in;
	struct strlist not_in;	/* entries after a !, without it */
	bool expanded;		/* in braces: the limit applies to each one separately */
};

struct quota_limit {
	char *name;		/* full name of a complex, not its shortcut */
	double value;		/* used if formula.n is 0 and text is NULL */
	/* value of a complex that is not a number; compared with requests */
	char *text;
	struct formula formula;	/* dynamic limit, computed from values of the host */
};

struct quota_rule {
	char *name;		/* "" if the rule has no name */
	int number;		/* position in its set, from 1; identifies a rule without a name */
	int line;		/* line in the file, for messages */
	struct quota_filter filters[QUOTA_KINDS];
	struct quota_limit *limits;
	size_t nlimits;
};

struct quota_set {		/* sge_resource_quota(5), in file order */
	char *name;
	bool enabled;
	struct quota_rule *rules;
	size_t nrules;
};

struct global_conf {		/* sge_conf(5), the part that a scheduler needs */
	uint32_t max_aj_instances;	/* 0 = unlimited */
	uint32_t max_aj_tasks;
	bool enforce_user_auto;
	uint32_t auto_user_oticket, auto_user_fshare, auto_user_delete_time;
	char *auto_user_default_project;
	bool reprioritize;
	struct pairs typed;		/* every parameter as written */
};

struct tree_node {		/* share_tree(5) */
	char *name;
	uint32_t shares;
	bool project_tree;	/* type=1; recorded only */
	int32_t parent;		/* index, -1 for the root */
	uint32_t first_child, nchildren;	/* index into cell.tree_children */
	int line;		/* line in the file, for messages */
};

struct cell {
	char *dir;
	struct cell_files files;	/* files from which the cell was loaded */
	struct sched_conf sched;
	struct global_conf global;
	struct complex *complexes;	size_t ncomplexes;
	struct user *users;		size_t nusers;
	struct project *projects;	size_t nprojects;
	struct userset *usersets;	size_t nusersets;
	/* memberships of users in usersets, sorted by user, then userset */
	struct userset_member *members;		size_t nmembers;
	struct pe *pes;			size_t npes;
	struct queue *queues;		size_t nqueues;
	struct host_conf *hosts;		size_t nhosts;
	struct hostgroup *hostgroups;	size_t nhostgroups;
	/* sorted by name, case-insensitive for hosts */
	struct host_member *host_members; size_t nhost_members;
	struct checkpoint *checkpoints;	size_t ncheckpoints;
	struct calendar *calendars;	size_t ncalendars;
	struct quota_set *quotas;	size_t nquotas;
	struct slurm_conf slurm;	/* for algorithm multifactor */
	struct condor_conf condor;	/* for algorithm userprio */
	/* pre-order, root first; 0 = no share tree */
	struct tree_node *tree;		size_t ntree;
	/* node indices; the children of a node are adjacent, in file order */
	uint32_t *tree_children;
};

/*
 * Read the cell in `dir`. All findings go to `report`, whose faults decide whether the cell can be
 * used.
 *
 *   0         read; `cell` may be used if report->faults == 0
 *   -ENOENT   the directory does not exist
 *   -ENOTDIR, -EACCES, -EIO, -ENOMEM
 *
 * Call cell_free() in each case.
 */
int cell_load(struct cell *cell, const char *dir, struct report *report);

/*
 * Read the cell from texts in memory and ignore the contents of `dir`. Findings name files relative
 * to `dir`. Never returns -ENOENT.
 */
int cell_load_files(struct cell *cell, const char *dir, const struct cell_files *files, struct report *report);

void cell_free(struct cell *cell);

/*
 * Return the object, or NULL if it does not exist. A complex is found by its name or its shortcut.
 */
const struct complex *cell_complex(const struct cell *cell, const char *name);
const struct user *cell_user(const struct cell *cell, const char *name);
const struct project *cell_project(const struct cell *cell, const char *name);
const struct userset *cell_userset(const struct cell *cell, const char *name);
const struct userset *cell_department(const struct cell *cell, const char *name);
/* Find the first object whose name matches; see wildcard.h. */
const struct pe *cell_pe_matching(const struct cell *cell, const char *pattern);
const struct queue *cell_queue(const struct cell *cell, const char *name);
/* Find a host; its name is case-insensitive. */
const struct host_conf *cell_host(const struct cell *cell, const char *name);

/*
 * Return the value of a queue attribute on a host, borrowed from the cell: the override for the
 * host, else the override for the host group that contains it, else the default. If several host
 * groups with an override contain the host, this is ambiguous, even if their values agree, and the
 * default applies. Returns NULL if the queue has no such attribute.
 */
const char *cell_queue_value(const struct cell *cell, const struct queue *queue, const char *host,
			     const char *attribute);

/*
 * Return true if the user is an entry of the set. Members of an @unixgroup entry are not resolved.
 */
bool cell_userset_lists(const struct cell *cell, const struct userset *set, const char *user);

/* Return true if the queue has an instance on the host. */
bool cell_queue_is_on(const struct cell *cell, const struct queue *queue, const char *host);

const struct checkpoint *cell_checkpoint(const struct cell *cell, const char *name);
const struct calendar *cell_calendar(const struct cell *cell, const char *name);

/*
 * Return true if a host is in a host group (its name with the @), directly or through groups in it.
 */
bool cell_hostgroup_has(const struct cell *cell, const char *group, const char *host);

/*
 * Return the name of the user's department: the first one by name that lists the user, else
 * "defaultdepartment".
 */
const char *cell_department_of(const struct cell *cell, const char *user);

#endif
