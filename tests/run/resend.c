/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in a published state can be replayed without a crash. SEED=n sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "sched/detach.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/run/resend.h"
#include "tests/dispatch/cell.h"

enum { TRIES = 1500 };

static size_t events, bytes;		/* totals of replayed events, so that no read is optimised away */

static void touch_usage(const struct usage_values *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		bytes += strlen(usage->items[i].name);
}

static void touch_ad(const struct ad_attributes *ad)
{
	for (size_t i = 0; i < ad->n; i++)
		bytes += strlen(ad->items[i].name) + strlen(ad->items[i].expression);
}

static int touch(void *context, const struct event *event)
{
	(void)context;
	events++;
	if (event->type == EVENT_JOB_ADD)
		bytes += strlen(event->job.owner) + strlen(event->job.name) + event->job.tasks.n + event->job.nhold_jid;
	if (event->type == EVENT_JOB_ADD)
		touch_ad(&event->job.condor.ad);
	if (event->type == EVENT_SLOT)
		touch_ad(&event->slot.ad);
	if (event->type == EVENT_CLAIM)
		bytes += strlen(event->claim.slot) + strlen(event->claim.submitter);
	if (event->type == EVENT_USER_USAGE)
		touch_usage(&event->object.usage);
	if (event->type == EVENT_USAGE)
		touch_usage(&event->task.usage);
	for (size_t i = 0; event->type == EVENT_TASK_START && i < event->task.granted.n; i++)
		bytes += strlen(event->task.granted.items[i].queue);
	if (event->type == EVENT_ADVANCE_RESERVATION)
		bytes += strlen(event->advance.owner ? event->advance.owner : "");
	for (size_t i = 0; event->type == EVENT_ADVANCE_RESERVATION && i < event->advance.granted.n; i++)
		bytes += strlen(event->advance.granted.items[i].queue);
	for (size_t i = 0; event->type == EVENT_HOST_LOAD && i < event->host.load.n; i++)
		bytes += strlen(event->host.load.items[i].name) + strlen(event->host.load.items[i].value);
	return events % 100000 == 0 ? -ECANCELED : 0;
}

static void report_all(int fd)
{
	const struct resend_calls calls = { .context = NULL, .event = touch };
	struct cell_files files;
	struct attachment attachment;
	struct view view;

	if (attach_descriptor(&attachment, fd, RECORDS_VERSION) != 0)
		return;
	attach_begin(&attachment, &view);
	bytes += (size_t)-resend_events(&view, &calls);
	if (resend_files(&view, &files) == 0)
		cell_files_free(&files);
	attach_end(&attachment, &view);
	attach_close(&attachment);
}

