/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random clusters over some runs, whose starts are confirmed or refused and end at random. What
 * must always hold is worked out here, from the configuration and the orders alone. FAIRLEAD_SEED=n
 * starts from another seed, FAIRLEAD_CELLS=n makes more of them.
 *
 * Negative control: a qmaster that says tasks have ended which go on. Then more is started than
 * there is room for, and that must be found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

enum { HOSTS = 5, QUEUES = 3, USERS = 3, RUNS = 7, MAX_JOBS = 200, MAX_TASKS = 3000, ENTRIES = 20, KING = 199 };

static const char *const users[USERS] = { "ann", "bob", "cal" };
static const char *const rules[] = { "$fill_up", "$round_robin", "$pe_slots", "2", "1" };

struct entry {
	int queue, host;
	unsigned slots;
};

struct job {
	int user, queue;		/* -q; -1: any */
	unsigned lic, jlic, mem, min, max, tasks, h_rt;	/* mem in M; max 0: sequential */
	bool reserve;
};

struct ongoing {				/* one that was ordered, and goes on */
	uint32_t job, id;
	uint64_t order;
	bool confirmed, forgotten;
	struct entry entries[ENTRIES];
	size_t n;
	int64_t end;
};

struct use {				/* of all that go on */
	unsigned slots[QUEUES][HOSTS], mem[HOSTS], user[USERS], lic, jlic, pe;
};

struct world {
	uint64_t random;
	unsigned hosts, queues, slots[QUEUES][HOSTS], lic, jlic, mem[HOSTS], pe_slots, user_slots;
	const char *rule;
	struct job jobs[MAX_JOBS];
	uint32_t njobs;
	struct ongoing tasks[MAX_TASKS];
	size_t ntasks;
	bool started[MAX_JOBS][10];	/* once ordered and not refused */
	uint64_t seen;			/* last order looked at */
	int64_t now, reserved;		/* the king's reservation; 0: none yet */
	bool lies;			/* the qmaster does */
	bool changes;			/* there is more or less of everything now and then */
	/* after the last run; there may be less of anything since */
	struct use use;
	char fault[200];		/* a promise that was broken; "": none */
	FILE *trace;
};

static unsigned pick(struct world *w, unsigned n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (unsigned)((w->random >> 33) % n);
}

/* The cell */

static void put_amounts(struct fixture *f, struct world *w)
{
	char quota[200], values[80];

	w->lic = pick(w, 12);
	w->jlic = pick(w, 4);
	w->pe_slots = 2 + pick(w, 30);
	w->user_slots = pick(w, 2) ? 3 + pick(w, 12) : 1000;
	put_text(f, "hosts/global", "hostname global\nload_scaling NONE\ncomplex_values lic=%u,jlic=%u\nload_values NONE\nuser_lists NONE\n"
		 "xuser_lists NONE\nprojects NONE\nxprojects NONE\nusage_scaling NONE\n", w->lic, w->jlic);
	for (unsigned h = 0; h < w->hosts; h++) {
		char name[40];

		w->mem[h] = 500 + 100 * pick(w, 20);
		snprintf(name, sizeof(name), "h%u", h);
		snprintf(values, sizeof(values), "mem=%uM", w->mem[h]);
		put_host(f, name, values, pick(w, 2) ? "np_load_avg=0.1,num_proc=2" : "np_load_avg=0.3,num_proc=1");
	}
	put_pe(f, "mpi", w->pe_slots, w->rule);
	snprintf(quota, sizeof(quota), "{\n name each\n description NONE\n enabled TRUE\n limit users {*} to slots=%u\n}\n", w->user_slots);
	put(f, "rqs", quota);
}

