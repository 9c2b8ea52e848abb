/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource quota sets: which rule of each enabled set applies to a job on a queue instance, the
 * limits of the rule, and how much of them is used. See sge_resource_quota(5). The caller decides
 * what a limit means for a number of slots.
 *
 *     quotas_create(&q, cell, &names);
 *     quotas_begin(q, host_value, context);          begin a run
 *     quotas_began(q, rule, &turn); quotas_order(q); set the order of the sets
 *     quota_view_make(q, &view, &who);               what is common to all jobs of a category
 *     n = quota_rules(q, &view, queue, host, hits);  the first matching rule of each set
 *     for each hit, for each of its limits: quota_limit(q, hits[i], &view, queue, host, k, &limit)
 *             limit.value - limit.count->used is left
 *
 * In each enabled set the first rule counts whose filters all match. A filter matches values in its
 * inclusion part, if it has one, that are not in its exclusion part. A job without project or PE is
 * in no list: it matches a missing filter, and a filter that only excludes, such as "!*". All
 * entries may be patterns. User filters may also contain @list, a userset of the cell, whose
 * entries may be @group. Host filters may also contain host groups.
 *
 * Usage is counted per set, rule, limit and key user/project/pe/queue/host. The key contains only
 * the parts whose filter is in braces.
 */
#ifndef SCHED_DISPATCH_QUOTA_QUOTA_H
#define SCHED_DISPATCH_QUOTA_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/cell.h"

struct quotas;

/* Texts and arrays are borrowed for the lifetime of the quotas. Indices below refer to them. */
struct quota_names {
	const char *const *queues;	/* cluster queues */
	size_t nqueues;
	const char *const *hosts;
	size_t nhosts;
};

struct quota_who {			/* NULL or "": none */
	const char *user, *group, *project, *pe;
};

struct quota_view {			/* zero-initialise; private; belongs to one struct quotas */
	uint64_t *rules;		/* rules that can match, as bits */
	uint32_t user, project, pe;	/* numbers of names in keys; 0: none */
};

struct quota_count {
	double used;
	double taken;			/* also taken by the attempt in progress */
	uint32_t line;			/* timeline.h; TIMELINE_EMPTY */
};

struct quota_limit_now {
	const struct complex *complex;	/* never NULL: limits on unknown complexes are left out */
	/*
	 * Text that requests are compared with, if the complex is not a number. NULL: `value`
	 * applies.
	 */
	const char *text;
	/* static, or computed from the values of the host: see quota_host_value */
	double value;
	struct quota_count *count;	/* valid until the next call of quota_limit() */
};

/*
 * Value of a dynamic limit that cannot be computed, as in Grid Engine: a complex has no value on
 * the host, or the result is not finite.
 */
#define QUOTA_UNKNOWN 9999.0

/*
 * Return the value of a complex on a host for a dynamic limit. *known is true before the call. The
 * function clears it if the complex has no value.
 */
typedef double quota_host_value(void *context, uint32_t host, const char *name, bool *known);

/*
 * Return 0 or -ENOMEM. quotas_destroy() accepts NULL. Disabled sets, and cells without sets, cost
 * nothing. The cell is borrowed.
 */
int quotas_create(struct quotas **quotas, const struct cell *cell, const struct quota_names *names);
void quotas_destroy(struct quotas *quotas);

/*
 * Begin a run: reset all usage. Dynamic limits are computed with `value` from now on, once for each
 * limit and host. Call it before the first quota_limit(). Views stay valid.
 */
void quotas_begin(struct quotas *quotas, quota_host_value *value, void *context);

/*
 * The order of the sets. They start in the order of the cell, and a set moves to the end whenever a
 * task begins to count in it. Grid Engine 8.1.9 also moves a set when a task ends, but ended tasks
 * are not known here. Call quotas_began() when a running task uses a nonzero amount of a rule, and
 * quotas_order() after all tasks.
 */