/* Make a run that uses all features. */
static void make_run(struct fixture *fixture)
{
	put_project(fixture, "red");
	put_user(fixture, "ann");
	put_tree(fixture);
	reload(fixture);
	TELL(fixture,
	     "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':5,'mem':1},'project':[{'project':'red','usage':{'io':3}}]}",
	     NOW - 50);
	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':0.5,'num_proc':4}}");
	for (unsigned k = 1; k <= 40; k++)
		TELL(fixture,
		     ADD
		     "%u,'owner':'%s','project':'red','tasks':'1-9:2','hold':{'u':'3'},'hold_jid':[%u,99],'pe':'mpi','pe_range':'1-2',"
		     "'hard_resource_list':'lic=1'}",
		     k, k % 2 ? "ann" : "bob", k + 40);
	for (unsigned k = 41; k <= 60; k++)
		TELL(fixture,
		     ADD
		     "%u,'owner':'ann','accounting_group':'hep','kill_sig':'SIGUSR1','job_prio':%u,'ad':{'A':%u,'B':'b'}}",
		     k, k, k % 7);
	for (unsigned k = 1; k <= 9; k++) {
		TELL(fixture, "{'event':'slot','slot':'slot%u@ada','ad':{'SlotID':%u,'Memory':5}}", k, k);
		TELL(fixture, "{'event':'claim','slot':'slot%u@ada','submitter':'zoe@lab','concurrency_limits':'db'}",
		     k);
	}
	TELL(fixture,
	     "{'event':'task_start','job_number':50,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     NOW - 100);
	TELL(fixture, USAGE "50,'scaled_usage':{'cpu':17,'ru_wallclock':3}}");
	TELL(fixture, STATE "50,'state':'s'}");
	for (unsigned k = 1; k <= 20; k++)
		TELL(fixture,
		     "{'event':'advance_reservation','number':%u,'owner':'ann','name':'a','start_time':%d,'end_time':%d,'state':'r',"
		     "'granted':[{'queue':'all.q@ada','slots':1},{'queue':'all.q@bly','slots':1}]}",
		     k, NOW - 9, NOW + 9);
	run(fixture, NOW);
	run(fixture, NOW + 10);
}

static void test_a_state_of_any_bytes_is_survived(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 4711;
	struct fixture *fixture = *state;
	const struct generation *g;
	uint64_t table, n, size;
	uint8_t *whole;
	int fd;

	make_run(fixture);
	g = fixture->view->view.directory;
	table = g->tables[TABLE_STATE].offset;
	n = g->tables[TABLE_STATE].count;
	size = fixture->sched->segment.grown;
	assert_true(n > 4000);
	whole = mmap(NULL, size, PROT_READ, MAP_SHARED, fixture->sched->segment.fd, 0);
	assert_true(whole != MAP_FAILED);
	fd = memfd_create("copy", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pwrite(fd, whole, size, 0), size);
	report_all(fd);
	assert_true(events > 60);
	for (unsigned k = 0; k < TRIES; k++) {
		for (unsigned words = 1 + (unsigned)rand_r(&seed) % 6; words > 0; words--) {
			static const uint32_t values[] = { 0, 1, 7, 64, 4096, 1u << 20, 1u << 31, UINT32_MAX };
			uint32_t value =
				rand_r(&seed) % 2 ? values[(unsigned)rand_r(&seed) % 8] : (uint32_t)rand_r(&seed);
			uint64_t inside = rand_r(&seed) % 2 ? (unsigned)rand_r(&seed) % sizeof(struct state_head)
							    : (unsigned)rand_r(&seed) % n;
			uint64_t directory = (uint64_t)((const uint8_t *)g - fixture->view->view.base) +
					     offsetof(struct generation, tables);
			uint64_t at = rand_r(&seed) % 8 ? table + inside
							: directory + (unsigned)rand_r(&seed) %
									      (MAX_TABLES * sizeof(struct table));

			assert_int_equal(pwrite(fd, &value, sizeof(value), (off_t)(at & ~(uint64_t)3)), sizeof(value));
		}
		alarm(30);
		report_all(fd);
		alarm(0);
		if (k % 4 == 3) {
			assert_int_equal(pwrite(fd, whole + table, n, (off_t)table), n);
			assert_int_equal(pwrite(fd, whole, HOMES_OFFSET, 0), HOMES_OFFSET);
		}
	}
	munmap(whole, size);
	close(fd);
}

static int find_limit(void *context, const struct event *event)
{
	if (event->type == EVENT_TASK_START)
		*(uint32_t *)context = event->task.wallclock_limit;
	return 0;
}

static void test_the_run_time_limit_of_a_task_is_replayed(void **state)
{
	struct fixture *fixture = *state;
	uint32_t limit = 0;
	struct resend_calls calls = { .context = &limit, .event = find_limit };

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':%d,'granted':[{'queue':'all.q@ada','slots':1}],'wallclock_limit':77}",
	     NOW - 100);
	run(fixture, NOW);
	assert_int_equal(resend_events(&fixture->view->view, &calls), 0);
	assert_int_equal(limit, 77);
}

static int count_dependencies(void *context, const struct event *event)
{
	*(size_t *)context += event->type == EVENT_JOB_ADD ? event->job.nhold_jid : 0;
	return 0;
}

