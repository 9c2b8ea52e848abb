/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead clean: remove what ended schedulers have left in shared memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"
#include "shm/clean.h"
#include "shm/place.h"

struct clean {
	bool dry;
	unsigned ended, living, others;
	uint64_t bytes;
	int code;
};

const struct argument clean_options[] = {
	{ "--dry-run", ARGUMENT_FLAG, .field = offsetof(struct clean, dry),
	  .sentence = "print what would be removed, and remove nothing" },
	{ .name = NULL },
};

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void failed_report(struct clean *clean, const struct clean_place *place)
{
	errno = -place->error;
	clean->code = cli_fail(place->error == -EACCES || place->error == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA,
			       "clean: %s: %m", place->name);
}

static void ended_report(struct clean *clean, const struct clean_place *place)
{
	char name[256];

	snprintf(name, sizeof(name), "%s", place->name);
	utf8_clean(name);
	printf("%s %8.1f MiB  %s", clean->dry ? "would free" : "freed", mib(place->bytes), name);
	if (place->pid)
		printf(", process %" PRIu32, place->pid);
	putchar('\n');
	clean->ended++;
	clean->bytes += place->bytes;
}

static void place_report(void *context, const struct clean_place *place)
{
	struct clean *clean = context;

	switch (place->state) {
	case CLEAN_LIVES:
		clean->living++;
		break;
	case CLEAN_OTHERS:
		clean->others++;
		break;
	case CLEAN_STRANGE:
		cli_fail(EXIT_OK, "clean: %s has files that no scheduler makes: it is not removed",
			 place->name);
		break;
	case CLEAN_ENDED:
		ended_report(clean, place);
		break;
	case CLEAN_FAILED:
		failed_report(clean, place);
	}
}

static void total_report(const struct clean *clean)
{
	printf("%s: %s %.1f MiB of %u ended scheduler%s", segment_shm(), clean->dry ? "would free" : "freed",
	       mib(clean->bytes), clean->ended, plural(clean->ended));
	if (clean->living)
		printf("; %u run%s", clean->living, clean->living == 1 ? "s" : "");
	if (clean->others)
		printf("; %u belong%s to other users", clean->others, clean->others == 1 ? "s" : "");
	putchar('\n');
}

/*
 * Clean one cell, or all cells. The cell of -c is ignored, as it often comes from the environment.
 */
static int clean_do(struct clean *clean, const char *cell)
{
	struct segment_paths paths;
	const char *only = NULL;
	int rc;

	if (cell) {
		rc = segment_paths(&paths, cell);
		if (rc)
			return cli_attach_failed(cell, rc);
		only = strrchr(paths.directory, '/') + 1;
	}
	rc = clean_cells(segment_shm(), only, clean->dry, place_report, clean);
	errno = -rc;
	if (rc)
		return cli_fail(rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "clean: %s: %m", segment_shm());
	total_report(clean);
	return clean->code;
}

int clean_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = clean_options, .argc = argc, .argv = argv, .next = 1 };
	struct clean clean = { .dry = false };
	const char *only = NULL;
	int code = options_take(&words, &clean);

	(void)cell;
	if (code)
		return code;
	if (words.next < argc)
		only = argv[words.next++];
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "clean: unexpected word %s: fairlead clean [--dry-run] [CELL]",
				argv[words.next]);
	return clean_do(&clean, only);
}