struct quota_turn {			/* when a task started */
	int64_t since;			/* seconds since 1970 */
	uint64_t nth;			/* > 0; rank among tasks of the same second */
};
void quotas_began(struct quotas *quotas, uint32_t rule, const struct quota_turn *turn);
void quotas_order(struct quotas *quotas);

/* Return the number of enabled sets, the size that `hits` must have. */
size_t quotas_sets(const struct quotas *quotas);

/*
 * Return whether Grid Engine puts jobs of this user, or this project, in a category of their own. A
 * user: if it is the subject of a filter that is in braces or that does not match all users. A
 * project: if an entry names it, included or excluded. A separate count for it, such as with
 * {!other}, is not sufficient.
 */
bool quotas_name_user(const struct quotas *quotas, const char *user, const char *group);
bool quotas_name_project(const struct quotas *quotas, const char *project);
/* Return whether a rule counts this project separately. */
bool quotas_count_project(const struct quotas *quotas, const char *project);

/* Fill a new view or replace the contents of an old one. Returns 0 or -ENOMEM; then it is empty. */
int quota_view_make(struct quotas *quotas, struct quota_view *view, const struct quota_who *who);
/* Make a view that no rule matches. Returns 0 or -ENOMEM. */
int quota_view_none(const struct quotas *quotas, struct quota_view *view);
void quota_view_free(struct quota_view *view);
/* Return whether there is no rule that can match. */
bool quota_view_is_empty(const struct quotas *quotas, const struct quota_view *view);

/*
 * Write the rules that count for this view on a queue of a host to `hits`, in the order of their
 * sets. Returns their number, at most quotas_sets(). No names are compared.
 */
size_t quota_rules(const struct quotas *quotas, const struct quota_view *view, uint32_t queue, uint32_t host,
		   uint32_t *hits);

/*
 * Call `each` for every limit with usage, once for each key that is counted separately, in the
 * order in which they were first counted in this run. Stops at the first nonzero result of `each`.
 */
struct quota_use {
	uint32_t limit;			/* number in the order of the file */
	const struct quota_set *set;
	const struct quota_rule *rule;
	const struct complex *complex;
	const char *text;		/* see struct quota_limit_now */
	double value, used;
	const char *parts[QUOTA_KINDS];	/* NULL: not counted separately */
};
typedef int quota_each(void *context, const struct quota_use *use);
int quotas_each_use(struct quotas *quotas, quota_each *each, void *context);

/* Read limit k (from 0) of a rule. Returns 0, -ENOENT if there is no limit k, or -ENOMEM. */
int quota_limit(struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue, uint32_t host,
		size_t k, struct quota_limit_now *limit);

/*
 * Objects that Grid Engine no longer tries for a job after this rule has nothing left on some queue
 * instance. If the rule applies to all hosts, each counted separately: the queues that it names,
 * all or only this one. If it applies to all queues, each counted separately: the hosts that it
 * names. This is more than the limit requires, but 8.1.9 does it.
 *
 * Earlier rules of the set matter if their users, projects and PEs match the job. If one of them is
 * not for all hosts, a rule about queues affects only the instance. The same is true with queues
 * and hosts exchanged. Queues, or hosts, to which an earlier rule applies are not ruled out.
 */
enum quota_reach { QUOTA_REACH_INSTANCE, QUOTA_REACH_QUEUE, QUOTA_REACH_QUEUES, QUOTA_REACH_HOST, QUOTA_REACH_HOSTS };
enum quota_reach quota_reach(const struct quotas *quotas, uint32_t rule, const struct quota_view *view);
/* Return whether the reach of any rule can be more than one instance. */
bool quotas_reach_far(const struct quotas *quotas);
/* Return whether the rule applies to the object and none of the earlier rules that matter does. */
bool quota_puts_out_queue(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue);
bool quota_puts_out_host(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t host);

/*
 * For messages: "set/rule" as qquota(1) writes it, and the key "user/project/pe/queue/host/".
 * Return lengths as snprintf() does.
 */
int quota_rule_name(const struct quotas *quotas, uint32_t rule, char *text, size_t size);
int quota_key_text(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue,
		   uint32_t host, char *text, size_t size);

#endif