static void test_records_shared_by_many_jobs_are_replayed_once(void **state)
{
	struct fixture *fixture = *state;
	const struct view *view;
	const struct state_head *head;
	const uint8_t *extras;
	size_t reported = 0;
	struct resend_calls calls = { .context = &reported, .event = count_dependencies };
	uint64_t n, nextras, at;

	make_run(fixture);
	view = &fixture->view->view;
	head = view_state(view);
	extras = view_state_part(view, STATE_EXTRAS, sizeof(struct extra_state), &nextras);
	view_state_part(view, STATE_NUMBERS, sizeof(uint32_t), &n);
	assert_non_null(head);
	assert_in_range(n, 2, 1000);
	assert_in_range(nextras, 20, 1000);
	assert_int_equal(resend_events(view, &calls), 0);
	assert_int_equal(reported, n);
	at = (uint64_t)(extras - view->base) + offsetof(struct extra_state, hold_jid);
	for (uint64_t i = 0; i < nextras; i++, at += sizeof(struct extra_state))
		assert_int_equal(pwrite(fixture->sched->segment.fd, &(struct state_slice){ 0, (uint32_t)n },
					sizeof(struct state_slice), (off_t)at),
				 sizeof(struct state_slice));
	reported = 0;
	resend_events(view, &calls);
	assert_in_range(reported, 1, n);
}

static void test_a_generation_without_a_state_is_no_data(void **state)
{
	const struct detach_options options = { .segment_bytes = 64 << 20 };
	const struct resend_calls calls = { .context = NULL, .event = touch };
	struct fixture *fixture = *state;
	struct cell_files files;
	struct generation copy;
	struct sched *sched;
	struct view view;

	make_run(fixture);
	view = fixture->view->view;
	copy = *view.directory;
	copy.tables[TABLE_STATE].count = 0;
	view.directory = &copy;
	assert_int_equal(resend_events(&view, &calls), -ENODATA);
	assert_int_equal(resend_files(&view, &files), -ENODATA);
	assert_int_equal(sched_detach(&sched, &view, &options, &fixture->error), -ENODATA);
	assert_null(sched);
}

static void test_a_cell_with_faults_is_refused(void **state)
{
	struct cell_file file = { .name = (char *)(uintptr_t) "sched_conf",
				  .text = (char *)(uintptr_t) "weight_ticket none at all\n" };
	const struct cell_files files = { &file, 1 };
	const struct detach_options options = { .segment_bytes = 64 << 20, .files = &files };
	struct fixture *fixture = *state;
	struct sched *sched;

	make_run(fixture);
	assert_int_equal(sched_detach(&sched, &fixture->view->view, &options, &fixture->error), -EINVAL);
	if (!strstr(fixture->error.text, "sched_conf:0: required attribute"))
		fail_msg("%s", fixture->error.text);
	assert_null(sched);
}

static int files_with_modes(struct fixture *fixture, mode_t file, mode_t segment)
{
	struct cell_files files;
	char path[200];
	int rc;

	snprintf(path, sizeof(path), "%s/sched_conf", fixture->cell.directory);
	assert_int_equal(chmod(path, file), 0);
	assert_int_equal(fchmod(fixture->sched->segment.fd, segment), 0);
	reload(fixture);
	run(fixture, NOW);
	rc = resend_files(&fixture->view->view, &files);
	if (rc == 0)
		cell_files_free(&files);
	return rc;
}

static void test_files_are_published_for_readers_with_the_permission(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(files_with_modes(fixture, 0644, 0644), 0);
	assert_int_equal(files_with_modes(fixture, 0600, 0644), -EACCES);
	assert_int_equal(files_with_modes(fixture, 0640, 0644), -EACCES);
	assert_int_equal(files_with_modes(fixture, 0640, 0640), 0);
	assert_int_equal(files_with_modes(fixture, 0600, 0640), -EACCES);
	assert_int_equal(files_with_modes(fixture, 0600, 0600), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_state_of_any_bytes_is_survived),
		DISPATCH_TEST(test_the_run_time_limit_of_a_task_is_replayed),
		DISPATCH_TEST(test_records_shared_by_many_jobs_are_replayed_once),
		DISPATCH_TEST(test_a_generation_without_a_state_is_no_data),
		DISPATCH_TEST(test_a_cell_with_faults_is_refused),
		DISPATCH_TEST(test_files_are_published_for_readers_with_the_permission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
