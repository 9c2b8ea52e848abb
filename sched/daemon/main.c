/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-schedd(8), the scheduler of a cell: it reads events, and after each interval publishes a
 * run and sends orders.
 *
 *     main.c                     process and exit codes
 *     ├─ options.c               command line; hosts_options.c: its options for hosts
 *     └─ loop.c                  main loop; signals, reload
 *        ├─ qmasters.c           source of events and receiver of orders, one of
 *        │  ├─ ../qmaster/json/     another process, with lines of JSON
 *        │  ├─ ../qmaster/local/    this machine: jobs started by this process
 *        │  └─ ../qmaster/gridengine/  a real Grid Engine
 *        ├─ ../qmaster/intake.c  distribution of events: mirror, orders, configuration
 *        ├─ ../qmaster/due.c     times of runs
 *        ├─ hosts.c              execution hosts with a fairlead-hostd(8)
 *        │  ├─ bounds.c          limits of reported usage
 *        │  └─ ../wire/hub.h     connections
 *        ├─ schedule_file.c      bookings of runs, for MONITOR=1
 *        ├─ ../qmaster/journal/  inputs of runs, recorded to compute them again
 *        ├─ keeper.c             usage on the disk before it is acknowledged
 *        │  └─ ../store/         SQLite
 *        ├─ ../process/          arguments, clock, service manager, log
 *        └─ ../sched.h           the scheduler itself; it does not depend on any of these
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/process/which_cell.h"
#include "sched/daemon/loop.h"
#include "sched/daemon/options.h"
#include "sched/daemon/qmasters.h"
#include "sched/store/store.h"
#include "shm/topology.h"

/* Process */

static int exit_code(int rc)
{
	switch (-rc) {
	case 0:
		return EXIT_OK;
	case ENOENT:
	case ENOTDIR:
	case EINVAL:
	case EBADF:
	case ENAMETOOLONG:
	case EISDIR:
	case EUCLEAN:
	case EPROTO:
	case ENOTSUP:
		return EXIT_NO_CELL;
	case EACCES: case EPERM: case EROFS: case EBUSY: case EADDRINUSE:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILED;
	}
}

/* Log an error and return the exit code. Some texts name their object already. */
static int fail(int rc, const char *what, const struct error *error)
{
	bool says = strstr(error->text, what) != NULL;

	log_line(LOG_FAILURE, "%s%s%s", says ? "" : what, says ? "" : ": ",
		 error->text[0] ? error->text : strerror(-rc));
	return exit_code(rc);
}

static int cell_fail(int rc, const char *cell, const struct error *error)
{
	const char *how = which_cell_says();

	if (*how)
		log_line(LOG_NOTE, "%s%s", cell, how);
	return fail(rc, cell, error);
}

/*
 * End without an answer to waiting clients, because neither success nor failure is certain. The
 * next scheduler reads the state from the store.
 */
static void end_unsure(const char *store)
{
	log_line(
		LOG_FAILURE,
		"%s: the last commit was neither written to the disk nor rolled back. Ending, so that the next "
		"scheduler reads the state from the disk",
		store);
	_exit(EXIT_FAILED);
}

static int serve(struct sched *sched, const struct schedd_options *options)
{
	const struct qmaster_kind *kind = qmasters_find(options->events);
	struct error error = { "" };
	struct loop loop;
	int rc = loop_open(&loop, sched, options->events, kind->options ? kind->options(options) : NULL, &error);

	if (rc) {
		rc = fail(rc, kind->option ? options->cell : options->events, &error);
	} else if (options->store && (rc = loop_keep(&loop, options->store, &options->usage, &error)) != 0) {
		rc = fail(rc, options->store, &error);
	} else if ((rc = hosts_open(&loop.hosts, &options->hosts, sched, &loop.intake, &error))) {
		rc = fail(rc, "--hosts", &error);
	} else if ((rc = journal_open(&loop.journal, &options->journal, sched, &loop.intake, &error))) {
		rc = fail(rc, options->journal.path, &error);
	} else {
		loop.schedule.path = options->schedule;
		rc = options->once
			     ? loop_once(&loop, options->now == NOW_BY_CLOCK ? clock_date() : options->now, &error)
			     : loop_serve(&loop, &error);
		rc = rc					    ? fail(rc, options->cell, &error)
		     : options->once && loop_refused(&loop) ? EXIT_REFUSED
							    : EXIT_OK;
	}
	loop_close(&loop);
	return rc;
}

