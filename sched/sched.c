/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/parts.h"
#include "sched/room.h"

/* Read the cell from `texts`, or from the directory if `texts` is NULL. */
static int cell_read(struct cell **result, const char *directory, const struct cell_files *texts,
		     struct report *report, struct error *error)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	size_t before = report->faults;
	int rc;

	if (!cell)
		return error_set(error, -ENOMEM, "%s", strerror(ENOMEM));
	rc = texts ? cell_load_files(cell, directory, texts, report) : cell_load(cell, directory, report);
	if (rc)
		error_set(error, rc, "%s", rc == -ENOENT ? "no such cell: there is no such directory" : strerror(-rc));
	else if (report->faults > before)
		rc = error_set(error, -EINVAL, "the cell %.100s has faults", directory);
	if (rc)
		goto undo;
	*result = cell;
	return 0;
undo:
	cell_free(cell);
	free(cell);
	return rc;
}

/*
 * Report that the cell is locked. The owner of a cell can hold the lock against root and write any
 * process number into it. So the process number is shown only if the file is root's or our own.
 */
static int busy_error(const struct segment_trouble *trouble, struct error *error)
{
	struct stat st;

	if (stat(trouble->path, &st) == 0 && st.st_uid != geteuid() && st.st_uid != 0)
		return error_set(error, -EBUSY,
				 "a scheduler of user %u runs on this cell already, or pretends to: %s is locked",
				 (unsigned)st.st_uid, trouble->path);
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
		return error_set(error, rc,
				 "there is no directory %.100s, where FAIRLEAD_SHM says that shared memory is",
				 segment_shm());
	if (trouble->other_owner.path[0])
		return error_set(error, rc, "%s is %s of user %u: remove it, or set FAIRLEAD_SHM to another directory",
				 trouble->other_owner.path, trouble->other_owner.what, (unsigned)trouble->other_owner.owner);
	return error_set(error, rc, "shared memory: %s: %s", trouble->path[0] ? trouble->path : directory,
			 strerror(-rc));
}

static void run_begin(struct sched *sched)
{
	sched->run.cell = sched->cell;
	sched->run.mirror = &sched->mirror;
	sched->run.strings = sched->strings;
	sched->run.segment = &sched->segment;
	sched->run.workers = sched->workers;
	sched->run.account = &sched->account;
	sched->durable = (struct durable){ &sched->run, sched->policies.keepers, sched->policies.nkeepers };
}

static int parts_create(struct sched *sched)
{
	int rc = strings_create(&sched->strings, &sched->segment);

	if (rc == 0)
		rc = workers_create(&sched->workers, 1);
	if (rc == 0)
		rc = mirror_create(&sched->mirror, sched->cell, sched->strings, &sched->segment);
	if (rc == 0)
		rc = account_configure(&sched->account, &sched->mirror, sched->cell);
	if (rc == 0)
		rc = policies_create(&sched->policies);
	run_begin(sched);
	if (rc == 0)
		rc = policies_prepare(&sched->policies, &sched->run, sched->cell);
	if (rc == 0)
		policies_replace(&sched->policies, &sched->run);
	return rc ? rc : dispatch_create(&sched->dispatch, sched->strings);
}

int sched_make(struct sched **result, struct cell *cell, const struct segment *segment)
{
	struct sched *sched = calloc(1, sizeof(*sched));
	int rc;

	*result = NULL;
	if (!sched) {
		struct segment unused = *segment;

		segment_close(&unused);
		cell_free(cell);
		free(cell);
		return -ENOMEM;
	}
	sched->cell = cell;
	sched->segment = *segment;
	rc = parts_create(sched);
	if (rc)
		sched_destroy(sched);
	else
		*result = sched;
	return rc;
}

