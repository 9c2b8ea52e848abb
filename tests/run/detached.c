/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached from a published run computes that run again: the same rows,
 * reasons, users and tree, the same orders, and the state that it leaves is the same, to the bit.
 * Random events and runs on a cell that has something of everything; FAIRLEAD_SEED=n begins
 * elsewhere.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/detach.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/retell.h"
#include "tests/dispatch/cell.h"

enum { CELLS = 12, RUNS = 14, JOBS = 60 };

/* What a run shows */

static void show_row(FILE *out, const struct fl_view *view, const struct fl_job *j)
{
	struct fl_why why;

	fprintf(out, "job %u.%u %s %s %s %s %s %" PRId64 " %" PRId64 " %" PRId64 " %d %u %u %s %s %s %s %s %s %u %a %a %a", j->job_number, j->task,
		j->state, j->name, j->owner, j->project, j->department, j->submission_time, j->start_time, j->deadline, j->priority, j->jobshare,
		j->override_tickets, j->hard_resources, j->soft_resources, j->pe, j->pe_range, j->granted_pe, j->queue, j->slots, j->cpu, j->mem, j->io);
	fprintf(out, " %a %a %a %a %a %a %a %a %a %a %a %a %a", j->prio, j->nurg, j->ntckts, j->npprior, j->urg, j->rrcontr, j->wtcontr, j->dlcontr,
		j->tckts, j->otckt, j->ftckt, j->stckt, j->share);
	/* the same ids may stand in other groups */
	for (size_t k = 0; k < j->nranges; k++)
		for (uint32_t id = j->tasks[k].min; id <= j->tasks[k].max; id += j->tasks[k].step)
			fprintf(out, " %u", id);
	fputc('\n', out);
	for (size_t k = 0; !j->is_started && fl_why(view, j->job_number, k, &why) == 0; k++)
		fprintf(out, "  why %s %s %s %u %a %a\n", why.kind, why.subject, why.object, why.count, why.wanted, why.had);
}

static void show_usage(FILE *out, const struct fl_usage *u)
{
	fprintf(out, " %a %a %a %a %a %a %a %" PRId64 "\n", u->cpu, u->mem, u->io, u->ltcpu, u->ltmem, u->ltio, u->combined, u->time_stamp);
}

static void show_run(FILE *out, const struct fl_view *view)
{
	struct fl_job job;
	struct fl_run run;

	fl_run(view, &run);
	fprintf(out, "now %" PRId64 " free slots %" PRIu64 "\n", run.now, run.free_slots);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++)
			show_row(out, view, &job);
	for (int kind = FL_USER; kind <= FL_DEPARTMENT; kind++)
		for (size_t k = 0; k < fl_sharers(view, (enum fl_kind)kind); k++) {
			struct fl_sharer s;

			assert_int_equal(fl_sharer(view, (enum fl_kind)kind, k, &s), 0);
			fprintf(out, "sharer %s %u %u %u", s.name, s.oticket, s.fshare, s.running_tasks);
			show_usage(out, &s.usage);
		}
	for (size_t k = 0; k < fl_nodes(view); k++) {
		struct fl_node n;

		assert_int_equal(fl_node(view, k, &n), 0);
		fprintf(out, "node %s %d %u %u %a %a %a\n", n.name, n.parent, n.shares, n.job_count, n.usage, n.long_target_share, n.short_target_share);
	}
}

struct told { struct out out; uint64_t seq; };

static int write_event(void *context, const struct event *event)
{
	struct told *t = context;

	event_write(&t->out, ++t->seq, event);
	return 0;
}

static void show_state(FILE *out, const struct fl_view *view)
{
	struct told told = { .seq = 0 };
	const struct retell_calls calls = { &told, write_event };
	const char *text;
	size_t bytes;

	assert_int_equal(out_open_memory(&told.out, 64 << 20), 0);
	assert_int_equal(retell_events(&view->view, &calls), 0);
	assert_int_equal(out_held(&told.out, &text, &bytes), 0);
	fwrite(text, 1, bytes, out);
	out_close(&told.out);
}

static void show_orders(FILE *out, const struct orders *orders, uint64_t after)
{
	for (const struct order *order; (order = orders_after(orders, after)); after = order->number) {
		struct out line;
		size_t length;
		const char *text = line_of(order, &line, &length);

		fwrite(text, 1, length, out);
		out_close(&line);
	}
}

/* All of it as a text, for the caller to free. */
static char *shown(const struct fl_view *view, const struct orders *orders, uint64_t after)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	show_run(out, view);
	show_orders(out, orders, after);
	show_state(out, view);
	fclose(out);
	return text;
}