static void put_cell(struct fixture *f, struct world *w)
{
	w->hosts = 2 + pick(w, HOSTS - 1);
	w->queues = 1 + pick(w, QUEUES);
	w->rule = rules[pick(w, sizeof(rules) / sizeof(*rules))];
	put(f, "complex", COMPLEXES LICENCE MEMORY "jlic jl INT <= YES JOB 0 0\n");
	for (unsigned q = 0; q < w->queues; q++) {
		char name[20], hosts[60] = "";

		snprintf(name, sizeof(name), "q%u", q);
		for (unsigned h = 0; h < w->hosts; h++)
			sprintf(hosts + strlen(hosts), "h%u ", h);
		put_queue(f, name, hosts, "4", "");
	}
	put_amounts(f, w);
	set_sched_conf(f, "weight_ticket", "0");	/* -p alone decides who comes first */
	set_sched_conf(f, "weight_urgency", "0");
	set_sched_conf(f, "max_reservation", "4");
	set_sched_conf(f, "params", "MONITOR=1,DURATION_OFFSET=0");
	set_sched_conf(f, "job_load_adjustments", pick(w, 2) ? "np_load_avg=0.50" : "NONE");
	set_sched_conf(f, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(f, "queue_sort_method", pick(w, 2) ? "load" : "seqno");
	reload(f);
}

static void tell_instances(struct fixture *f, struct world *w)
{
	for (unsigned q = 0; q < w->queues; q++)
		for (unsigned h = 0; h < w->hosts; h++) {
			char name[40];

			w->slots[q][h] = pick(w, 5);
			snprintf(name, sizeof(name), "q%u@h%u", q, h);
			tell_instance(f, name, w->slots[q][h]);
		}
}

/* Jobs */

static void tell_job(struct fixture *f, struct world *w, uint32_t number)
{
	struct job *j = &w->jobs[number];
	char text[600];
	int n;

	*j = (struct job){ .user = (int)pick(w, USERS), .queue = pick(w, 4) ? -1 : (int)pick(w, w->queues), .lic = pick(w, 3) ? 0 : 1 + pick(w, 3),
			   .jlic = pick(w, 6) ? 0 : 1 + pick(w, 2), .mem = pick(w, 2) ? 0 : 100 * (1 + pick(w, 8)), .tasks = 1,
			   .h_rt = 10 + 10 * pick(w, 20), .reserve = pick(w, 4) == 0 };
	if (number == KING)
		j->reserve = true;
	if (number == KING || pick(w, 2)) {
		j->min = 1 + pick(w, 8);
		j->max = j->min + (number == KING ? 0 : pick(w, 3) * pick(w, 6));
	} else if (pick(w, 2)) {
		j->tasks = 2 + pick(w, 7);
	}
	n = snprintf(text, sizeof(text), ADD "%u,'owner':'%s','priority':%d,'hard_resource_list':'h_rt=%u,lic=%u,jlic=%u,mem=%uM'", number,
		     users[j->user], number == KING ? 1024 : (int)pick(w, 500), j->h_rt, j->lic, j->jlic, j->mem);
	if (j->queue >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'hard_queue_list':'q%d'", j->queue);
	if (j->max)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'pe':'mpi','pe_range':'%u-%u'", j->min, j->max);
	if (j->tasks > 1)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'tasks':'1-%u'", j->tasks);
	TELL(f, "%s%s}", text, j->reserve ? ",'reserve':true" : "");
}

/* Orders */

static void broken(struct world *w, const char *what, uint32_t job)
{
	if (!w->fault[0])
		snprintf(w->fault, sizeof(w->fault), "%s, job %u", what, job);
}

static void read_order(struct world *w, const struct order *o)
{
	struct ongoing *t = &w->tasks[w->ntasks++];
	const struct job *j = &w->jobs[o->job_number];
	const char *told;
	struct out out;
	char line[4000];
	size_t length;

	assert_true(w->ntasks < MAX_TASKS && o->kind == ORDER_START);
	told = line_of(o, &out, &length);
	assert_true(length < sizeof(line));
	snprintf(line, sizeof(line), "%.*s", (int)length, told);
	out_close(&out);
	*t = (struct ongoing){ .job = o->job_number, .id = o->task, .order = o->number, .end = w->now + j->h_rt };
	for (const char *at = line; (at = strstr(at, "{\"queue\":\"")); at++, t->n++) {
		struct entry *e = &t->entries[t->n];

		assert_true(t->n < ENTRIES);
		assert_int_equal(sscanf(at, "{\"queue\":\"q%d@h%d\",\"slots\":%u", &e->queue, &e->host, &e->slots), 3);
	}
	if (w->started[t->job][t->id - 1])
		broken(w, "a task is started twice", t->job);
	w->started[t->job][t->id - 1] = true;
	if (!j->max != !strstr(line, "\"granted_pe\":\"mpi\""))
		broken(w, "a PE that was not asked for, or none", t->job);
	fprintf(w->trace, "%s", line);
}

/* What one task was given, against what its job asks for. */
static void check_task(struct world *w, const struct ongoing *t)
{
	const struct job *j = &w->jobs[t->job];
	unsigned on_host[HOSTS] = { 0 }, sum = 0, hosts = 0, each = (unsigned)atoi(w->rule);

	for (size_t k = 0; k < t->n; k++) {
		sum += t->entries[k].slots;
		hosts += on_host[t->entries[k].host] == 0;
		on_host[t->entries[k].host] += t->entries[k].slots;
		if (j->queue >= 0 && t->entries[k].queue != j->queue)
			broken(w, "a queue that was not asked for", t->job);
	}
	if (j->max ? sum < j->min || sum > j->max : sum != 1)
		broken(w, "not as many slots as asked for", t->job);
	for (int h = 0; j->max && each && h < HOSTS; h++)
		if (on_host[h] != 0 && on_host[h] != each)
			broken(w, "not the slots of the allocation rule", t->job);
	if (j->max && strcmp(w->rule, "$pe_slots") == 0 && hosts != 1)
		broken(w, "more than one host", t->job);
}

static struct use use_of(const struct world *w)
{
	struct use u = { 0 };

	for (size_t i = 0; i < w->ntasks; i++) {
		const struct ongoing *t = &w->tasks[i];
		const struct job *j = &w->jobs[t->job];

		u.jlic += j->jlic;
		for (size_t k = 0; k < t->n; k++) {
			const struct entry *e = &t->entries[k];

			u.slots[e->queue][e->host] += e->slots;
			u.mem[e->host] += j->mem * e->slots;
			u.lic += j->lic * e->slots;
			u.user[j->user] += e->slots;
			u.pe += j->max ? e->slots : 0;
		}
	}
	return u;
}

/* More is used than there is, and more than before the run. */
static void within(struct world *w, const char *what, unsigned used, unsigned before, unsigned limit)
{
	if (used > limit && used > before)
		broken(w, what, used);
}

/* What all that go on use, against what there is. */
static void check_all(struct world *w, const struct use *before)
{
	const struct use *u = &w->use;

	w->use = use_of(w);
	for (unsigned q = 0; q < w->queues; q++)
		for (unsigned h = 0; h < w->hosts; h++)
			within(w, "more slots than an instance has", u->slots[q][h], before->slots[q][h], w->slots[q][h]);
	for (unsigned h = 0; h < w->hosts; h++)
		within(w, "more memory than a host has", u->mem[h], before->mem[h], w->mem[h]);
	for (int k = 0; k < USERS; k++)
		within(w, "a quota is exceeded", u->user[k], before->user[k], w->user_slots);
	within(w, "more licences than there are", u->lic, before->lic, w->lic);
	within(w, "more licences of jobs than there are", u->jlic, before->jlic, w->jlic);
	within(w, "more slots than the PE has", u->pe, before->pe, w->pe_slots);
}

/* The king has the highest priority: nobody moves his reservation back. */
static void check_reservation(struct world *w, const struct schedule_lines *lines)
{
	const char *line = strstr(lines->text, "\n199:1:RESERVING:");
	int64_t at = line ? strtoll(line + strlen("\n199:1:RESERVING:"), NULL, 10) : 0;

	fprintf(w->trace, "%lld %s", (long long)w->now, lines->text);
	if (w->started[KING][0])
		return;
	if (w->reserved && !w->changes && (!at || at > (w->reserved > w->now ? w->reserved : w->now)))
		broken(w, "a reservation is moved back", KING);
	if (at)
		w->reserved = at;
}

/* What becomes of them */

static void confirm(struct fixture *f, struct world *w, struct ongoing *t)
{
	char granted[1000] = "";
	const char *pe = w->jobs[t->job].max ? "'granted_pe':'mpi'," : "";

	for (size_t k = 0; k < t->n; k++)
		sprintf(granted + strlen(granted), "%s{'queue':'q%d@h%d','slots':%u}", k ? "," : "", t->entries[k].queue, t->entries[k].host,
			t->entries[k].slots);
	TELL(f, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%lld,%s'granted':[%s]}", t->job, t->id,
	     (long long)(t->end - w->jobs[t->job].h_rt), pe, granted);
	t->confirmed = true;
}

/* The last one takes its place. */
static void task_end(struct world *w, size_t i)
{
	w->tasks[i] = w->tasks[--w->ntasks];
}

static void live_on(struct fixture *f, struct world *w)
{
	w->now += 1 + pick(w, 40);
	for (size_t i = 0; i < w->ntasks;) {
		struct ongoing *t = &w->tasks[i];
		bool refused = !t->confirmed && !t->forgotten && pick(w, 6) == 0;

		if (refused) {
			TELL(f, "{'event':'order_refused','number':%llu,'job_number':%u,'task':%u}", (unsigned long long)t->order, t->job, t->id);
			w->started[t->job][t->id - 1] = false;
			task_end(w, i);
			continue;
		}
		if (!t->confirmed && (t->end <= w->now || pick(w, 3)))
			confirm(f, w, t);
		if (t->confirmed && !t->forgotten && (t->end <= w->now || pick(w, 8) == 0)) {
			TELL(f, FINISH "%u,'task':%u}", t->job, t->id);
			t->forgotten = w->lies;
			if (!w->lies) {
				task_end(w, i);
				continue;
			}
		}
		i++;
	}
	for (unsigned n = pick(w, 4); n > 0; n--)
		tell_job(f, w, ++w->njobs);
	if (pick(w, 3) == 0)
		take_orders(f);
	if (w->changes && pick(w, 3) == 0) {
		put_amounts(f, w);
		reload(f);
		tell_instances(f, w);
	}
}

static void one_run(struct fixture *f, struct world *w, struct schedule_lines *lines)
{
	struct orders *o = sched_orders(f->sched);
	struct use before = use_of(w);

	schedule_begin(lines);
	run(f, w->now);
	for (const struct order *order = orders_after(o, w->seen); order; order = orders_after(o, order->number)) {
		read_order(w, order);
		check_task(w, &w->tasks[w->ntasks - 1]);
		w->seen = order->number;
	}
	check_all(w, &before);
	check_reservation(w, lines);
	if (o->withheld)
		broken(w, "a start was withheld", 0);
}

/* Ends at the first fault. The trace is the caller's. */
static struct world *live(uint64_t seed, unsigned workers, bool lies, bool changes, char **trace)
{
	struct world *w = calloc(1, sizeof(*w));
	struct schedule_lines lines = { 0 };
	struct fixture *f;
	size_t size;

	w->random = seed * 0x9e3779b97f4a7c15u + 1;
	w->now = NOW;
	w->lies = lies;
	w->changes = changes;
	w->trace = open_memstream(trace, &size);
	assert_int_equal(dispatch_setup((void **)&f), 0);
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	assert_int_equal(sched_workers(f->sched, workers), 0);
	put_cell(f, w);
	tell_instances(f, w);
	sched_schedule(f->sched, &lines);
	for (unsigned n = 3 + pick(w, 15); n > 0; n--)
		tell_job(f, w, ++w->njobs);
	for (int k = 0; k < RUNS && !w->fault[0]; k++) {
		if (k == 1)
			tell_job(f, w, KING);
		one_run(f, w, &lines);
		live_on(f, w);
	}
	fclose(w->trace);
	sched_schedule(f->sched, NULL);
	schedule_free(&lines);
	assert_int_equal(teardown((void **)&f), 0);
	return w;
}

static uint64_t number_of(const char *variable, uint64_t fallback)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 10) : fallback;
}

