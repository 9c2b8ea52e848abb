/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of instances after starts, against a stable sort of all of them by the numbers of their
 * hosts, if one of these has changed; instances that were not in the list when hosts were numbered keep
 * old ones. FAIRLEAD_SEED=n starts from another seed.
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

static void adjust(struct fixture *f, const char *adjustments, const char *formula)
{
	set_sched_conf(f, "job_load_adjustments", adjustments);
	set_sched_conf(f, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(f, "load_formula", formula);
	set_sched_conf(f, "max_reservation", "5");
	reload(f);
	run(f, NOW);
}

enum { NHOSTS = 9, NQUEUES = 3 };

struct order_model {
	uint32_t list[NHOSTS * NQUEUES];
	size_t n;
	uint32_t dropped[NHOSTS * NQUEUES];
	size_t ndropped;
	unsigned number[NHOSTS * NQUEUES];	/* by instance, of its host */
	unsigned host_number[NHOSTS + 1];	/* the last one is that of `global` */
	bool changed;
};

/* How many different values of hosts, `global` among them, are less. */
static unsigned number_of(const struct cluster *c, double value)
{
	double less[NHOSTS + 1];
	unsigned n = 0;

	if (value > 0)
		less[n++] = 0;
	for (uint32_t h = 0; h < NHOSTS; h++) {
		bool known = c->hosts[h].value >= value;

		for (unsigned k = 0; k < n; k++)
			known |= less[k] == c->hosts[h].value;
		if (!known)
			less[n++] = c->hosts[h].value;
	}
	return n;
}

/* Number hosts, equal loads alike: in the list each instance learns it. Return whether a host has another number now. */
static bool model_renumber(struct order_model *m, const struct cluster *c)
{
	bool changed = false;

	for (uint32_t h = 0; h <= NHOSTS; h++) {
		unsigned number = number_of(c, h == NHOSTS ? 0 : c->hosts[h].value);

		changed |= number != m->host_number[h];
		m->host_number[h] = number;
	}
	for (size_t i = 0; i < m->n; i++)
		m->number[m->list[i]] = m->host_number[c->instances[m->list[i]].host];
	return changed;
}

static const struct cluster *sorted_cluster;
static const struct order_model *sorted_model;

static bool goes_before(uint32_t a, uint32_t b)
{
	const struct cluster *c = sorted_cluster;
	double x[2] = { sorted_model->number[a], c->profiles[c->instances[a].profile].seq_no };
	double y[2] = { sorted_model->number[b], c->profiles[c->instances[b].profile].seq_no };
	int first = c->cell->sched.queue_sort_by_seqno;

	return x[first] != y[first] ? x[first] < y[first] : x[!first] < y[!first];
}

static void model_sort(struct order_model *m, const struct cluster *c)
{
	sorted_cluster = c;
	sorted_model = m;
	for (size_t i = 1; i < m->n; i++)
		for (size_t k = i; k > 0 && goes_before(m->list[k], m->list[k - 1]); k--) {
			uint32_t swap = m->list[k];

			m->list[k] = m->list[k - 1];
			m->list[k - 1] = swap;
		}
}

static void lists_are_equal(struct dispatch *d, const struct order_model *m)
{
	uint32_t list[NHOSTS * NQUEUES];

	assert_int_equal(ranking_list(d, list), m->n);
	for (size_t i = 0; i < m->n; i++)
		assert_int_equal(list[i], m->list[i]);
}

/*
 * The job may be reserved: they stand behind all others until the list is sorted, and stay when it
 * is split again.
 */
static void dropped_come_back(struct dispatch *d, struct order_model *m)
{
	ranking_merge(d);
	for (size_t i = 0; i < m->ndropped; i++)
		m->list[m->n++] = m->dropped[i];
	m->ndropped = 0;
	if (pick(2))
		ranking_split(d);
}

/* One job: after some starts, or none; looked at, and perhaps searched for. */
static void random_job(struct dispatch *d, struct order_model *m)
{
	bool sorts;

	for (unsigned n = pick(4); n > 0; n--) {
		uint32_t host = pick(NHOSTS);
		double before = d->cluster.hosts[host].value;

		load_correct_host(&d->cluster, host, pick(2) ? 1.0 : 0.5, pick(3));
		ranking_host_changed(d, host);
		m->changed |= d->cluster.hosts[host].value != before;
	}
	if (m->n > 5 && pick(5) == 0) {
		size_t at = pick((unsigned)m->n);

		ranking_drop(d, m->list[at]);
		m->dropped[m->ndropped++] = m->list[at];
		memmove(&m->list[at], &m->list[at + 1], (--m->n - at) * sizeof(*m->list));
	}
	if (pick(8) == 0)
		dropped_come_back(d, m);
	d->placed_soft = pick(4) == 0;
	ranking_job(d);
	ranking_number(d, pick(2));
	sorts = m->changed && model_renumber(m, &d->cluster);
	if (pick(4)) {			/* else it eats the flag */
		if (sorts || d->placed_soft)
			model_sort(m, &d->cluster);
		ranking_search(d, true);
	}
	m->changed = false;
	lists_are_equal(d, m);
}

static void test_the_queue_list_is_sorted_stably_and_only_when_a_search_begins(void **state)
{
	struct fixture *f = *state;
	struct dispatch *d;

	seed_of("order of instances");
	for (int h = 0; h < NHOSTS; h++)
		put_host(f, (char[]){ 'h', (char)('0' + h), 0 }, "NONE", h % 3 ? "np_load_avg=0.5,num_proc=1" : "np_load_avg=1,num_proc=2");
	for (int q = 0; q < NQUEUES; q++)
		put_queue(f, (char[]){ 'q', (char)('0' + q), 0 }, "h0 h1 h2 h3 h4 h5 h6 h7 h8", "4", "");
	put_text(f, "queue/q0", "qname q0\nhostlist h0 h1 h2 h3 h4 h5 h6 h7 h8\nseq_no 7\nslots 4\n");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	for (int i = 0; i < NHOSTS * NQUEUES; i++) {
		char name[20];

		snprintf(name, sizeof(name), "q%d@h%d", i / NHOSTS, i % NHOSTS);
		tell_instance(f, name, 4);
	}
	for (int life = 0; life < 20; life++) {
		struct order_model m = { .changed = true };

		set_sched_conf(f, "queue_sort_method", life % 2 ? "seqno" : "load");
		adjust(f, "np_load_avg=0.50", life % 4 < 2 ? "np_load_avg" : "np_load_avg-1.25");
		d = f->sched->dispatch;
		assert_int_equal(ranking_begin(d), 0);
		for (m.n = 0; m.n < d->cluster.nlist; m.n++)
			m.list[m.n] = d->cluster.list[m.n];
		assert_int_equal(m.n, NHOSTS * NQUEUES);
		ranking_job(d);
		ranking_number(d, false);
		ranking_search(d, true);
		model_renumber(&m, &d->cluster);
		model_sort(&m, &d->cluster);
		m.changed = false;
		lists_are_equal(d, &m);
		for (int job = 0; job < 150; job++)
			random_job(d, &m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_the_queue_list_is_sorted_stably_and_only_when_a_search_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