static void check_same(const char *a, const char *b, uint64_t seed, unsigned k)
{
	while (*a && *a == *b) {
		size_t n = strcspn(a, "\n") + 1;

		if (strncmp(a, b, n) != 0)
			break;
		a += n;
		b += n;
	}
	if (*a || *b)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ", run %u:\n%.*s\nagain:\n%.*s", seed, k, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
}

/* The run that readers see, once more in a scheduler of its own. */
static char *shown_again(struct fixture *f, uint64_t after, void (*change)(struct sched *s))
{
	const struct detach_options options = { .segment_bytes = 256 << 20 };
	struct fl_cell *reader;
	struct sched *detached;
	struct fl_run run;
	char *text;

	fl_run(f->view, &run);
	if (sched_detach(&detached, &f->view->view, &options, &f->error) != 0)
		fail_msg("%s", f->error.text);
	sched_orders(detached)->limits = order_line_limits;
	if (change)
		change(detached);
	assert_int_equal(sched_run(detached, run.now, run.event, &f->error), 0);
	assert_int_equal(fl_attach_descriptor(&reader, sched_descriptor(detached)), 0);
	text = shown(fl_begin(reader), sched_orders(detached), after);
	assert_int_equal(fl_end(reader), 0);
	fl_detach(reader);
	sched_destroy(detached);
	return text;
}

/* Random events */

struct story {
	struct fixture *f;
	uint64_t random;
	uint32_t jobs;			/* added so far: their numbers are 1 .. jobs */
	int64_t now;
};

static uint32_t below(struct story *s, uint32_t n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)(s->random >> 20) % n;
}

#define ONE_OF(s, ...) ((const char *[]){ __VA_ARGS__ }[below(s, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))])

static void add_job(struct story *s)
{
	uint32_t number = ++s->jobs;
	char hold_jid[50] = "";

	if (number > 3 && below(s, 5) == 0)
		snprintf(hold_jid, sizeof(hold_jid), ",'%s':[%u,%u]", ONE_OF(s, "hold_jid", "hold_jid_ad"), 1 + below(s, number - 1), 1 + below(s, number - 1));
	TELL(s->f, "{'event':'job_add','job_number':%u,'owner':'%s','submission_time':%" PRId64 ",'job_name':'%s'%s%s%s%s%s%s%s%s%s}", number,
	     ONE_OF(s, "ann", "bob", "cal", "dot", "eve"), s->now - below(s, 1000), ONE_OF(s, "", "x", "sleeper"), hold_jid,
	     ONE_OF(s, "", "", ",'project':'red'", ",'project':'blue'"), ONE_OF(s, "", ",'priority':7", ",'priority':-100"),
	     ONE_OF(s, "", ",'pe':'mpi','pe_range':'2-4'", ",'pe':'mpi','pe_range':'1-8'", "", ""),
	     ONE_OF(s, "", ",'hard_resource_list':'lic=1'", ",'hard_resource_list':'mem=1G,h_rt=600'", ",'hard_resource_list':'h_rt=100,mem=0.3G,lic=1'"),
	     ONE_OF(s, "", "", ",'tasks':'1-5'", ",'tasks':'3-9:2,20','task_concurrency':2"), ONE_OF(s, "", "", "", ",'hold':{'u':'1','s':'3-5'}"),
	     ONE_OF(s, "", ",'now':true", ",'reserve':true", ",'deadline':1700009000", ",'jobshare':3", ",'override_tickets':50", ",'error':'disk'"),
	     ONE_OF(s, "", "", ",'soft_resource_list':'arch=x'", ",'hard_queue_list':'all.q@ada,fast.q'", ",'master_queue_list':'all.q'"));
}

/* Some started task: its job and id. */
static const struct task *some_task(struct story *s, bool ordered, uint32_t *number)
{
	const struct state *state = sched_mirror(s->f->sched)->state;
	size_t n = 0, k;

	pool_each(i, &state->tasks.pool)
		n += !!state->tasks.items[i].order == ordered;
	k = n ? below(s, (uint32_t)n) : 0;
	pool_each(i, &state->tasks.pool)
		if (!!state->tasks.items[i].order == ordered && k-- == 0) {
			*number = job_fact(&state->jobs, state->tasks.items[i].row, number);
			return &state->tasks.items[i];
		}
	return NULL;
}