static int sched_create_from(struct sched **result, const char *directory, const struct cell_files *texts,
			     const struct segment_options *options, struct report *report, struct error *error)
{
	struct segment segment;
	struct segment_options made = *options;
	struct segment_trouble trouble;
	struct cell *cell;
	int rc = cell_read(&cell, directory, texts, report, error);

	*result = NULL;
	if (rc)
		return rc;
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
	/*
	 * The memory is freed with the segment. Report that it is too small if even an empty
	 * scheduler does not fit.
	 */
	if (rc == -ENOMEM && room_is_short(directory, ROOM_TO_BEGIN_BYTES))
		return room_error(rc, directory, &(struct segment_lack){ .bytes = ROOM_TO_BEGIN_BYTES }, error);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

int sched_create(struct sched **sched, const char *directory, const struct segment_options *options,
		 struct report *report, struct error *error)
{
	return sched_create_from(sched, directory, NULL, options, report, error);
}

int sched_create_empty(struct sched **sched, const char *directory, const struct segment_options *options,
		       struct error *error)
{
	const struct cell_files none = { 0 };
	struct report report = { 0 };
	int rc = sched_create_from(sched, directory, &none, options, &report, error);

	report_free(&report);
	return rc;
}

void sched_destroy(struct sched *sched)
{
	if (!sched)
		return;
	if (sched->strings)
		state_free(&sched->state, sched->strings);
	orders_free(&sched->orders);
	dispatch_free(sched->dispatch);
	dispatch_free(sched->verifier);
	policies_destroy(&sched->policies, &sched->run);
	run_free(&sched->run);
	account_free(&sched->account);
	mirror_destroy(&sched->mirror);
	workers_destroy(sched->workers);
	strings_destroy(sched->strings);
	segment_close(&sched->segment);
	cell_free(sched->cell);
	free(sched->cell);
	free(sched->directory);
	free(sched);
}

bool sched_has_predecessor(const struct sched *sched)
{
	return sched->segment.last_gen > 0;
}

int sched_workers(struct sched *sched, unsigned n)
{
	struct workers *workers;
	int rc = workers_create(&workers, n);

	if (rc != 0)
		return rc;
	workers_destroy(sched->workers);
	sched->workers = sched->run.workers = workers;
	return 0;
}

int sched_workers_bind(struct sched *sched, const struct topology *topology)
{
	return workers_bind(sched->workers, topology);
}

void sched_schedule(struct sched *sched, struct schedule_lines *lines)
{
	dispatch_schedule(sched->dispatch, lines);
}

struct mirror *sched_mirror(struct sched *sched)
{
	return &sched->mirror;
}

const struct cell *sched_cell(const struct sched *sched)
{
	return sched->cell;
}

const struct durable *sched_durable(const struct sched *sched)
{
	return &sched->durable;
}

size_t sched_unbooked(const struct sched *sched)
{
	const struct policy *policy = sched->policies.in_force;

	return account_unbooked(&sched->mirror) +
	       (policy->kind->unbooked ? policy->kind->unbooked(policy, &sched->run) : 0);
}

struct orders *sched_orders(struct sched *sched)
{
	return &sched->orders;
}

void sched_dispatch(struct sched *sched, bool on)
{
	dispatch_switch(sched->dispatch, on);
}

void sched_pause(struct sched *sched, bool on)
{
	dispatch_pause(sched->dispatch, on);
}

void sched_publishes(struct sched *sched, bool on)
{
	sched->unpublished = !on;
}

void sched_process(struct sched *sched, const struct process_facts *facts)
{
	sched->process = *facts;
}

const struct other_owner *sched_other_owner(const struct sched *sched)
{
	return &sched->segment.other_owner;
}

const struct placement *sched_placement(const struct sched *sched)
{
	return &sched->segment.placement;
}

/* Activate a new cell. The scheduler owns the cell from now on. */
static int cell_replace(struct sched *sched, struct cell *cell, struct error *error)
{
	struct cell *old = sched->cell;
	int rc;

	if (policies_prepare(&sched->policies, &sched->run, cell)) {
		cell_free(cell);
		free(cell);
		return error_set(error, -ENOMEM, "out of memory");
	}
	dispatch_forget(sched->dispatch);
	if (sched->verifier)
		dispatch_forget(sched->verifier);
	state_forget_cell(&sched->state, sched->strings);
	sched->cell = cell;
	sched->run.cell = cell;
	rc = mirror_reload(&sched->mirror, cell);
	if (account_configure(&sched->account, &sched->mirror, cell) != 0)
		rc = -ENOMEM;
	policies_replace(&sched->policies, &sched->run);
	cell_free(old);
	free(old);
	if (sched->witness.reloaded)
		sched->witness.reloaded(sched->witness.context);
	return rc == 0 ? 0
		       : error_set(error, -ENOMEM,
				   "out of memory: some jobs keep the categories of the old configuration");
}

int sched_reload(struct sched *sched, struct report *report, struct error *error)
{
	struct cell *cell;
	int rc;

	if (!sched->directory)
		return 0;
	rc = cell_read(&cell, sched->directory, NULL, report, error);
	return rc ? rc : cell_replace(sched, cell, error);
}

int sched_reload_texts(struct sched *sched, const struct cell_files *texts, struct report *report, struct error *error)
{
	struct cell *cell;
	int rc = cell_read(&cell, sched->cell->dir, texts, report, error);

	return rc ? rc : cell_replace(sched, cell, error);
}

void sched_witness(struct sched *sched, const struct sched_witness *witness)
{
	sched->witness = witness ? *witness : (struct sched_witness){ 0 };
}

int sched_edit_customer(struct sched *sched, int64_t now, const char *customer, const struct customer_edit *edit,
			struct error *error)
{
	struct policy *policy = sched->policies.in_force;
	int rc;

	if (!policy->kind->edit)
		return error_set(error, -ENOTSUP, "algorithm %s has no user priorities that can be set",
				 policy->kind->name);
	rc = policy->kind->edit(policy, &sched->run, customer, edit, now, error);
	if (rc == 0 && sched->witness.edited)
		sched->witness.edited(sched->witness.context, now, customer, edit);
	return rc;
}

void sched_unedit_customers(struct sched *sched)
{
	struct policy *policy = sched->policies.in_force;

	if (policy->kind->unedit)
		policy->kind->unedit(policy, &sched->run);
	if (sched->witness.unedited)
		sched->witness.unedited(sched->witness.context);
}
