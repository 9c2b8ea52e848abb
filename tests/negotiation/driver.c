/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver [CYCLES]: plays cases of kind allocation from stdin, one JSON object after the other,
 * through sched/negotiation. It prints a line of JSON with the results of each case's cycles
 * (play_all()): as many as it has in `cycles`, otherwise CYCLES, otherwise two.
 */
#include <errno.h>

#include "tests/negotiation/play.h"

static int play_one(json_t *of, size_t cycles)
{
	json_t *own = json_object_get(of, "cycles"), *reported;

	reported = play_all(of, own ? (size_t)json_integer_value(own) : cycles, NULL);
	if (!reported)
		return -EINVAL;
	json_dumpf(reported, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
	printf("\n");
	json_decref(reported);
	return 0;
}

int main(int argc, char **argv)
{
	size_t cycles = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
	json_error_t error;
	json_t *of;
	int failed = 0;

	while ((of = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &error))) {
		failed |= play_one(of, cycles) < 0;
		json_decref(of);
	}
	if (!feof(stdin)) {
		fprintf(stderr, "driver: line %d: %s\n", error.line, error.text);
		return 2;
	}
	return failed;
}
