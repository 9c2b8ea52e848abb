/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of instances after starts, compared with a stable sort by the numbers of their hosts if
 * one of these has changed. Instances that were not in the list when hosts were numbered keep their
 * old numbers. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "tests/dispatch/cell.h"

static unsigned seed_of(const char *what)
{
	const char *text = getenv("FAIRLEAD_SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : 4711;

	print_message("%s: FAIRLEAD_SEED=%u\n", what, seed);
	srandom(seed);
	return seed;
}

static unsigned pick(unsigned n)
{
	return (unsigned)random() % n;
}

static void adjust(struct fixture *fixture, const char *adjustments, const char *formula)
{
	set_sched_conf(fixture, "job_load_adjustments", adjustments);
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(fixture, "load_formula", formula);
	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	run(fixture, NOW);
}

enum { NHOSTS = 9, NQUEUES = 3 };

struct order_model {
	uint32_t list[NHOSTS * NQUEUES];
	size_t n;
	uint32_t dropped[NHOSTS * NQUEUES];
	size_t ndropped;
	unsigned number[NHOSTS * NQUEUES];	/* by instance: number of its host */
	unsigned host_number[NHOSTS + 1];	/* the last one is that of `global` */
	bool changed;
};

/* Return how many different values of hosts, `global` included, are less. */
static unsigned number_of(const struct cluster *cluster, double value)
{
	double less[NHOSTS + 1];
	unsigned n = 0;

	if (value > 0)
		less[n++] = 0;
	for (uint32_t h = 0; h < NHOSTS; h++) {
		bool known = cluster_host_value(cluster, h) >= value;

		for (unsigned k = 0; k < n; k++)
			known |= less[k] == cluster_host_value(cluster, h);
		if (!known)
			less[n++] = cluster_host_value(cluster, h);
	}
	return n;
}

/*
 * Number the hosts, with the same number for equal loads, and store it at each instance of the
 * list. Return whether the number of a host has changed.
 */
static bool model_renumber(struct order_model *model, const struct cluster *cluster)
{
	bool changed = false;

	for (uint32_t h = 0; h <= NHOSTS; h++) {
		unsigned number = number_of(cluster, h == NHOSTS ? 0 : cluster_host_value(cluster, h));

		changed |= number != model->host_number[h];
		model->host_number[h] = number;
	}
	for (size_t i = 0; i < model->n; i++)
		model->number[model->list[i]] = model->host_number[cluster->instances[model->list[i]].host];
	return changed;
}

static const struct cluster *sorted_cluster;
static const struct order_model *sorted_model;

static bool goes_before(uint32_t a, uint32_t b)
{
	const struct cluster *cluster = sorted_cluster;
	double x[2] = { sorted_model->number[a], cluster->profiles[cluster->instances[a].profile].seq_no };
	double y[2] = { sorted_model->number[b], cluster->profiles[cluster->instances[b].profile].seq_no };
	int first = cluster->cell->sched.queue_sort_by_seqno;

	return x[first] != y[first] ? x[first] < y[first] : x[!first] < y[!first];
}

static void model_sort(struct order_model *model, const struct cluster *cluster)
{
	sorted_cluster = cluster;
	sorted_model = model;
	for (size_t i = 1; i < model->n; i++)
		for (size_t k = i; k > 0 && goes_before(model->list[k], model->list[k - 1]); k--) {
			uint32_t swap = model->list[k];

			model->list[k] = model->list[k - 1];
			model->list[k - 1] = swap;
		}
}

static void lists_are_equal(struct dispatch *dispatch, const struct order_model *model)
{
	uint32_t list[NHOSTS * NQUEUES];

	assert_int_equal(ranking_list(&dispatch->searches.ranking, list), model->n);
	for (size_t i = 0; i < model->n; i++)
		assert_int_equal(list[i], model->list[i]);
}

/*
 * Append dropped instances for a job that may be reserved. They stay at the end until the list is
 * sorted, also when the list is split again.
 */
static void dropped_come_back(struct dispatch *dispatch, struct order_model *model)
{
	ranking_merge(&dispatch->searches.ranking);
	for (size_t i = 0; i < model->ndropped; i++)
		model->list[model->n++] = model->dropped[i];
	model->ndropped = 0;
	if (pick(2))
		ranking_split(&dispatch->searches.ranking);
}

/* Process a job: after some starts or none, with a check and perhaps a search. */
static void random_job(struct dispatch *dispatch, struct order_model *model)
{
	bool sorts;

	for (unsigned n = pick(4); n > 0; n--) {
		uint32_t host = pick(NHOSTS);
		double before = dispatch->searches.ranking.hosts.ranks[host].value;

		load_correct_host(&dispatch->supply.cluster, host, pick(2) ? 1.0 : 0.5, pick(3));
		ranking_host_changed(&dispatch->searches.ranking, host);
		model->changed |= dispatch->searches.ranking.hosts.ranks[host].value != before;
	}
	if (model->n > 5 && pick(5) == 0) {
		size_t at = pick((unsigned)model->n);

		ranking_drop(&dispatch->searches.ranking, model->list[at]);
		model->dropped[model->ndropped++] = model->list[at];
		memmove(&model->list[at], &model->list[at + 1], (--model->n - at) * sizeof(*model->list));
	}
	if (pick(8) == 0)
		dropped_come_back(dispatch, model);
	ranking_placed(&dispatch->searches.ranking, pick(4) == 0);
	ranking_job(&dispatch->searches.ranking);
	ranking_number(&dispatch->searches.ranking, pick(2));
	sorts = model->changed && model_renumber(model, &dispatch->supply.cluster);
	if (pick(4)) {			/* otherwise it clears the flag */
		if (sorts || dispatch->searches.ranking.placed_soft)
			model_sort(model, &dispatch->supply.cluster);
		ranking_search(&dispatch->searches.ranking, true);
	}
	model->changed = false;
	lists_are_equal(dispatch, model);
}

static void test_the_queue_list_is_sorted_stably_and_only_when_a_search_begins(void **state)
{
	struct fixture *fixture = *state;
	struct dispatch *dispatch;

	seed_of("order of instances");
	for (int h = 0; h < NHOSTS; h++)
		put_host(fixture, (char[]){ 'h', (char)('0' + h), 0 }, "NONE",
			 h % 3 ? "np_load_avg=0.5,num_proc=1" : "np_load_avg=1,num_proc=2");
	for (int q = 0; q < NQUEUES; q++)
		put_queue(fixture, (char[]){ 'q', (char)('0' + q), 0 }, "h0 h1 h2 h3 h4 h5 h6 h7 h8", "4", "");
	put_text(fixture, "queue/q0", "qname q0\nhostlist h0 h1 h2 h3 h4 h5 h6 h7 h8\nseq_no 7\nslots 4\n");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	for (int i = 0; i < NHOSTS * NQUEUES; i++) {
		char name[20];

		snprintf(name, sizeof(name), "q%d@h%d", i / NHOSTS, i % NHOSTS);
		report_instance(fixture, name, 4);
	}
	for (int life = 0; life < 20; life++) {
		struct order_model model = { .changed = true };

		set_sched_conf(fixture, "queue_sort_method", life % 2 ? "seqno" : "load");
		adjust(fixture, "np_load_avg=0.50", life % 4 < 2 ? "np_load_avg" : "np_load_avg-1.25");
		dispatch = fixture->sched->dispatch;
		assert_int_equal(ranking_begin(&dispatch->searches.ranking, &dispatch->supply.cluster, life % 2, true), 0);
		for (model.n = 0; model.n < dispatch->supply.cluster.nlist; model.n++)
			model.list[model.n] = dispatch->supply.cluster.list[model.n];
		assert_int_equal(model.n, NHOSTS * NQUEUES);
		ranking_job(&dispatch->searches.ranking);
		ranking_number(&dispatch->searches.ranking, false);
		ranking_search(&dispatch->searches.ranking, true);
		model_renumber(&model, &dispatch->supply.cluster);
		model_sort(&model, &dispatch->supply.cluster);
		model.changed = false;
		lists_are_equal(dispatch, &model);
		for (int job = 0; job < 150; job++)
			random_job(dispatch, &model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_queue_list_is_sorted_stably_and_only_when_a_search_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
