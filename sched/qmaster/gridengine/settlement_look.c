/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last check before a start is sent: whether the state has changed since the decision. The
 * qmaster itself does not refuse a job with too few slots for its parallel environment, nor tasks
 * beyond -tc.
 */
#include "sched/mirror/slots.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

uint64_t start_instances(const struct sge *sge, const struct order *order)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < order->start.granted.n; i++) {
		uint32_t version = 0;
		bool known = known_instance_version(sge->known, order->start.granted.items[i].queue, &version);

		sum = (sum ^ (known ? version + (uint64_t)1 : 0)) * 0x100000001b3u;
	}
	return sum;
}

static bool instances_are_known(const struct sge *sge, const struct order *order)
{
	for (size_t i = 0; i < order->start.granted.n; i++)
		if (!known_instance_version(sge->known, order->start.granted.items[i].queue, &(uint32_t){ 0 }))
			return false;
	return order->start.granted.n > 0;
}

static bool slots_are_asked_for(const struct mirror *mirror, uint32_t row, const struct order_start *start)
{
	const struct request_key *key = mirror_row_request(mirror, row);
	struct slot_ranges ranges = { 0 };
	struct error error;
	uint64_t slots = 0;
	bool found;

	for (size_t i = 0; i < start->granted.n; i++)
		slots += start->granted.items[i].slots;
	if (key->pe == NONE || !start->granted_pe)
		return key->pe == NONE && !start->granted_pe && slots == 1;
	if (slots_parse(&ranges, mirror_text(mirror, key->pe_range), &error))
		return false;
	found = slots_contain(&ranges, slots);
	slots_free(&ranges);
	return found;
}

/* Return whether -tc allows this task, which is already counted as started. */
static bool is_within_concurrency(const struct mirror *mirror, uint32_t row)
{
	const struct job_extra *extra = mirror_row_extra(mirror, row);
	uint64_t started = 0;

	if (!extra || extra->task_concurrency == 0)
		return true;
	for (const struct task *task = mirror_first_task(mirror, row); task; task = mirror_next_task(mirror, task))
		started++;
	return started <= extra->task_concurrency;
}

const char *start_hindrance(struct sge *sge, const struct order *order, const struct ordered_start *start)
{
	const struct mirror *mirror = sge->intake->mirror;
	uint32_t row = mirror_active_row(mirror, order->job_number);
	const struct known_job *job = known_job(sge->known, order->job_number);

	if (!job || row == INDEX_NONE)
		return "the job no longer exists";
	if (job->version != start->version)
		return "the job has changed";
	if (!instances_are_known(sge, order))
		return "a queue instance no longer exists";
	if (start_instances(sge, order) != start->instances)
		return "a queue instance has changed";
	if (!slots_are_asked_for(mirror, row, &order->start))
		return "it does not have the slots that it requests";
	if (!is_within_concurrency(mirror, row))
		return "as many of its tasks run as may at a time";
	return NULL;
}
