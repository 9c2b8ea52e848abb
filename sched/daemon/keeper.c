/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/keeper.h"

#include "sched/process/log.h"

int keeper_open(struct keeper *k, const char *path, struct sched *sched, const struct store_usage_options *options, struct error *error)
{
	int rc = store_open(&k->store, path, error);

	k->sched = sched;
	return rc ? rc : store_usage_attach(k->store, sched_durable(sched), options, error);
}

static bool keeper_commit(struct keeper *k, int64_t now, bool all)
{
	struct error error = { "" };
	int rc = all ? store_usage_save_all(k->store, now, &error) : store_usage_save(k->store, now, &error);

	if (rc)
		store_rollback(k->store);
	else
		rc = store_commit(k->store, &error);
	if (rc && !k->failing)
		log_line(LOG_FAILURE, "usage can't be stored, and is not acknowledged until it is: %s", error.text);
	else if (!rc && k->failing)
		log_line(LOG_NOTE, "usage is stored again, nothing was lost");
	k->failing = rc != 0;
	k->failures += k->failing;
	return rc == 0;
}

/* What was booked before must be known before more is: else a restart would book it twice. */
static bool all_is_booked(struct keeper *k)
{
	size_t n = sched_unbooked(k->sched);

	if (n > 0 && !k->waiting)
		log_line(LOG_FAILURE, "usage of %zu jobs or tasks waits, since it can't be read what was booked before: %s", n,
			 store_usage_unanswered(k->store));
	else if (n == 0 && k->waiting)
		log_line(LOG_NOTE, "usage that waited is booked");
	k->waiting = n > 0;
	return n == 0;
}

bool keeper_save(struct keeper *k, int64_t now)
{
	if (!k->store)
		return true;
	k->now = now;
	return keeper_commit(k, now, false) && all_is_booked(k);
}

void keeper_close(struct keeper *k)
{
	if (k->store && k->now)
		keeper_commit(k, k->now, true);
	store_close(k->store);
	k->store = NULL;
}
