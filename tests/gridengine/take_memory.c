/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at an allocation of a delivery, the delivery ends with -ENOMEM. A new
 * registration then leads to the same state as with enough memory, and no memory leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gridengine/reported.h"
#include "tests/mirror/census.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

#define DELIVERIES_MOST 200
#define EACH 150u		/* this many allocations fail each; of the later ones, one in STEP */
#define STEP 17u

/* Deliveries of a total update, and of the conversation after it */
static struct { unsigned char *bytes; size_t n; } deliveries[DELIVERIES_MOST];
static size_t ndeliveries;

static void delivery_keep(const struct vector_message *message)
{
	if (message->tag != TAG_REPORT || message->direction != '<')
		return;
	assert_true(ndeliveries < DELIVERIES_MOST);
	deliveries[ndeliveries].n = message->n;
	deliveries[ndeliveries].bytes = malloc(message->n);
	assert_non_null(deliveries[ndeliveries].bytes);
	memcpy(deliveries[ndeliveries++].bytes, message->data, message->n);
}

static void deliveries_drop(void)
{
	while (ndeliveries > 0)
		free(deliveries[--ndeliveries].bytes);
}

/* Register, and take all deliveries until one fails. Events of later connections begin with any number. */
static int take_all(struct reported_fixture *fixture, size_t first)
{
	fixture->rc = 0;
	take_registered(&fixture->g);
	for (size_t i = 0; i < ndeliveries && fixture->rc == 0; i++) {
		if (i == 0 || i == first)
			fixture->g.take->next = 0;
		reported_deliver(fixture, deliveries[i].bytes, deliveries[i].n);
	}
	return fixture->rc;
}

static void assert_same(const char *name, long n, const struct census *before, const struct census *after)
{
	char what[100];

	snprintf(what, sizeof(what), "%s, allocation %ld", name, n);
	census_check(what, before, after);
}

static void play_with_failures(struct reported_fixture *fixture, const char *name)
{
	struct census whole, again;
	size_t first;
	long n = 0, living;
	int rc;

	vectors_all("c1-", delivery_keep);
	while (ndeliveries > 1)		/* only its total update */
		free(deliveries[--ndeliveries].bytes);
	first = ndeliveries;
	vectors_all(name, delivery_keep);
	assert_int_equal(take_all(fixture, first), 0);
	assert_int_equal(take_all(fixture, first), 0);
	whole = census_take(sched_mirror(fixture->f.sched));
	living = alive;
	do {
		left = n;
		rc = take_all(fixture, first);
		left = -1;
		if (rc && rc != -ENOMEM)
			fail_msg("%s, allocation %ld: %s", name, n, fixture->error.text);
		if (rc && !strstr(fixture->error.text, "out of memory"))
			fail_msg("%s, allocation %ld: the error is \"%s\"", name, n, fixture->error.text);
		if (rc && take_all(fixture, first))
			fail_msg("%s after allocation %ld: %s", name, n, fixture->error.text);
		again = census_take(sched_mirror(fixture->f.sched));
		assert_same(name, n, &whole, &again);
		if (alive > living)
			fail_msg("%s, allocation %ld: %ld blocks of memory are left", name, n, alive - living);
		n += n < (long)EACH ? 1 : STEP;
	} while (rc);
	assert_true(n > 100);
	assert_int_equal(fixture->g.refused, 0);
	deliveries_drop();
}

static void test_a_delivery_without_memory_is_repeated_by_a_new_registration(void **state)
{
	static const char *const names[] = { "s11-", "s9-", "s10-", "s8-", "s7-", "s3-", "s2-", "k1-", "u1-" };
	struct reported_fixture *fixture = *state;

	alone_is_silent = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		play_with_failures(fixture, names[i]);
	alone_is_silent = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORTED_TEST(test_a_delivery_without_memory_is_repeated_by_a_new_registration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