/* As it was ordered. */
static void confirm(struct story *s)
{
	char granted[400] = "", pe[80] = "";
	uint32_t number;
	const struct task *t = some_task(s, true, &number);
	size_t n = 0;

	if (!t)
		return;
	if (below(s, 8) == 0) {
		TELL(s->f, "{'event':'order_refused','number':%" PRIu64 ",'job_number':%u,'task':%u,'text':'no'}", t->order, number, t->id);
		return;
	}
	for (size_t k = 0; k < t->ngranted; k++)
		n += (size_t)snprintf(granted + n, sizeof(granted) - n, "%s{'queue':'%s','slots':%u}", k ? "," : "",
				      strings_text(s->f->sched->strings, t->granted[k].queue), t->granted[k].slots);
	if (t->granted_pe != NONE)
		snprintf(pe, sizeof(pe), ",'granted_pe':'%s'", strings_text(s->f->sched->strings, t->granted_pe));
	TELL(s->f, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%" PRId64 ",'granted':[%s]%s}", number, t->id,
	     t->start_time + below(s, 3), granted, pe);
}

static void change_task(struct story *s)
{
	uint32_t number;
	const struct task *t = some_task(s, false, &number);
	uint32_t id = t ? t->id : 0;

	if (!t)
		return;
	switch (below(s, 6)) {
	case 0:
		TELL(s->f, "{'event':'task_finish','job_number':%u,'task':%u}", number, id);
		break;
	case 1:
		TELL(s->f, "{'event':'task_requeue','job_number':%u,'task':%u}", number, id);
		break;
	case 2:
		TELL(s->f, "{'event':'task_state','job_number':%u,'task':%u,'state':'%s'}", number, id, ONE_OF(s, "s", "sT", "T", "r", "S"));
		break;
	default:
		TELL(s->f, "{'event':'usage','job_number':%u,'task':%u,'scaled_usage':{'cpu':%u.%u,'io':0.1,'mem':%u,'ru_wallclock':%u,'maxvmem':5}}",
		     number, id, below(s, 5000), below(s, 1000), below(s, 300), below(s, 4000));
	}
}

/* Some of the tasks that wait, the first of them in error perhaps. */
static void enrol(struct story *s)
{
	const struct jobs *j = &sched_mirror(s->f->sched)->state->jobs;
	uint32_t number = s->jobs ? 1 + below(s, s->jobs) : 0, row = jobs_find(j, number), ids[3];
	const struct job_extra *extra = row == INDEX_NONE ? NULL : jobs_find_extra(j, row);
	char tasks[60] = "", error[40] = "";
	size_t n = 0, used = 0;

	if (!extra || !extra->is_array)
		return;
	n = ranges_first(&extra->waiting, NULL, 0, ids, below(s, 4));
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(tasks + used, sizeof(tasks) - used, "%s%u", i ? "," : "", ids[n - 1 - i]);
	if (n > 0 && below(s, 2))
		snprintf(error, sizeof(error), ",'error':'%u','error_reason':'full'", ids[0]);
	TELL(s->f, "{'event':'tasks_enrolled','job_number':%u,'tasks':'%s'%s}", number, tasks, error);
}

static void change_job(struct story *s)
{
	uint32_t number = s->jobs ? 1 + below(s, s->jobs) : 0;

	if (number == 0 || jobs_find(&sched_mirror(s->f->sched)->state->jobs, number) == INDEX_NONE)
		return;
	if (below(s, 6) == 0)
		TELL(s->f, "{'event':'job_delete','job_number':%u}", number);
	else
		TELL(s->f, "{'event':'job_modify','job_number':%u%s}", number,
		     ONE_OF(s, ",'priority':3", ",'hold':{}", ",'hold':{'u':'1-9'}", ",'jobshare':9", ",'hard_resource_list':'mem=2G,lic=1'", ",'error':false"));
}

static void change_cluster(struct story *s)
{
	switch (below(s, 6)) {
	case 4:
		TELL(s->f, "{'event':'reschedule_unknown','host':'%s','tasks':[[%u,1],[%u,%u]]}", ONE_OF(s, "ada", "bly", "nowhere"), 1 + below(s, 20),
		     1 + below(s, 20), 1 + below(s, 5));
		break;
	case 0:
		TELL(s->f, "{'event':'queue_instance','queue':'%s','slots':%u,'state':'%s'}", ONE_OF(s, "all.q@ada", "all.q@bly", "fast.q@ada", "fast.q@cob"),
		     1 + below(s, 6), ONE_OF(s, "", "", "d", "D"));
		break;
	case 1:
		TELL(s->f, "{'event':'host_state','host':'%s','available':%s}", ONE_OF(s, "ada", "bly", "cob"), ONE_OF(s, "true", "true", "false"));
		break;
	case 2:
		TELL(s->f, "{'event':'%s_usage','%s':'%s','time_stamp':%" PRId64 ",'usage':{'cpu':%u,'mem':3},'long_term_usage':{'cpu':7}}",
		     "user", "user", ONE_OF(s, "ann", "bob", "zoe"), s->now - below(s, 5000), below(s, 90000));
		break;
	default:
		TELL(s->f, "{'event':'host_load','host':'%s','load_values':{'np_load_avg':%u.%u,'num_proc':4,'load_avg':1}}",
		     ONE_OF(s, "ada", "bly", "cob", "global"), below(s, 3), below(s, 100));
	}
}

