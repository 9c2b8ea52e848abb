/* SPDX-License-Identifier: Apache-2.0 */
/* Nice levels set by a real execution daemon, tests/reference/nice. Ours must be the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/host/ptf.h"

#define SAMPLES 64
#define JOBS 8
/*
 * Samples, 3 s apart, until new tickets have reached the levels: the run, the message, the daemon.
 */
#define BEHIND 5

struct job {
	uint32_t number, processes;
	double tickets, cpu_s;
	int recorded, ours;
};

struct sample {
	struct job job[JOBS];
	size_t n;
};

static struct job *job_of(struct sample *sample, uint32_t number)
{
	for (size_t k = 0; k < sample->n; k++)
		if (sample->job[k].number == number)
			return &sample->job[k];
	assert_true(sample->n < JOBS);
	sample->job[sample->n] = (struct job){ .number = number };
	return &sample->job[sample->n++];
}

static void process_take(struct sample *sample, const json_t *process, const json_t *jobs)
{
	char number[16];
	struct job *job = job_of(sample, (uint32_t)json_integer_value(json_object_get(process, "job")));
	const json_t *reported;

	snprintf(number, sizeof(number), "%u", job->number);
	reported = json_object_get(jobs, number);
	job->tickets = json_number_value(json_object_get(reported, "tickets"));
	job->cpu_s = json_number_value(json_object_get(reported, "scaled_cpu"));
	job->processes++;
	assert_true(job->processes == 1 || job->recorded == json_integer_value(json_object_get(process, "nice")));
	job->recorded = (int)json_integer_value(json_object_get(process, "nice"));
}

static size_t samples_read(const char *name, struct sample *samples)
{
	char path[128], *line = NULL;
	size_t n = 0, room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "tests/reference/nice/%s.jsonl", name);
	file = fopen(path, "r");
	assert_non_null(file);
	for (; getline(&line, &room, file) > 0; n++) {
		json_t *object = json_loads(line, 0, NULL), *process;
		size_t k;

		assert_non_null(object);
		assert_true(n < SAMPLES);
		samples[n].n = 0;
		json_array_foreach(json_object_get(object, "procs"), k, process)
			process_take(&samples[n], process, json_object_get(object, "jobs"));
		json_decref(object);
	}
	free(line);
	fclose(file);
	return n;
}

/* Translate a sample as if its tickets had come in a message after its usage was collected. */
static void sample_translate(struct sample *sample, int min, int max)
{
	struct ptf ptf;

	ptf_init(&ptf, min, max);
	for (size_t k = 0; k < sample->n; k++)
		assert_int_equal(ptf_hold(&ptf, sample->job[k].number), 0);
	for (size_t k = 0; k < sample->n; k++)
		ptf_collect(&ptf, sample->job[k].number, sample->job[k].cpu_s, sample->job[k].processes);
	ptf_collected(&ptf);
	for (size_t k = 0; k < sample->n; k++)
		ptf_tickets(&ptf, sample->job[k].number, sample->job[k].tickets);
	assert_true(ptf_adjust(&ptf, 0));
	for (size_t k = 0; k < sample->n; k++) {
		int nice = ptf_nice(&ptf, sample->job[k].number);

		sample->job[k].ours = nice == 20 ? 19 : nice;
	}
	ptf_free(&ptf);
}

/* Compare the levels recorded now with ours from the earlier tickets. */
static bool is_as_recorded(const struct sample *now, const struct sample *then)
{
	bool same = now->n == then->n;

	for (size_t k = 0; same && k < now->n; k++) {
		size_t i = 0;

		while (i < then->n && then->job[i].number != now->job[k].number)
			i++;
		same = i < then->n && then->job[i].ours == now->job[k].recorded;
	}
	return same;
}

static bool is_untouched(const struct sample *sample)
{
	bool untouched = true;

	for (size_t k = 0; k < sample->n; k++)
		untouched &= sample->job[k].recorded == 0;
	return untouched;
}

/*
 * Levels follow the tickets by a few samples and stop changing when the tickets do. Return how many
 * samples match their tickets.
 */
static size_t check(const char *name, int min, int max)
{
	static struct sample samples[SAMPLES];
	size_t n = samples_read(name, samples), equal = 0;

	assert_true(n >= 10);
	for (size_t i = 0; i < n; i++) {
		bool good = i < BEHIND && is_untouched(&samples[i]);

		sample_translate(&samples[i], min, max);
		for (size_t k = 0; !good && k < BEHIND && k <= i; k++)
			good = is_as_recorded(&samples[i], &samples[i - k]);
		if (!good)
			fail_msg("%s, sample %zu: these levels are not ours", name, i);
		equal += samples[i].n && is_as_recorded(&samples[i], &samples[i]);
	}
	return equal;
}

static void test_levels_of_five_users_are_the_recorded_ones(void **state)
{
	(void)state;
	assert_true(check("A-five-users", PTF_UNSET, PTF_UNSET) >= 28);
}

static void test_equal_tickets_make_equal_levels(void **state)
{
	(void)state;
	assert_true(check("B-equal-tickets", PTF_UNSET, PTF_UNSET) >= 12);
}

static void test_a_range_of_levels_is_the_recorded_one(void **state)
{
	(void)state;
	assert_true(check("C-range-10--5", 10, -5) >= 13);
}

static void test_no_tickets_are_equal_tickets(void **state)
{
	(void)state;
	assert_true(check("D-no-tickets", PTF_UNSET, PTF_UNSET) >= 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_of_five_users_are_the_recorded_ones),
		cmocka_unit_test(test_equal_tickets_make_equal_levels),
		cmocka_unit_test(test_a_range_of_levels_is_the_recorded_one),
		cmocka_unit_test(test_no_tickets_are_equal_tickets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
