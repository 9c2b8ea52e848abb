/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random clusters over some runs, whose starts are confirmed or refused and end at random. The
 * required properties are computed here from the configuration and the orders alone.
 * FAIRLEAD_SEED=n sets the seed, FAIRLEAD_CELLS=n the number of cells.
 *
 * Negative control: a qmaster reports the end of tasks that continue. More tasks than possible are
 * then started, and this must be detected.
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

struct ongoing {				/* an ordered task that continues */
	uint32_t job, id;
	uint64_t order;
	bool confirmed, forgotten;
	struct entry entries[ENTRIES];
	size_t n;
	int64_t end;
};

struct use {				/* usage of all tasks that continue */
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
	uint64_t seen;			/* last checked order */
	int64_t now, reserved;		/* the king's reservation; 0: none yet */
	bool lies;			/* the qmaster reports wrong ends */
	bool changes;			/* sometimes the available amounts change */
	/* use after the last run; available amounts may have decreased since */
	struct use use;
	char fault[200];		/* a violated property; "": none */
	FILE *trace;
};

static unsigned pick(struct world *world, unsigned n)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (unsigned)((world->random >> 33) % n);
}

/* The cell */

static void put_amounts(struct fixture *fixture, struct world *world)
{
	char quota[200], values[80];

	world->lic = pick(world, 12);
	world->jlic = pick(world, 4);
	world->pe_slots = 2 + pick(world, 30);
	world->user_slots = pick(world, 2) ? 3 + pick(world, 12) : 1000;
	put_text(
		fixture, "hosts/global",
		"hostname global\nload_scaling NONE\ncomplex_values lic=%u,jlic=%u\nload_values NONE\nuser_lists NONE\n"
		"xuser_lists NONE\nprojects NONE\nxprojects NONE\nusage_scaling NONE\n",
		world->lic, world->jlic);
	for (unsigned h = 0; h < world->hosts; h++) {
		char name[40];

		world->mem[h] = 500 + 100 * pick(world, 20);
		snprintf(name, sizeof(name), "h%u", h);
		snprintf(values, sizeof(values), "mem=%uM", world->mem[h]);
		put_host(fixture, name, values,
			 pick(world, 2) ? "np_load_avg=0.1,num_proc=2" : "np_load_avg=0.3,num_proc=1");
	}
	put_pe(fixture, "mpi", world->pe_slots, world->rule);
	snprintf(quota, sizeof(quota),
		 "{\n name each\n description NONE\n enabled TRUE\n limit users {*} to slots=%u\n}\n",
		 world->user_slots);
	put(fixture, "rqs", quota);
}

static void put_cell(struct fixture *fixture, struct world *world)
{
	world->hosts = 2 + pick(world, HOSTS - 1);
	world->queues = 1 + pick(world, QUEUES);
	world->rule = rules[pick(world, sizeof(rules) / sizeof(*rules))];
	put(fixture, "complex", COMPLEXES LICENCE MEMORY "jlic jl INT <= YES JOB 0 0\n");
	for (unsigned q = 0; q < world->queues; q++) {
		char name[20], hosts[60] = "";

		snprintf(name, sizeof(name), "q%u", q);
		for (unsigned h = 0; h < world->hosts; h++)
			sprintf(hosts + strlen(hosts), "h%u ", h);
		put_queue(fixture, name, hosts, "4", "");
	}
	put_amounts(fixture, world);
	set_sched_conf(fixture, "weight_ticket", "0");	/* only -p decides the order */
	set_sched_conf(fixture, "weight_urgency", "0");
	set_sched_conf(fixture, "max_reservation", "4");
	set_sched_conf(fixture, "params", "MONITOR=1,DURATION_OFFSET=0");
	set_sched_conf(fixture, "job_load_adjustments", pick(world, 2) ? "np_load_avg=0.50" : "NONE");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(fixture, "queue_sort_method", pick(world, 2) ? "load" : "seqno");
	reload(fixture);
}

static void report_instances(struct fixture *fixture, struct world *world)
{
	for (unsigned q = 0; q < world->queues; q++)
		for (unsigned h = 0; h < world->hosts; h++) {
			char name[40];

			world->slots[q][h] = pick(world, 5);
			snprintf(name, sizeof(name), "q%u@h%u", q, h);
			report_instance(fixture, name, world->slots[q][h]);
		}
}

