/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-metrics(8) serves metrics of a cell over HTTP, in the OpenMetrics format.
 *
 *     main.c                 options and exit codes; the only file that ends the process
 *     ├─ http.c            HTTP, signals, the loop
 *     └─ exporter.c          pages of the newest run, kept until there is another run
 *        ├─ starts.c         waiting times of tasks that start
 *        ├─ tally.c          counts of all jobs, in one pass
 *        ├─ inventory.c        hosts, queues, consumables
 *        ├─ write_*.c        families of a part of the run
 *        └─ exposition.c           the two text formats
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sched/metrics/http.h"
#include "sched/process/arguments.h"
#include "sched/process/log.h"
#include "sched/process/which_cell.h"

enum { EXIT_OK, EXIT_REFUSED, EXIT_USAGE, EXIT_NO_DATA, EXIT_NOT_PERMITTED, EXIT_FAILED };

#define LISTEN_BY_DEFAULT "127.0.0.1:9792"
#define USERS_BY_DEFAULT 100

static const char usage_text[] =
	"fairlead-metrics - serve metrics of a Fairlead scheduler over HTTP, for Prometheus\n"
	"\n"
	"usage: fairlead-metrics [-c CELL] [options]\n"
	"\n"
	"  -c, --cell DIR          read the published run of this cell; default: $FAIRLEAD_CELL, else\n"
	"                          /etc/fairlead/cell\n"
	"      --listen ADDRESS:PORT  listen at this address; default: 127.0.0.1:9792\n"
	"      --cluster NAME      add the label cluster=\"NAME\" to all metrics\n"
	"      --users N           show N users one by one and the others together, or \"all\"; default: 100\n"
	"      --buckets LIST      use these limits of histograms, in seconds, such as 60,3600,86400\n"
	"      --names LIST        add the names of other exporters: slurm, grid, or slurm,grid\n"
	"  -v, --verbose           log connections that fail\n"
	"      --version           print the version\n"
	"  -h, --help              print this help\n"
	"\n"
	"Exit status: 0 success, 2 usage, 4 not permitted, 5 any other error.\n";

struct metrics_options {
	struct exporter_options exporter;
	struct http_address address;
	bool details;
};

static const char *listen_take(void *field, const char *value)
{
	return http_address_parse(field, value) ? "ADDRESS:PORT is expected, such as 127.0.0.1:9792 or [::1]:9792"
						: NULL;
}

static const char *users_take(void *field, const char *value)
{
	static const char due[] = "a number from 0 to 1000000 or \"all\" is expected";
	int64_t *users = field;
	char *end;

	if (strcmp(value, "all") == 0) {
		*users = -1;
		return NULL;
	}
	*users = strtoll(value, &end, 10);
	return *value < '0' || *value > '9' || *end || *users > 1000000 ? due : NULL;
}

static const char *buckets_take(void *field, const char *value)
{
	return buckets_parse(field, value) ? "at most 32 ascending numbers of seconds are expected, separated by commas"
					   : NULL;
}

static const char *names_take(void *field, const char *value)
{
	unsigned *names = field;

	while (*value) {
		size_t bytes = strcspn(value, ",");

		if (bytes == 5 && strncmp(value, "slurm", bytes) == 0)
			*names |= NAMES_SLURM;
		else if (bytes == 4 && strncmp(value, "grid", bytes) == 0)
			*names |= NAMES_GRID;
		else
			return "slurm, grid, or both with a comma are expected";
		value += bytes + (value[bytes] == ',');
	}
	return NULL;
}

#define FIELD(NAME) .field = offsetof(struct metrics_options, NAME)

static const struct argument table[] = {
	{ "cell", ARGUMENT_TEXT, FIELD(exporter.cell), .letter = 'c' },
	{ "listen", ARGUMENT_OWN, FIELD(address), .take = listen_take },
	{ "cluster", ARGUMENT_TEXT, FIELD(exporter.cluster) },
	{ "users", ARGUMENT_OWN, FIELD(exporter.users), .take = users_take },
	{ "buckets", ARGUMENT_OWN, FIELD(exporter.limits), .take = buckets_take },
	{ "names", ARGUMENT_OWN, FIELD(exporter.names), .take = names_take },
	{ "verbose", ARGUMENT_FLAG, FIELD(details), .letter = 'v' },
};

static int options_check(void *options);

static const struct arguments arguments = { "fairlead-metrics", usage_text, table, sizeof(table) / sizeof(table[0]),
					    options_check };

static int options_check(void *options)
{
	struct metrics_options *metrics = options;

	metrics->exporter.cell = which_cell(metrics->exporter.cell);
	if (!metrics->exporter.cell)
		return arguments_wrong(&arguments, "--cell", NULL,
				       "no cell is named, and /etc/fairlead/cell does not exist");
	return 0;
}

static int exit_code(int rc)
{
	switch (-rc) {
	case 0:
		return EXIT_OK;
	case EACCES:
	case EPERM:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILED;
	}
}

int main(int argc, char **argv)
{
	struct metrics_options options = { .exporter = { .limits = buckets_usual, .users = USERS_BY_DEFAULT } };
	struct exporter exporter;
	struct error error = { "" };
	struct http *server;
	int rc;

	http_address_parse(&options.address, LISTEN_BY_DEFAULT);
	if (arguments_parse(&arguments, &options, argc, argv))
		return EXIT_USAGE;
	log_open("fairlead-metrics", options.details);
	exporter_open(&exporter, &options.exporter);
	rc = http_open(&server, &options.address, &exporter, &error);
	if (rc == 0)
		rc = http_serve(server, &error);
	if (rc)
		log_line(LOG_FAILURE, "%s", error.text);
	http_close(server);
	exporter_close(&exporter);
	return exit_code(rc);
}