/* Tests */

static void test_no_promise_is_broken(void **state)
{
	uint64_t seed = number_of("FAIRLEAD_SEED", 1), cells = number_of("FAIRLEAD_CELLS", 200);
	size_t starts = 0, reservations = 0;

	(void)state;
	print_message("seeds %llu to %llu\n", (unsigned long long)seed, (unsigned long long)(seed + cells - 1));
	for (uint64_t i = 0; i < cells; i++) {
		char *trace;
		struct world *w = live(seed + i, 1, false, i % 3 == 2, &trace);

		if (w->fault[0]) {
			fputs(trace, stderr);
			fail_msg("FAIRLEAD_SEED=%llu: %s", (unsigned long long)(seed + i), w->fault);
		}
		starts += w->seen;
		reservations += w->reserved != 0;
		free(w);
		free(trace);
	}
	print_message("%zu starts, %zu cells with a reservation that was followed\n", starts, reservations);
	assert_true(cells < 100 || (starts > 10 * cells && reservations > cells / 10));
}

static void test_decisions_are_the_same_again_and_with_more_workers(void **state)
{
	uint64_t seed = number_of("FAIRLEAD_SEED", 5000), cells = number_of("FAIRLEAD_CELLS", 20);

	(void)state;
	for (uint64_t i = 0; i < cells; i++) {
		char *trace[3];

		for (int k = 0; k < 3; k++)
			free(live(seed + i, k == 2 ? 4 : 1, false, i % 2, &trace[k]));
		if (strcmp(trace[0], trace[1]) != 0 || strcmp(trace[0], trace[2]) != 0)
			fail_msg("FAIRLEAD_SEED=%llu", (unsigned long long)(seed + i));
		for (int k = 0; k < 3; k++)
			free(trace[k]);
	}
}

static void test_what_is_not_booked_is_found(void **state)
{
	size_t found = 0;

	(void)state;
	for (uint64_t seed = 9000; seed < 9020; seed++) {
		char *trace;
		struct world *w = live(seed, 1, true, false, &trace);

		found += w->fault[0] != '\0';
		free(w);
		free(trace);
	}
	print_message("%zu of 20 cells with broken bookings found\n", found);
	assert_in_range(found, 10, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_promise_is_broken),
		cmocka_unit_test(test_decisions_are_the_same_again_and_with_more_workers),
		cmocka_unit_test(test_what_is_not_booked_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