/* Jobs */

static void report_job(struct fixture *fixture, struct world *world, uint32_t number)
{
	struct job *job = &world->jobs[number];
	char text[600];
	int n;

	*job = (struct job){ .user = (int)pick(world, USERS),
			     .queue = pick(world, 4) ? -1 : (int)pick(world, world->queues),
			     .lic = pick(world, 3) ? 0 : 1 + pick(world, 3),
			     .jlic = pick(world, 6) ? 0 : 1 + pick(world, 2),
			     .mem = pick(world, 2) ? 0 : 100 * (1 + pick(world, 8)),
			     .tasks = 1,
			     .h_rt = 10 + 10 * pick(world, 20),
			     .reserve = pick(world, 4) == 0 };
	if (number == KING)
		job->reserve = true;
	if (number == KING || pick(world, 2)) {
		job->min = 1 + pick(world, 8);
		job->max = job->min + (number == KING ? 0 : pick(world, 3) * pick(world, 6));
	} else if (pick(world, 2)) {
		job->tasks = 2 + pick(world, 7);
	}
	n = snprintf(text, sizeof(text),
		     ADD "%u,'owner':'%s','priority':%d,'hard_resource_list':'h_rt=%u,lic=%u,jlic=%u,mem=%uM'", number,
		     users[job->user], number == KING ? 1024 : (int)pick(world, 500), job->h_rt, job->lic, job->jlic,
		     job->mem);
	if (job->queue >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'hard_queue_list':'q%d'", job->queue);
	if (job->max)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'pe':'mpi','pe_range':'%u-%u'", job->min, job->max);
	if (job->tasks > 1)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",'tasks':'1-%u'", job->tasks);
	TELL(fixture, "%s%s}", text, job->reserve ? ",'reserve':true" : "");
}

/* Orders */

static void broken(struct world *world, const char *what, uint32_t job)
{
	if (!world->fault[0])
		snprintf(world->fault, sizeof(world->fault), "%s, job %u", what, job);
}

static void read_order(struct world *world, const struct order *order)
{
	struct ongoing *ongoing = &world->tasks[world->ntasks++];
	const struct job *job = &world->jobs[order->job_number];
	const char *reported;
	struct out out;
	char line[4000];
	size_t length;

	assert_true(world->ntasks < MAX_TASKS && order->kind == ORDER_START);
	reported = line_of(order, &out, &length);
	assert_true(length < sizeof(line));
	snprintf(line, sizeof(line), "%.*s", (int)length, reported);
	out_close(&out);
	*ongoing = (struct ongoing){
		.job = order->job_number, .id = order->task, .order = order->number, .end = world->now + job->h_rt
	};
	for (const char *at = line; (at = strstr(at, "{\"queue\":\"")); at++, ongoing->n++) {
		struct entry *entry = &ongoing->entries[ongoing->n];

		assert_true(ongoing->n < ENTRIES);
		assert_int_equal(
			sscanf(at, "{\"queue\":\"q%d@h%d\",\"slots\":%u", &entry->queue, &entry->host, &entry->slots),
			3);
	}
	if (world->started[ongoing->job][ongoing->id - 1])
		broken(world, "a task is started twice", ongoing->job);
	world->started[ongoing->job][ongoing->id - 1] = true;
	if (!job->max != !strstr(line, "\"granted_pe\":\"mpi\""))
		broken(world, "a PE that was not asked for, or none", ongoing->job);
	fprintf(world->trace, "%s", line);
}

