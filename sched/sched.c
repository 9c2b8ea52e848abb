/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/parts.h"
#include "sched/room.h"

/* `texts` NULL: from the directory. */
static struct cell *cell_read(const char *directory, const struct cell_files *texts, struct report *report, struct error *error)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	size_t before = report->faults;
	int rc = -ENOMEM;

	if (cell)
		rc = texts ? cell_load_files(cell, directory, texts, report) : cell_load(cell, directory, report);

	if (rc == 0 && report->faults > before)
		rc = error_set(error, -EINVAL, "the cell %.100s has faults", directory);
	else if (rc != 0)
		error_set(error, rc, "%s", rc == -ENOENT ? "no such cell: there is no such directory" : strerror(-rc));
	if (rc == 0)
		return cell;
	if (cell)
		cell_free(cell);
	free(cell);
	errno = -rc;
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

static int room_error(int rc, const char *directory, const struct segment_lack *lack, struct error *error)
{
	struct segment_paths paths;
	char text[sizeof(error->text)];

	if (segment_paths(&paths, directory))
		paths.directory[0] = '\0';
	return error_set(error, rc, "%s", room_text(text, sizeof(text), paths.directory, lack));
}

static int segment_error(int rc, const struct segment_trouble *trouble, const char *directory, struct error *error)
{
	struct stat st;

	if (rc == -EBUSY)
		return busy_error(trouble, error);
	if (rc == -ENOMEM || rc == -ENOSPC)
		return room_error(rc, directory, &trouble->lack, error);
	if (rc == -ENOENT && stat(segment_shm(), &st))
		return error_set(error, rc, "there is no directory %.100s, where FAIRLEAD_SHM says that shared memory is", segment_shm());
	if (trouble->stranger.path[0])
		return error_set(error, rc, "%s is %s of user %u: remove it, or set FAIRLEAD_SHM to another directory", trouble->stranger.path,
				 trouble->stranger.what, (unsigned)trouble->stranger.owner);
	return error_set(error, rc, "shared memory: %s: %s", trouble->path[0] ? trouble->path : directory, strerror(-rc));
}

static void run_begin(struct sched *s)
{
	s->run.cell = s->cell;
	s->run.mirror = &s->mirror;
	s->run.strings = s->strings;
	s->run.segment = &s->segment;
	s->run.workers = s->workers;
	s->run.account = &s->account;
	s->durable = (struct durable){ &s->run, s->policies.keepers, s->policies.nkeepers };
}

static int parts_create(struct sched *s)
{
	int rc = strings_create(&s->strings, &s->segment);

	if (rc == 0)
		rc = workers_create(&s->workers, 1);
	if (rc == 0)
		rc = mirror_create(&s->mirror, s->cell, s->strings, &s->segment);
	if (rc == 0)
		rc = account_configure(&s->account, &s->mirror, s->cell);
	if (rc == 0)
		rc = policies_create(&s->policies);
	run_begin(s);
	if (rc == 0)
		rc = policies_prepare(&s->policies, &s->run, s->cell);
	if (rc == 0)
		policies_replace(&s->policies, &s->run);
	return rc ? rc : dispatch_create(&s->dispatch, s->strings);
}

int sched_make(struct sched **result, struct cell *cell, const struct segment *segment)
{
	struct sched *s = calloc(1, sizeof(*s));
	int rc;

	*result = NULL;
	if (!s) {
		struct segment unused = *segment;

		segment_close(&unused);
		cell_free(cell);
		free(cell);
		return -ENOMEM;
	}
	s->cell = cell;
	s->segment = *segment;
	rc = parts_create(s);
	if (rc)
		sched_destroy(s);
	else
		*result = s;
	return rc;
}

static int sched_create_from(struct sched **result, const char *directory, const struct cell_files *texts, const struct segment_options *options,
			     struct report *report, struct error *error)
{
	struct segment segment;
	struct segment_options made = *options;
	struct segment_trouble trouble;
	struct cell *cell = cell_read(directory, texts, report, error);
	int rc;

