/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/keeper.h"

#include "sched/process/log.h"

int keeper_open(struct keeper *keeper, const char *path, struct sched *sched, const struct store_usage_options *options,
		struct error *error)
{
	int rc = store_open(&keeper->store, path, error);

	keeper->sched = sched;
	return rc ? rc : store_usage_attach(keeper->store, sched_durable(sched), options, error);
}

static bool keeper_commit(struct keeper *keeper, int64_t now, bool all)
{
	struct error error = { "" };
	int rc = all ? store_usage_save_all(keeper->store, now, &error) : store_usage_save(keeper->store, now, &error);

	if (rc)
		store_rollback(keeper->store);
	else
		rc = store_commit(keeper->store, &error);
	if (rc && !keeper->failing)
		log_line(LOG_FAILURE, "usage cannot be stored and is not acknowledged until it is: %s", error.text);
	else if (!rc && keeper->failing)
		log_line(LOG_NOTE, "usage is stored again; nothing was lost");
	keeper->failing = rc != 0;
	keeper->failures += keeper->failing;
	return rc == 0;
}

/*
 * Return whether all usage is booked. Before the old usage has been read no more is booked, because
 * a restart would book it twice.
 */
static bool all_is_booked(struct keeper *keeper)
{
	size_t n = sched_unbooked(keeper->sched);

	if (n > 0 && !keeper->waiting)
		log_line(LOG_FAILURE,
			 "usage of %zu jobs or tasks is not booked: the earlier usage cannot be read: %s", n,
			 store_usage_unanswered(keeper->store));
	else if (n == 0 && keeper->waiting)
		log_line(LOG_NOTE, "the delayed usage is booked");
	keeper->waiting = n > 0;
	return n == 0;
}

bool keeper_save(struct keeper *keeper, int64_t now)
{
	if (!keeper->store)
		return true;
	keeper->now = now;
	return keeper_commit(keeper, now, false) && all_is_booked(keeper);
}

void keeper_close(struct keeper *keeper)
{
	if (keeper->store && keeper->now)
		keeper_commit(keeper, keeper->now, true);
	store_close(keeper->store);
	keeper->store = NULL;
}
