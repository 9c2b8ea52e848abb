/* SPDX-License-Identifier: Apache-2.0 */
/* What ended schedulers have left in shared memory, taken away. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/utf8.h"
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
	{ "--dry-run", ARGUMENT_FLAG, .field = offsetof(struct clean, dry), .sentence = "print what would be removed, and remove nothing" },
	{ .name = NULL },
};

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void failed_tell(struct clean *c, const struct clean_place *place)
{
	errno = -place->error;
	c->code = cli_fail(place->error == -EACCES || place->error == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "clean: %s: %m", place->name);
}

static void ended_tell(struct clean *c, const struct clean_place *place)
{
	char name[256];

	snprintf(name, sizeof(name), "%s", place->name);
	utf8_clean(name);
	printf("%s %8.1f MiB  %s", c->dry ? "would free" : "freed", mib(place->bytes), name);
	if (place->pid)
		printf(", process %" PRIu32, place->pid);
	putchar('\n');
	c->ended++;
	c->bytes += place->bytes;
}

static void place_tell(void *context, const struct clean_place *place)
{
	struct clean *c = context;

	switch (place->state) {
	case CLEAN_LIVES:
		c->living++;
		break;
	case CLEAN_OTHERS:
		c->others++;
		break;
	case CLEAN_STRANGE:
		cli_fail(EXIT_OK, "clean: %s has something in it that no scheduler makes: it is left alone", place->name);
		break;
	case CLEAN_ENDED:
		ended_tell(c, place);
		break;
	case CLEAN_FAILED:
		failed_tell(c, place);
	}
}

static void total_tell(const struct clean *c)
{
	printf("%s: %s %.1f MiB of %u ended scheduler%s", segment_shm(), c->dry ? "would free" : "freed", mib(c->bytes), c->ended, plural(c->ended));
	if (c->living)
		printf("; %u run%s", c->living, c->living == 1 ? "s" : "");
	if (c->others)
		printf("; %u belong%s to other users", c->others, c->others == 1 ? "s" : "");
	putchar('\n');
}

/* Of one cell, or of all there are: that of -c is not meant, which often is the environment's. */
static int clean_do(struct clean *c, const char *cell)
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
	rc = clean_cells(segment_shm(), only, c->dry, place_tell, c);
	errno = -rc;
	if (rc)
		return cli_fail(rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "clean: %s: %m", segment_shm());
	total_tell(c);
	return c->code;
}

int clean_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = clean_options, .argc = argc, .argv = argv, .next = 1 };
	struct clean c = { .dry = false };
	const char *only = NULL;
	int code = options_take(&words, &c);

	(void)cell;
	if (code)
		return code;
	if (words.next < argc)
		only = argv[words.next++];
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "clean: unexpected word %s: fairlead clean [--dry-run] [CELL]", argv[words.next]);
	return clean_do(&c, only);
}
