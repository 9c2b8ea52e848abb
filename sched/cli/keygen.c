/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/keygen.h"

#include <errno.h>

#include "sched/cli/cli.h"
#include "sched/wire/keys.h"

const struct option keygen_options[] = {
	{ "--host", "NAME", "keys of this execution host; without it those of the scheduler" },
	{ NULL, NULL, NULL },
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
	struct options o = { .table = keygen_options, .argc = argc, .argv = argv, .next = 1 };
	const char *host = NULL, *dir;
	struct error error = { "" };
	int rc;

	(void)cell;
	for (int k; (k = options_next(&o)) != OPTIONS_END;) {
		if (k == OPTIONS_BAD)
			return EXIT_USAGE;
		host = o.value;
	}
	if (o.next != argc - 1 || !*argv[o.next])
		return cli_fail(EXIT_USAGE, "keygen: the directory of the keys is due: fairlead keygen [--host NAME] DIR");
	dir = argv[o.next];
	rc = keys_make(dir, host, &error);
	if (rc)
		return cli_fail(exit_code(rc), "keygen: %s", error.text);
	printf("%s/%s%s.key\n%s/%s%s.pub\n", dir, host ? "hosts/" : "", host ? host : "scheduler", dir, host ? "hosts/" : "",
	       host ? host : "scheduler");
	return EXIT_OK;
}