	*result = NULL;
	if (!cell)
		return -errno;
	made.records = RECORDS_VERSION;
	rc = segment_create(&segment, directory, &made, &trouble);
	if (rc) {
		segment_error(rc, &trouble, directory, error);
		cell_free(cell);
		free(cell);
		return rc;
	}
	rc = sched_make(result, cell, &segment);
	if (rc == 0 && !texts && !((*result)->directory = strdup(directory))) {
		sched_destroy(*result);
		*result = NULL;
		rc = -ENOMEM;
	}
	/* what did not find room is gone with the segment: is there enough for any? */
	if (rc == -ENOMEM && room_is_short(directory, ROOM_TO_BEGIN_BYTES))
		return room_error(rc, directory, &(struct segment_lack){ .bytes = ROOM_TO_BEGIN_BYTES }, error);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

int sched_create(struct sched **s, const char *directory, const struct segment_options *options, struct report *report, struct error *error)
{
	return sched_create_from(s, directory, NULL, options, report, error);
}

int sched_create_empty(struct sched **s, const char *directory, const struct segment_options *options, struct error *error)
{
	const struct cell_files none = { 0 };
	struct report report = { 0 };
	int rc = sched_create_from(s, directory, &none, options, &report, error);

	report_free(&report);
	return rc;
}

void sched_destroy(struct sched *s)
{
	if (!s)
		return;
	if (s->strings)
		state_free(&s->state, s->strings);
	orders_free(&s->orders);
	dispatch_free(s->dispatch);
	dispatch_free(s->verifier);
	policies_destroy(&s->policies, &s->run);
	run_free(&s->run);
	account_free(&s->account);
	mirror_destroy(&s->mirror);
	workers_destroy(s->workers);
	strings_destroy(s->strings);
	segment_close(&s->segment);
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
	int rc = workers_create(&workers, n);

	if (rc != 0)
		return rc;
	workers_destroy(s->workers);
	s->workers = s->run.workers = workers;
	return 0;
}

int sched_workers_bind(struct sched *s, const struct topology *topology)
{
	return workers_bind(s->workers, topology);
}

void sched_schedule(struct sched *s, struct schedule_lines *lines)
{
	dispatch_schedule(s->dispatch, lines);
}

struct mirror *sched_mirror(struct sched *s)
{
	return &s->mirror;
}

const struct cell *sched_cell(const struct sched *s)
{
	return s->cell;
}

const struct durable *sched_durable(const struct sched *s)
{
	return &s->durable;
}

size_t sched_unbooked(const struct sched *s)
{
	const struct policy *policy = s->policies.in_force;

	return account_unbooked(&s->mirror) + (policy->kind->unbooked ? policy->kind->unbooked(policy, &s->run) : 0);
}

struct orders *sched_orders(struct sched *s)
{
	return &s->orders;
}

void sched_dispatch(struct sched *s, bool on)
{
	dispatch_switch(s->dispatch, on);
}

void sched_pause(struct sched *s, bool on)
{
	dispatch_pause(s->dispatch, on);
}

void sched_publishes(struct sched *s, bool on)
{
	s->unpublished = !on;
}

void sched_process(struct sched *s, const struct process_facts *facts)
{
	s->process = *facts;
}

const struct stranger *sched_stranger(const struct sched *s)
{
	return &s->segment.stranger;
}

const struct placement *sched_placement(const struct sched *s)
{
	return &s->segment.placement;
}

/* The cell is the scheduler's from now on. */
static int cell_replace(struct sched *s, struct cell *cell, struct error *error)
{
	struct cell *old = s->cell;
	int rc;

	if (policies_prepare(&s->policies, &s->run, cell)) {
		cell_free(cell);
		free(cell);
		return error_set(error, -ENOMEM, "out of memory");
	}
	dispatch_forget(s->dispatch);
	if (s->verifier)
		dispatch_forget(s->verifier);
	state_forget_cell(&s->state, s->strings);
	s->cell = cell;
	s->run.cell = cell;
	rc = mirror_reload(&s->mirror, cell);
	if (account_configure(&s->account, &s->mirror, cell) != 0)
		rc = -ENOMEM;
	policies_replace(&s->policies, &s->run);
	cell_free(old);
	free(old);
	if (s->witness.reloaded)
		s->witness.reloaded(s->witness.context);
	return rc == 0 ? 0 : error_set(error, -ENOMEM, "out of memory: some jobs keep the categories of the old configuration");
}

int sched_reload(struct sched *s, struct report *report, struct error *error)
{
	struct cell *cell;

	if (!s->directory)
		return 0;
	cell = cell_read(s->directory, NULL, report, error);
	return cell ? cell_replace(s, cell, error) : -errno;
}

int sched_reload_texts(struct sched *s, const struct cell_files *texts, struct report *report, struct error *error)
{
	struct cell *cell = cell_read(s->cell->dir, texts, report, error);

	return cell ? cell_replace(s, cell, error) : -errno;
}

void sched_witness(struct sched *s, const struct sched_witness *witness)
{
	s->witness = witness ? *witness : (struct sched_witness){ 0 };
}

int sched_edit_customer(struct sched *s, int64_t now, const char *customer, const struct customer_edit *edit, struct error *error)
{
	struct policy *p = s->policies.in_force;
	int rc;

	if (!p->kind->edit)
		return error_set(error, -ENOTSUP, "algorithm %s has no user priorities to be set", p->kind->name);
	rc = p->kind->edit(p, &s->run, customer, edit, now, error);
	if (rc == 0 && s->witness.edited)
		s->witness.edited(s->witness.context, now, customer, edit);
	return rc;
}

void sched_unedit_customers(struct sched *s)
{
	struct policy *p = s->policies.in_force;

	if (p->kind->unedit)
		p->kind->unedit(p, &s->run);
	if (s->witness.unedited)
		s->witness.unedited(s->witness.context);
}
