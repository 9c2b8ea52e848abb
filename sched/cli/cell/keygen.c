/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "sched/cli/verbs.h"
#include "sched/wire/keys.h"

const struct argument keygen_options[] = {
	{ "--host", ARGUMENT_TEXT, .value = "NAME",
	  .sentence = "create the keys of this execution host (default: those of the scheduler)" },
	{ .name = NULL },
};

static int exit_code(int rc)
{
	switch (-rc) {
	case EINVAL:
		return EXIT_USAGE;
	case EACCES: case EPERM: case EROFS:
		return EXIT_PERMISSION;
	case EEXIST:
		return EXIT_DIFFERENCE;
	default:
		return EXIT_NO_DATA;
	}
}

int keygen_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = keygen_options, .argc = argc, .argv = argv, .next = 1 };
	const char *host = NULL, *dir;
	struct error error = { "" };
	int rc = options_take(&words, &host);

	(void)cell;
	if (rc)
		return rc;
	if (words.next != argc - 1 || !*argv[words.next])
		return cli_fail(EXIT_USAGE,
				"keygen: the directory of the keys is expected: fairlead keygen [--host NAME] DIR");
	dir = argv[words.next];
	rc = keys_make(dir, host, &error);
	if (rc)
		return cli_fail(exit_code(rc), "keygen: %s", error.text);
	printf("%s/%s%s.key\n%s/%s%s.pub\n", dir, host ? "hosts/" : "", host ? host : "scheduler", dir,
	       host ? "hosts/" : "", host ? host : "scheduler");
	return EXIT_OK;
}
