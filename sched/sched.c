/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/dispatch/phase.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/run/run.h"

static struct cell *cell_read(const char *directory, struct report *report, struct error *error)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	size_t before = report->faults;
	int code = cell ? cell_load(cell, directory, report) : -ENOMEM;

	if (code == 0 && report->faults > before)
		code = error_set(error, -EINVAL, "the cell %.100s has faults", directory);
	else if (code != 0)
		error_set(error, code, "%.100s: %s", directory, strerror(-code));
	if (code == 0)
		return cell;
	if (cell)
		cell_free(cell);
	free(cell);
	errno = -code;
	return NULL;
}

/* The owner of a cell could hold the lock against root, and write any process's number into it. */
static int busy_error(const struct segment_trouble *trouble, struct error *error)
{
	struct stat st;

	if (stat(trouble->path, &st) == 0 && st.st_uid != geteuid() && st.st_uid != 0)
		return error_set(error, -EBUSY, "a scheduler of user %u runs on this cell already, or pretends to: %s is locked", (unsigned)st.st_uid,
				 trouble->path);
	return error_set(error, -EBUSY, "a scheduler runs on this cell already: process %u", trouble->pid);
}

static int segment_error(int code, const struct segment_trouble *trouble, const char *directory, struct error *error)
{
	if (code == -EBUSY)
		return busy_error(trouble, error);
	if (code == -ENOMEM || code == -ENOSPC)
		return error_set(error, code, "no room in shared memory for %.80s", directory);
	if (trouble->stranger.path[0])
		return error_set(error, code, "%s is %s of user %u: remove it, or set FAIRLEAD_SHM to another directory", trouble->stranger.path,
				 trouble->stranger.what, (unsigned)trouble->stranger.owner);
	return error_set(error, code, "shared memory: %s: %s", trouble->path[0] ? trouble->path : directory, strerror(-code));
}

/* What needs the cell and the segment. */
static int parts_create(struct sched *s)
{
	struct multifactor *multifactor;
	int code = workers_create(&s->workers, 1);

	if (code == 0)
		code = strings_create(&s->strings, &s->segment);
	if (code == 0)
		code = mirror_create(&s->mirror, s->cell, s->strings, &s->segment);
	if (code == 0)
		code = policies_configure(s);
	s->tree_is_stale = true;
	if (code != 0)
		return code;
	multifactor = multifactor_create(s, s->cell);
	code = -errno;
	multifactor_replace(s, multifactor);
	return code;
}

int sched_create(struct sched **result, const char *directory, const struct segment_options *options, struct report *report,
		 struct error *error)
{
	struct sched *s = calloc(1, sizeof(*s));
	struct segment_trouble trouble;
	int code;

	*result = NULL;
	if (!s || !(s->directory = strdup(directory))) {
		free(s);
		return error_set(error, -ENOMEM, "out of memory");
	}
	s->segment.fd = s->segment.lock_fd = -1;
	pool_create(&s->removed.numbers, sizeof(uint32_t));
	s->dispatch = true;
	s->cell = cell_read(directory, report, error);
	if (!s->cell) {
		code = -errno;
		goto undo;
	}
	code = segment_create(&s->segment, directory, options, &trouble);
	if (code != 0) {
		segment_error(code, &trouble, directory, error);
		goto undo;
	}
	code = parts_create(s);
	if (code == 0) {
		*result = s;
		return 0;
	}
	error_set(error, code, "out of memory");
undo:
	sched_destroy(s);
	return code;
}

void sched_destroy(struct sched *s)
{
	if (!s)
		return;
	run_free(&s->run);
	dispatch_free(s);
	decisions_free(&s->decisions);
	pool_destroy(&s->removed.numbers);
	why_free(&s->why);
	publish_why_free(s);
	orders_free(&s->orders);
	workers_destroy(s->workers);
	sharetree_free(&s->tree);
	for (size_t i = 0; i < s->nnode_names; i++)
		strings_drop(s->strings, s->node_names[i]);
	free(s->node_names);
	multifactor_free(s, s->multifactor);
	past_free(&s->past, s->strings);
	free(s->decay_by_name);
	free(s->weight_by_name);
	free(s->weight_listed);
	mirror_destroy(&s->mirror);
	strings_destroy(s->strings);
	segment_close(&s->segment);
	if (s->cell)
		cell_free(s->cell);
	free(s->cell);
	free(s->directory);
	free(s);
}

bool sched_has_predecessor(const struct sched *s)
{
	return s->segment.last_gen > 0;
}

int sched_workers(struct sched *s, unsigned n)
{
	struct workers *workers;
	int code = workers_create(&workers, n);

	if (code != 0)
		return code;
	workers_destroy(s->workers);
	s->workers = workers;
	return 0;
}

int sched_workers_bind(struct sched *s, const struct topology *topology)
{
	return workers_bind(s->workers, topology);
}

void sched_schedule(struct sched *s, struct schedule_lines *lines)
{
	s->schedule = lines;
}

struct mirror *sched_mirror(struct sched *s)
{
	return &s->mirror;
}

const struct cell *sched_cell(const struct sched *s)
{
	return s->cell;
}

size_t sched_unbooked(const struct sched *s)
{
	const struct state *state = s->mirror.state;

	return state->nended + (s->mirror.ledger ? s->mirror.ledger->postponed : 0) + (s->multifactor ? state->ntold_usage : 0);
}

struct orders *sched_orders(struct sched *s)
{
	return &s->orders;
}

void sched_dispatch(struct sched *s, bool on)
{
	s->dispatch = on;
}

const struct stranger *sched_stranger(const struct sched *s)
{
	return &s->segment.stranger;
}

const struct placement *sched_placement(const struct sched *s)
{
	return &s->segment.placement;
}

int sched_reload(struct sched *s, struct report *report, struct error *error)
{
	struct cell *cell = cell_read(s->directory, report, error), *old = s->cell;
	struct multifactor *multifactor;
	int code;

	if (!cell)
		return -errno;
	multifactor = multifactor_create(s, cell);
	if (errno) {
		cell_free(cell);
		free(cell);
		return error_set(error, -ENOMEM, "out of memory");
	}
	dispatch_forget(s);
	s->cell = cell;
	code = mirror_reload(&s->mirror, cell);
	if (policies_configure(s) != 0)
		code = -ENOMEM;
	multifactor_replace(s, multifactor);
	s->tree_is_stale = true;
	cell_free(old);
	free(old);
	return code == 0 ? 0 : error_set(error, -ENOMEM, "out of memory: some jobs keep the categories of the old configuration");
}
