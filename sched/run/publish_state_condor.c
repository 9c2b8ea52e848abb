/* SPDX-License-Identifier: Apache-2.0 */
/* State for HTCondor's negotiation, as parts of a published state. */
#include "sched/run/publish_state_inside.h"

#include <errno.h>
#include <string.h>

int state_add_classes(struct state_publication *publication, const struct classes *classes)
{
	struct class_state *records = state_reserve(publication, STATE_CLASSES, classes->pool.n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (classes->pool.n > 0)
		memset(records, 0xff, classes->pool.n * sizeof(*records));
	pool_each(id, &classes->pool) {
		const struct class_key *key = classes_key(classes, id);

		records[id] =
			(struct class_state){ key->accounting_group, key->accounting_group_user, key->uid_domain };
	}
	publication->parts[STATE_CLASSES].n = classes->pool.n;
	return 0;
}

int state_add_condor_jobs(struct state_publication *publication, const struct jobs *jobs)
{
	size_t n = 0;
	struct condor_state *records;

	for (size_t row = 0; jobs->condor && row < jobs->rows; row++)
		n += jobs->condor[row].given != 0;
	records = state_reserve(publication, STATE_CONDOR_JOBS, n, sizeof(*records));
	if (!records)
		return -ENOMEM;
	for (size_t row = 0; jobs->condor && row < jobs->rows; row++) {
		const struct condor_job *job = &jobs->condor[row];

		if (job->given)
			*records++ = (struct condor_state){ (uint32_t)row,	 job->given,	job->pre_job_prio1,
							    job->pre_job_prio2,	 job->job_prio, job->post_job_prio1,
							    job->post_job_prio2, job->cluster,	job->proc };
	}
	publication->parts[STATE_CONDOR_JOBS].n = n;
	return 0;
}

int state_add_slot(struct state_publication *publication, const struct mirror *mirror, const struct instance *slot,
		   struct instance_record *record)
{
	const struct reported_claim *from = slot->claim;
	struct claim_record *claim;

	if (slot->ad_id == NONE)
		return 0;
	record->ad = *(const uint32_t *)pool_key(&mirror->ads.pool, slot->ad_id);
	if (!from)
		return 0;
	claim = state_add(publication, STATE_CLAIMS, sizeof(*claim));
	if (!claim)
		return -ENOMEM;
	*claim = (struct claim_record){ .weight = from->weight,
					.current_rank = from->current_rank,
					.preempting_rank = from->preempting_rank,
					.since = from->since,
					.submitter = from->submitter,
					.limits = from->limits,
					.preempting = from->preempting,
					.suspended = from->suspended };
	record->claim = (uint32_t)publication->parts[STATE_CLAIMS].n;
	return 0;
}