static void go_on(struct story *s)
{
	static void (*const steps[])(struct story *s) = { add_job, add_job, confirm, confirm, confirm, confirm, change_task, change_task, change_job, change_cluster, enrol };

	for (uint32_t n = below(s, 24); n > 0; n--)
		if (s->jobs < JOBS || below(s, 2))
			steps[below(s, sizeof(steps) / sizeof(*steps))](s);
	if (below(s, 3))
		take_orders(s->f);
	s->now += (int64_t)below(s, 400);
}

static void make_cell(struct fixture *f)
{
	set_sched_conf(f, "params", "pe_range_alg=auto");
	set_sched_conf(f, "reprioritize_interval", "0:2:0");
	set_sched_conf(f, "max_reservation", "3");
	set_sched_conf(f, "default_duration", "0:20:0");
	set_sched_conf(f, "job_load_adjustments", "np_load_avg=0.50");
	set_sched_conf(f, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(f, "weight_tickets_functional", "5000");
	set_sched_conf(f, "halftime", "1");
	put(f, "global_conf", "enforce_user auto\nauto_user_fshare 10\nmax_aj_instances 0\nmax_aj_tasks 75000\n");
	put_user(f, "ann");
	put_project(f, "red");
	put_project(f, "blue");
	put_tree(f);
	put_queue(f, "fast.q", "ada cob", "2", "suspend_thresholds np_load_avg=1.2\nnsuspend 1\nsuspend_interval 0:1:0\n");
	put_host(f, "cob", "mem=4G", "np_load_avg=0.4,num_proc=2");
	reload(f);
	tell_instance(f, "fast.q@cob", 2);
	tell_instance(f, "fast.q@ada", 2);
}

static void test_a_detached_scheduler_computes_the_same_run(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	struct fixture *f = *state;

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story s = { f, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_cell(f);
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after = sched_orders(f->sched)->last;
			char *before, *again;

			go_on(&s);
			run(f, s.now);
			before = shown(f->view, sched_orders(f->sched), after);
			again = shown_again(f, after, NULL);
			check_same(before, again, seed, k);
			free(before);
			free(again);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
		f = *state;
	}
}

static void forget_a_weight(struct sched *s)
{
	s->cell->sched.weight_urgency += 0.001;
}

static void test_a_value_that_is_changed_is_seen(void **state)
{
	struct fixture *f = *state;
	struct story s = { f, 12345, 0, NOW };
	char *before, *again;

	make_cell(f);
	for (unsigned k = 0; k < 10; k++)
		add_job(&s);
	run(f, s.now);
	before = shown(f->view, sched_orders(f->sched), 0);
	again = shown_again(f, 0, forget_a_weight);
	assert_string_not_equal(before, again);
	free(before);
	free(again);
}

static void test_a_detached_scheduler_disturbs_nobody(void **state)
{
	const struct detach_options options = { .segment_bytes = 64 << 20 };
	struct fixture *f = *state;
	struct sched *detached;
	struct fl_run before, after;

	make_cell(f);
	TELL(f, ADD "1,'owner':'ann'}");
	run(f, NOW);
	fl_run(f->view, &before);
	assert_int_equal(sched_detach(&detached, &f->view->view, &options, &f->error), 0);
	assert_int_equal(sched_run(detached, NOW + 100, 0, &f->error), 0);
	assert_int_equal(fl_end(f->reader), 0);
	f->view = fl_begin(f->reader);
	fl_run(f->view, &after);
	assert_int_equal(before.generation, after.generation);
	assert_int_equal(sched_orders(f->sched)->last, 1);
	sched_destroy(detached);
	run(f, NOW + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_detached_scheduler_computes_the_same_run),
		DISPATCH_TEST(test_a_value_that_is_changed_is_seen),
		DISPATCH_TEST(test_a_detached_scheduler_disturbs_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
