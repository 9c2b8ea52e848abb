/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a job, as events report and change them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

struct request_texts request_texts_of(const struct job_spec *spec)
{
	const struct slurm_spec *slurm = &spec->slurm;

	return (struct request_texts){ .hard = spec->hard,
				       .soft = spec->soft,
				       .pe = spec->pe,
				       .pe_range = spec->pe_range,
				       .hard_queues = spec->hard_queues,
				       .soft_queues = spec->soft_queues,
				       .master_queues = spec->master_queues,
				       .ckpt = spec->ckpt,
				       .group = spec->group,
				       .now = spec->now,
				       .as_typed = spec->as_typed,
				       .ar = spec->ar,
				       .partition = slurm->partition,
				       .qos = slurm->qos,
				       .tres = slurm->tres,
				       .size = { slurm->nodes, slurm->cpus,
						 slurm->given & SLURM_TIME_LIMIT ? slurm->time_limit : NONE } };
}

char *text_chosen(const struct mirror *mirror, bool given, const char *text, uint32_t id)
{
	const char *from = given ? text : id == NONE ? NULL : strings_text(mirror->strings, id);

	return strdup(from ? from : "");
}

int request_changed(struct mirror *mirror, const struct job_spec *spec, uint32_t class_id, uint32_t old, uint32_t *id,
		    struct error *error)
{
	static const uint32_t members[REQUEST_TEXTS] = { JOB_HARD,	    JOB_SOFT,	     JOB_PE,
							 JOB_PE_RANGE,	    JOB_HARD_QUEUES, JOB_SOFT_QUEUES,
							 JOB_MASTER_QUEUES, JOB_CKPT,	     JOB_GROUP };
	static const uint32_t slurm_members[REQUEST_TEXTS] = { [REQUEST_TEXTS - 4] = SLURM_PARTITION,
							       SLURM_QOS,
							       SLURM_TRES };
	struct request_key key = *requests_key(&mirror->requests, old);
	struct request_texts request = request_texts_of(spec);
	bool ad_changes = condor_changes_ad(&spec->condor);
	char *copies[REQUEST_TEXTS];
	int rc = 0;

	if (ad_changes)
		request.ad = condor_ad(mirror, &spec->condor, key.ad, &rc, error);
	if (rc)
		return rc;
	for (int k = 0; k < REQUEST_TEXTS; k++) {
		request.texts[k] = copies[k] =
			text_chosen(mirror,
				    spec->given & members[k] || spec->slurm.given & slurm_members[k] ||
					    (ad_changes && k == REQUEST_TEXTS - 1),
				    request.texts[k], key.ids[k]);
		if (!copies[k])
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (!spec->complete)
		request.qos = slurm_qos_of(mirror, class_id, request.partition, request.qos);
	request.now = spec->given & JOB_NOW ? spec->now : key.now;
	request.ar = spec->given & JOB_AR ? spec->ar : key.ar;
	request.size = slurm_changed_size(&spec->slurm, &key.size);
	request.as_typed = spec->given & JOB_AS_TYPED ? spec->as_typed
						      : (spec->given & ~(uint32_t)(JOB_PRIORITY | JOB_JOBSHARE)) == 0 &&
								spec->slurm.given == 0 && spec->condor.given == 0;
	if (rc == 0)
		rc = requests_hold(&mirror->requests, mirror->cell, &request, id, error);
	for (int k = 0; k < REQUEST_TEXTS; k++)
		free(copies[k]);
	return rc;
}