/* Compare the allocation of a task with the requests of its job. */
static void check_task(struct world *world, const struct ongoing *ongoing)
{
	const struct job *job = &world->jobs[ongoing->job];
	unsigned on_host[HOSTS] = { 0 }, sum = 0, hosts = 0, each = (unsigned)atoi(world->rule);

	for (size_t k = 0; k < ongoing->n; k++) {
		sum += ongoing->entries[k].slots;
		hosts += on_host[ongoing->entries[k].host] == 0;
		on_host[ongoing->entries[k].host] += ongoing->entries[k].slots;
		if (job->queue >= 0 && ongoing->entries[k].queue != job->queue)
			broken(world, "a queue that was not asked for", ongoing->job);
	}
	if (job->max ? sum < job->min || sum > job->max : sum != 1)
		broken(world, "not as many slots as asked for", ongoing->job);
	for (int h = 0; job->max && each && h < HOSTS; h++)
		if (on_host[h] != 0 && on_host[h] != each)
			broken(world, "not the slots of the allocation rule", ongoing->job);
	if (job->max && strcmp(world->rule, "$pe_slots") == 0 && hosts != 1)
		broken(world, "more than one host", ongoing->job);
}

static struct use use_of(const struct world *world)
{
	struct use use = { 0 };

	for (size_t i = 0; i < world->ntasks; i++) {
		const struct ongoing *ongoing = &world->tasks[i];
		const struct job *job = &world->jobs[ongoing->job];

		use.jlic += job->jlic;
		for (size_t k = 0; k < ongoing->n; k++) {
			const struct entry *entry = &ongoing->entries[k];

			use.slots[entry->queue][entry->host] += entry->slots;
			use.mem[entry->host] += job->mem * entry->slots;
			use.lic += job->lic * entry->slots;
			use.user[job->user] += entry->slots;
			use.pe += job->max ? entry->slots : 0;
		}
	}
	return use;
}

/* Check that no more is used than exists, unless it was used before the run. */
static void within(struct world *world, const char *what, unsigned used, unsigned before, unsigned limit)
{
	if (used > limit && used > before)
		broken(world, what, used);
}

/* Compare the usage of all continuing tasks with the available amounts. */
static void check_all(struct world *world, const struct use *before)
{
	const struct use *use = &world->use;

	world->use = use_of(world);
	for (unsigned q = 0; q < world->queues; q++)
		for (unsigned h = 0; h < world->hosts; h++)
			within(world, "more slots than an instance has", use->slots[q][h], before->slots[q][h],
			       world->slots[q][h]);
	for (unsigned h = 0; h < world->hosts; h++)
		within(world, "more memory than a host has", use->mem[h], before->mem[h], world->mem[h]);
	for (int k = 0; k < USERS; k++)
		within(world, "a quota is exceeded", use->user[k], before->user[k], world->user_slots);
	within(world, "more licences than there are", use->lic, before->lic, world->lic);
	within(world, "more licences of jobs than there are", use->jlic, before->jlic, world->jlic);
	within(world, "more slots than the PE has", use->pe, before->pe, world->pe_slots);
}

/* The king has the highest priority, so that no other job delays its reservation. */
static void check_reservation(struct world *world, const struct schedule_lines *lines)
{
	const char *line = strstr(lines->text, "\n199:1:RESERVING:");
	int64_t at = line ? strtoll(line + strlen("\n199:1:RESERVING:"), NULL, 10) : 0;

	fprintf(world->trace, "%lld %s", (long long)world->now, lines->text);
	if (world->started[KING][0])
		return;
	if (world->reserved && !world->changes &&
	    (!at || at > (world->reserved > world->now ? world->reserved : world->now)))
		broken(world, "a reservation is moved back", KING);
	if (at)
		world->reserved = at;
}

/* Fate of ordered tasks */

static void confirm(struct fixture *fixture, struct world *world, struct ongoing *ongoing)
{
	char granted[1000] = "";
	const char *pe = world->jobs[ongoing->job].max ? "'granted_pe':'mpi'," : "";

	for (size_t k = 0; k < ongoing->n; k++)
		sprintf(granted + strlen(granted), "%s{'queue':'q%d@h%d','slots':%u}", k ? "," : "",
			ongoing->entries[k].queue, ongoing->entries[k].host, ongoing->entries[k].slots);
	TELL(fixture, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%lld,%s'granted':[%s]}",
	     ongoing->job, ongoing->id, (long long)(ongoing->end - world->jobs[ongoing->job].h_rt), pe, granted);
	ongoing->confirmed = true;
}

/* Remove a task. The last one moves to its position. */
static void task_end(struct world *world, size_t i)
{
	world->tasks[i] = world->tasks[--world->ntasks];
}