/* Read the NUMA topology. If that fails, memory access is slower, but the scheduler runs. */
static void topology_find(struct topology *topology)
{
	int rc = topology_read(topology);

	if (rc)
		log_line(LOG_ODD, "cannot read the NUMA nodes of this machine: %s; one node is assumed",
			 strerror(-rc));
}

static void placement_log(const struct placement *placement)
{
	if (placement->state == PLACEMENT_REFUSED)
		log_line(LOG_ODD, "cannot bind memory to %u NUMA nodes: %s; it stays unbound", placement->nodes,
			 strerror((int)placement->error));
	else if (placement->state == PLACEMENT_FOREIGN)
		log_line(LOG_NOTE, "memory was planned for %u NUMA nodes of another machine and is not bound",
			 placement->nodes);
	else
		log_line(LOG_DETAIL, "NUMA nodes: %u", placement->nodes);
}

static void stranger_log(const struct other_owner *other_owner)
{
	if (other_owner->path[0])
		log_line(
			LOG_ODD,
			"%s of user %u had the name of this cell's shared memory. It was renamed to "
			"%s: inspect and remove it",
			other_owner->what, (unsigned)other_owner->owner, other_owner->path);
}

static unsigned workers_wanted(const struct schedd_options *options, const struct topology *topology)
{
	unsigned cpus = 0;

	for (unsigned k = 0; k < topology->nnodes; k++)
		cpus += topology->node[k].ncpus;
	return options->workers ? options->workers : cpus < 1 ? 1 : cpus < DEFAULT_WORKERS ? cpus : DEFAULT_WORKERS;
}

/* Start the workers. With fewer workers the results are the same, but later. */
static void workers_start(struct sched *sched, const struct schedd_options *options, const struct topology *topology)
{
	unsigned n = workers_wanted(options, topology);
	int rc = sched_workers(sched, n);

	if (rc) {
		log_line(LOG_ODD, "cannot start %u workers: %s; one is used", n, strerror(-rc));
		return;
	}
	log_line(LOG_DETAIL, "workers: %u", n);
	rc = sched_workers_bind(sched, topology);
	if (rc)
		log_line(LOG_ODD, "cannot bind the workers to their NUMA nodes: %s; they stay unbound",
			 strerror(-rc));
}

int main(int argc, char **argv)
{
	struct schedd_options options = { .now = NOW_BY_CLOCK, .segment.group = -1, .usage.reported_again = true };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	struct topology topology;
	int rc = options_parse(&options, argc, argv);

	if (rc)
		return rc;
	log_open("fairlead-schedd", options.details);
	if (!options.once)
		log_stamp();
	if (options.log_json)
		log_json();
	store_when_unsure(end_unsure);
	topology_find(&topology);
	options.segment.topology = &topology;
	rc = options.qmaster ? sched_create_empty(&sched, options.cell, &options.segment, &error)
			     : sched_create(&sched, options.cell, &options.segment, &report, &error);
	log_report(&report);
	report_free(&report);
	if (rc == 0) {
		stranger_log(sched_other_owner(sched));
		placement_log(sched_placement(sched));
		workers_start(sched, &options, &topology);
		sched_dispatch(sched, !options.no_dispatch);
	}
	rc = rc ? cell_fail(rc, options.cell, &error) : serve(sched, &options);
	sched_destroy(sched);
	topology_free(&topology);
	return rc;
}
