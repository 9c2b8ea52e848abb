/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that starts jobs, without its process: mirror_cell.h with complexes, hosts, queues
 * and parallel environments.
 */
#ifndef TESTS_DISPATCH_CELL_H
#define TESTS_DISPATCH_CELL_H

#include "sched/qmaster/json/order.h"
#include "sched/dispatch/schedule.h"
#include "sched/mirror/tables.h"
#include "sched/parts.h"
#include "tests/mirror/cell.h"

#define COMPLEXES										\
	"arch        a   STRING  == YES NO  NONE  0\n"						\
	"h_rt        rt  TIME    <= YES NO  0:0:0 0\n"						\
	"s_rt        st  TIME    <= YES NO  0:0:0 0\n"						\
	"np_load_avg nla DOUBLE  >= NO  NO  0     0\n"						\
	"load_avg    la  DOUBLE  >= NO  NO  0     0\n"						\
	"num_proc    p   INT     == YES NO  0     0\n"						\
	"slots       s   INT     <= YES YES 1     0\n"
#define LICENCE		"lic         lic INT     <= YES YES 0     0\n"
#define MEMORY		"mem         mem MEMORY  <= YES YES 0     0\n"

/* Events of the qmaster, as in the process */

/* Return the line as it is sent, without a NUL. The caller closes `out`. */
static inline const char *line_of(const struct order *order, struct out *out, size_t *length)
{
	const char *line;

	assert_int_equal(out_open_memory(out, ORDER_LINE_BYTES), 0);
	order_line(order, out);
	assert_int_equal(out_held(out, &line, length), 0);
	return line;
}

/* Acknowledge all orders, so that none is kept. */
static inline void take_orders(struct fixture *fixture)
{
	struct orders *orders = sched_orders(fixture->sched);

	if (orders->last > 0)
		TELL(fixture, "{'event':'orders_taken','up_to':%llu}", (unsigned long long)orders->last);
}

/* Configuration */

__attribute__((format(printf, 3, 4)))
static inline void put_text(const struct fixture *fixture, const char *name, const char *format, ...)
{
	char text[8000];
	va_list arguments;

	va_start(arguments, format);
	assert_true(vsnprintf(text, sizeof(text), format, arguments) < (int)sizeof(text));
	va_end(arguments);
	put(fixture, name, text);
}

static inline void put_host(const struct fixture *fixture, const char *name, const char *complex_values,
			    const char *load_values)
{
	char file[100];

	snprintf(file, sizeof(file), "hosts/%s", name);
	put_text(
		fixture, file,
		"hostname %s\nload_scaling NONE\ncomplex_values %s\nload_values %s\nuser_lists NONE\nxuser_lists NONE\n"
		"projects NONE\nxprojects NONE\nusage_scaling NONE\n",
		name, complex_values, load_values);
}

/* `more`: lines of attributes that are appended. */
static inline void put_queue(const struct fixture *fixture, const char *name, const char *hostlist, const char *slots,
			     const char *more)
{
	char file[100];

	snprintf(file, sizeof(file), "queue/%s", name);
	put_text(fixture, file, "qname %s\nhostlist %s\nseq_no 0\nslots %s\nqtype BATCH INTERACTIVE\npe_list mpi\n"
		 "h_rt INFINITY\ns_rt INFINITY\n%s", name, hostlist, slots, more);
}

static inline void put_pe(const struct fixture *fixture, const char *name, unsigned slots, const char *rule)
{
	char file[100];

	snprintf(file, sizeof(file), "pe/%s", name);
	put_text(
		fixture, file,
		"pe_name %s\nslots %u\nuser_lists NONE\nxuser_lists NONE\nallocation_rule %s\ncontrol_slaves TRUE\njob_is_first_task FALSE\n"
		"urgency_slots min\n",
		name, slots, rule);
}

static inline void report_instance(struct fixture *fixture, const char *name, unsigned slots)
{
	TELL(fixture, "{'event':'queue_instance','queue':'%s','slots':%u}", name, slots);
}

/* Set up a cell in which jobs may start, without hosts. */
static inline int starting_setup(void **state)
{
	char path[200];
	struct fixture *fixture;

	if (setup(state))
		return -1;
	fixture = *state;
	sched_dispatch(fixture->sched, true);
	sched_orders(fixture->sched)->limits = order_line_limits;
	fixture->intake.orders = sched_orders(fixture->sched);
	snprintf(path, sizeof(path), "%s/hosts", fixture->cell.directory);
	return mkdir(path, 0755);
}

/* Set up two hosts, a queue on both with four slots each, a PE, and five licences for all. */
static inline int dispatch_setup(void **state)
{
	struct fixture *fixture;

	if (starting_setup(state))
		return -1;
	fixture = *state;
	put(fixture, "complex", COMPLEXES LICENCE MEMORY);
	put_host(fixture, "ada", "mem=8G", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "mem=8G", "np_load_avg=0.2,num_proc=4");
	put_host(fixture, "global", "lic=5", "NONE");
	put_queue(fixture, "all.q", "ada bly", "4", "");
	put_pe(fixture, "mpi", 100, "$fill_up");
	reload(fixture);
	report_instance(fixture, "all.q@ada", 4);
	report_instance(fixture, "all.q@bly", 4);
	return 0;
}

#define DISPATCH_TEST(name) cmocka_unit_test_setup_teardown(name, dispatch_setup, teardown)

/* Decisions of a run */

/* Return the number of tasks of the job that have started or are ordered to start. */
static inline unsigned started(const struct fixture *fixture, uint32_t number)
{
	struct fl_job job;
	unsigned n = 0;

	for (size_t k = 0; fl_find(fixture->view, number, k, &job) == 0; k++)
		n += job.is_started;
	return n;
}

/* Return the begin of the job's reservation; 0: it has none. */
static inline int64_t reserved(const struct fixture *fixture, uint32_t number)
{
	struct fl_why why;

	for (size_t k = 0; fl_why(fixture->view, number, k, &why) == 0; k++)
		if (strcmp(why.kind, "reserved") == 0)
			return (int64_t)why.had;
	return 0;
}

static inline const char *why_all(const struct fixture *fixture, uint32_t number)
{
	static char text[8000];
	struct fl_why why;
	size_t used = 0;

	text[0] = '\0';
	for (size_t k = 0; fl_why(fixture->view, number, k, &why) == 0 && used < sizeof(text) - 600; k++) {
		fl_why_text(&why, text + used, 500);
		strcat(text, "; ");
		used = strlen(text);
	}
	return text;
}

/* Check that the job waits and that one of its reasons contains the text. */
#define WAITS(f, number, text) do {									\
	if (started(f, number) > 0)									\
		fail_msg("job %u has started", (unsigned)(number));					\
	if (!strstr(why_all(f, number), text))								\
		fail_msg("\"%s\" is not in: %s", text, why_all(f, number));				\
} while (0)

#endif