static void live_on(struct fixture *fixture, struct world *world)
{
	world->now += 1 + pick(world, 40);
	for (size_t i = 0; i < world->ntasks;) {
		struct ongoing *ongoing = &world->tasks[i];
		bool refused = !ongoing->confirmed && !ongoing->forgotten && pick(world, 6) == 0;

		if (refused) {
			TELL(fixture, "{'event':'order_refused','number':%llu,'job_number':%u,'task':%u}",
			     (unsigned long long)ongoing->order, ongoing->job, ongoing->id);
			world->started[ongoing->job][ongoing->id - 1] = false;
			task_end(world, i);
			continue;
		}
		if (!ongoing->confirmed && (ongoing->end <= world->now || pick(world, 3)))
			confirm(fixture, world, ongoing);
		if (ongoing->confirmed && !ongoing->forgotten && (ongoing->end <= world->now || pick(world, 8) == 0)) {
			TELL(fixture, FINISH "%u,'task':%u}", ongoing->job, ongoing->id);
			ongoing->forgotten = world->lies;
			if (!world->lies) {
				task_end(world, i);
				continue;
			}
		}
		i++;
	}
	for (unsigned n = pick(world, 4); n > 0; n--)
		report_job(fixture, world, ++world->njobs);
	if (pick(world, 3) == 0)
		take_orders(fixture);
	if (world->changes && pick(world, 3) == 0) {
		put_amounts(fixture, world);
		reload(fixture);
		report_instances(fixture, world);
	}
}

static void one_run(struct fixture *fixture, struct world *world, struct schedule_lines *lines)
{
	struct orders *orders = sched_orders(fixture->sched);
	struct use before = use_of(world);

	schedule_begin(lines);
	run(fixture, world->now);
	for (const struct order *order = orders_after(orders, world->seen); order;
	     order = orders_after(orders, order->number)) {
		read_order(world, order);
		check_task(world, &world->tasks[world->ntasks - 1]);
		world->seen = order->number;
	}
	check_all(world, &before);
	check_reservation(world, lines);
	if (orders->withheld)
		broken(world, "a start was withheld", 0);
}

/* Run a world until its first fault. The caller frees the trace. */
static struct world *live(uint64_t seed, unsigned workers, bool lies, bool changes, char **trace)
{
	struct world *world = calloc(1, sizeof(*world));
	struct schedule_lines lines = { 0 };
	struct fixture *fixture;
	size_t size;

	world->random = seed * 0x9e3779b97f4a7c15u + 1;
	world->now = NOW;
	world->lies = lies;
	world->changes = changes;
	world->trace = open_memstream(trace, &size);
	assert_int_equal(dispatch_setup((void **)&fixture), 0);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	assert_int_equal(sched_workers(fixture->sched, workers), 0);
	put_cell(fixture, world);
	report_instances(fixture, world);
	sched_schedule(fixture->sched, &lines);
	for (unsigned n = 3 + pick(world, 15); n > 0; n--)
		report_job(fixture, world, ++world->njobs);
	for (int k = 0; k < RUNS && !world->fault[0]; k++) {
		if (k == 1)
			report_job(fixture, world, KING);
		one_run(fixture, world, &lines);
		live_on(fixture, world);
	}
	fclose(world->trace);
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
	assert_int_equal(teardown((void **)&fixture), 0);
	return world;
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
		struct world *world = live(seed + i, 1, false, i % 3 == 2, &trace);

		if (world->fault[0]) {
			fputs(trace, stderr);
			fail_msg("FAIRLEAD_SEED=%llu: %s", (unsigned long long)(seed + i), world->fault);
		}
		starts += world->seen;
		reservations += world->reserved != 0;
		free(world);
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

static void test_an_unbooked_task_is_found(void **state)
{
	size_t found = 0;

	(void)state;
	for (uint64_t seed = 9000; seed < 9020; seed++) {
		char *trace;
		struct world *world = live(seed, 1, true, false, &trace);

		found += world->fault[0] != '\0';
		free(world);
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
		cmocka_unit_test(test_an_unbooked_task_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
