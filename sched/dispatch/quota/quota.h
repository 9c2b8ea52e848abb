/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource quota sets: which rule of each enabled set is about a job on a queue instance, what it
 * limits, and how much of that is used. sge_resource_quota(5). What a limit means for a number of
 * slots is the caller's business.
 *
 *     quotas_create(&q, cell, &names);
 *     quotas_begin(q, host_value, context);          a run begins
 *     quotas_began(q, rule, &turn); quotas_order(q); in which order the sets come
 *     quota_view_make(q, &view, &who);               what is true for all jobs of a category
 *     n = quota_rules(q, &view, queue, host, hits);  the first rule of each set that matches there
 *     for each hit, for each of its limits: quota_limit(q, hits[i], &view, queue, host, k, &limit)
 *             limit.value - limit.count->used is left
 *
 * In each enabled set the first rule whose filters all match counts. A filter matches what is in
 * its inclusion part, if it has one, and not in its exclusion part. A job without project or PE is
 * in no list: it matches a missing filter and one that only excludes, like "!*". All entries may be
 * patterns. Users: also @list of the cell's usersets (their entries may be @group). Hosts: also
 * host groups.
 *
 * Use is counted per set, rule, limit and the key user/project/pe/queue/host, in which only those
 * parts stand whose filter is in braces.
 */
#ifndef SCHED_DISPATCH_QUOTA_QUOTA_H
#define SCHED_DISPATCH_QUOTA_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/cell.h"

struct quotas;

/* texts and arrays are borrowed as long as the quotas live; indices below are into these */
struct quota_names {
	const char *const *queues;	/* cluster queues */
	size_t nqueues;
	const char *const *hosts;
	size_t nhosts;
};

struct quota_who {			/* NULL or "": none */
	const char *user, *group, *project, *pe;
};

struct quota_view {			/* zero-initialise; private; of one struct quotas */
	uint64_t *rules;		/* those that can match, as bits */
	uint32_t user, project, pe;	/* numbers of names in keys; 0: none */
};

struct quota_count {
	double used;
	double taken;			/* by an attempt that is being put together, besides */
	uint32_t line;			/* timeline.h; TIMELINE_EMPTY */
};

struct quota_limit_now {
	const struct complex *complex;	/* never NULL: limits on what does not exist are left out */
	/*
	 * instead of a value, where the complex is no number: what requests are held against; else
	 * NULL
	 */
	const char *text;
	/* static, or computed from the host's values: see quota_host_value */
	double value;
	struct quota_count *count;	/* valid until the next call of quota_limit() */
};

/*
 * A dynamic limit that can't be computed, as in Grid Engine: a complex has no value on the host, or
 * the result is no finite number.
 */
#define QUOTA_UNKNOWN 9999.0

/*
 * The value of a complex on a host for a dynamic limit; *known (true before) becomes false when it
 * has none.
 */
typedef double quota_host_value(void *context, uint32_t host, const char *name, bool *known);

/*
 * -ENOMEM. quotas_destroy() accepts NULL. A disabled set, or a cell without sets, costs nothing.
 * The cell is borrowed, too.
 */
int quotas_create(struct quotas **quotas, const struct cell *cell, const struct quota_names *names);
void quotas_destroy(struct quotas *quotas);

/*
 * Nothing is used any more: a run begins. Dynamic limits are computed from these values from now
 * on, once a limit and host. To be called before the first quota_limit(). Views stay valid.
 */
void quotas_begin(struct quotas *quotas, quota_host_value *value, void *context);

/*
 * The order of the sets: as the cell has them, but whenever a task begins to count in one it goes
 * to the end. So it is with 8.1.9, where it does so, too, when one ends; what has ended is not
 * known here. quotas_began(): what a running task takes of a rule is not 0. quotas_order(): all
 * have been told.
 */
struct quota_turn {			/* when a task started */
	int64_t since;			/* epoch seconds */
	uint64_t nth;			/* > 0; of those of the same second */
};
void quotas_began(struct quotas *quotas, uint32_t rule, const struct quota_turn *turn);
void quotas_order(struct quotas *quotas);

/* enabled ones: room that `hits` must have */
size_t quotas_sets(const struct quotas *quotas);

/*
 * Are jobs of this user, or this project, a category of their own for Grid Engine? Of a user: if he
 * is the subject of a filter that is in braces or not for all. Of a project: if an entry means it,
 * included or excluded; that a count is kept for it alone, as by {!other}, is not enough.
 */
bool quotas_name_user(const struct quotas *quotas, const char *user, const char *group);
bool quotas_name_project(const struct quotas *quotas, const char *project);
bool quotas_count_project(const struct quotas *quotas, const char *project);	/* is one? */

/* Into a new view, or one that was made before. -ENOMEM: it is empty. */
int quota_view_make(struct quotas *quotas, struct quota_view *view, const struct quota_who *who);
/* No rule matches. -ENOMEM. */
int quota_view_none(const struct quotas *quotas, struct quota_view *view);
void quota_view_free(struct quota_view *view);
/* no rule can match */
bool quota_view_is_empty(const struct quotas *quotas, const struct quota_view *view);

/*
 * The rules that count for this view on a queue of a host, in the order of their sets; their
 * number, at most quotas_sets(). No name is looked at.
 */
size_t quota_rules(const struct quotas *quotas, const struct quota_view *view, uint32_t queue, uint32_t host,
		   uint32_t *hits);

/*
 * Each limit of which something is used, once for each key that is counted by itself, in the order
 * in which they were first counted in this run. Ends with a value other than 0 of the call.
 */
struct quota_use {
	uint32_t limit;			/* its number, in the order of the file */
	const struct quota_set *set;
	const struct quota_rule *rule;
	const struct complex *complex;
	const char *text;		/* as in struct quota_limit_now */
	double value, used;
	const char *parts[QUOTA_KINDS];	/* NULL: not counted one by one */
};
typedef int quota_each(void *context, const struct quota_use *use);
int quotas_each_use(struct quotas *quotas, quota_each *each, void *context);

/* Limit k (0...) of a rule found. 0; -ENOENT: there is no k-th limit; -ENOMEM. */
int quota_limit(struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue, uint32_t host,
		size_t k, struct quota_limit_now *limit);

/*
 * What Grid Engine does not try any more for a job when this rule has nothing left on some queue
 * instance: the queues that it names, all or only this one, when it is about all hosts, each by
 * itself; the hosts that it names, when it is about all queues, each by itself. More than the limit
 * says, but 8.1.9 does so.
 *
 * Earlier rules of the set have a say if their users, projects and PEs are about the job. Where one
 * of them does not leave all hosts alone, a rule about queues reaches no farther than the instance,
 * and crosswise. The queues, or hosts, that one of them is about are not put out.
 */
enum quota_reach { QUOTA_REACH_INSTANCE, QUOTA_REACH_QUEUE, QUOTA_REACH_QUEUES, QUOTA_REACH_HOST, QUOTA_REACH_HOSTS };
enum quota_reach quota_reach(const struct quotas *quotas, uint32_t rule, const struct quota_view *view);
bool quotas_reach_far(const struct quotas *quotas);		/* for some job, some rule may */
/* Is the rule about it, and none of the earlier ones that have a say? */
bool quota_puts_out_queue(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue);
bool quota_puts_out_host(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t host);

/*
 * For messages: "set/rule" as qquota(1) writes it, and the key "user/project/pe/queue/host/".
 * Returned lengths as of snprintf().
 */
int quota_rule_name(const struct quotas *quotas, uint32_t rule, char *text, size_t size);
int quota_key_text(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue,
		   uint32_t host, char *text, size_t size);

#endif
