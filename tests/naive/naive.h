/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second implementation of the policies: slow and simple, with a loop over all objects for each
 * task, as in their description. It shares no code and no data structure with tickets/ and
 * urgency/, so that both agree only if both are right. For tests only. Input is trusted.
 */
#ifndef TESTS_NAIVE_NAIVE_H
#define TESTS_NAIVE_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum naive_kind { NAIVE_USER, NAIVE_PROJECT, NAIVE_DEPARTMENT, NAIVE_KINDS };

struct naive_object {			/* a user, project or department */
	char name[24];
	uint32_t oticket, fshare;
	double usage;			/* combined; for a user: outside projects */
	double *usage_in;		/* users: combined, by project index; may be NULL */
	uint32_t active;		/* tasks counted now */
};

struct naive_node {			/* node of the share tree; results are those of call B */
	char name[24];
	uint32_t shares;
	struct naive_node *parent, *child, *next;	/* first child, next sibling */
	bool temporary;
	uint32_t refs, jobshares;
	double usage, ltt, stt, oltt, ostt, acp, m_share;
	double acp_a, m_share_a;	/* results of call A */
	uint32_t refs_a;
	double weight;
};

struct naive_task {
	uint32_t id;
	struct naive_job *job;
	bool pending;
	struct naive_node *node;
	/* Tickets of earlier policies, as far as later ones use them. */
	double acc;
	double f[NAIVE_KINDS];		/* functional shares */
	double S, F, O, tix, ntix, share, prio;
	double total_a;			/* running: total of call A */
	double sort, t0, shr;		/* while the share tree ranks pending tasks */
};

struct naive_job {			/* in the order of the job list */
	uint32_t number;
	int64_t submit, deadline;
	int user, project, department;	/* index, -1: no such object */
	uint32_t jobshare, override_tickets;
	uint32_t slots;			/* smallest number of slots, 1 when sequential */
	uint32_t priority;		/* 1024 + p */
	double rrcontr;
	/* Ascending ids. Pending tasks are the eligible ones. */
	struct naive_task *running, *pending;
	size_t nrunning, npending;
	double wtcontr, dlcontr, urg, nurg, npprior;
};

struct naive_cell {
	struct naive_object *objects[NAIVE_KINDS];
	size_t nobjects[NAIVE_KINDS];
	struct naive_node *root;	/* NULL: no share tree */
	struct naive_job *jobs;
	size_t njobs;
	int64_t now;
	double T_share, T_func, CF;
	double w_user, w_dept, w_proj, w_job;
	bool share_functional, share_override;
	uint32_t max_functional;
	const char *hierarchy;		/* "OFS", "", ... */
	double weight_urgency, weight_ticket, weight_priority, weight_waiting_time, weight_deadline;
	bool report_pending;
	double max_tix, urg_min, urg_max;
	double running_tickets, pending_tickets;
};

/*
 * Compute urgency, call A, call B and normalisation. The caller frees temporary nodes with
 * naive_tree_free().
 */
void naive_run(struct naive_cell *cell);

/* Tickets (naive.c) */
struct naive_sums { double kind[NAIVE_KINDS], job; };
void naive_calc(struct naive_cell *cell, struct naive_task **running, size_t nrunning, struct naive_task **pending,
		size_t npending);
struct naive_object *naive_object_of(const struct naive_cell *cell, const struct naive_job *job, int kind);

/* Share tree (naive_tree.c) */
/* Add a node as the last child of `parent`. */
struct naive_node *naive_node_new(const char *name, uint32_t shares, struct naive_node *parent);
struct naive_node *naive_find(const struct naive_cell *cell, const char *user, const char *project);
void naive_tree_prepare(struct naive_cell *cell, struct naive_task **tasks, size_t n);
void naive_tree_running(struct naive_cell *cell, struct naive_task **running, size_t n);
void naive_tree_pending(struct naive_cell *cell, struct naive_task **tasks, size_t n, bool dependent);
void naive_targets(const struct naive_cell *cell, struct naive_node *node);
void naive_tree_remember(struct naive_node *node);	/* store call A's displayed values */
void naive_tree_free(struct naive_node *root);

/* Usage and urgency (naive_urgency.c) */
double naive_decay_constant(double half_life_minutes);
double naive_decayed(double usage, double constant, double seconds);

struct naive_range { uint32_t min, max, step; bool open; };	/* open: up to the slots of the PE */
struct naive_request { double value, urgency; bool numeric; };
uint32_t naive_assumed_slots(const struct naive_range *ranges, size_t n, const char *urgency_slots, uint32_t pe_slots);
double naive_rrcontr(double slots_urgency, uint32_t slots, const struct naive_request *requests, size_t n);
double naive_norm(double value, double lo, double hi);
double naive_prio(const struct naive_cell *cell, double nurg, double ntix, double npprior);
void naive_urgency(struct naive_cell *cell);
/* Set ntix and prio. */
void naive_normalize(struct naive_cell *cell, struct naive_task **tasks, size_t n);

#endif
