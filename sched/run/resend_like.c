/* SPDX-License-Identifier: Apache-2.0 */
/* Brief replay of common jobs: it refers to replayed jobs with the same class, request and name. */
#include "sched/run/resend_inside.h"

/*
 * Jobs that were replayed in full, indexed by class, category and name of the view. An entry is the
 * caller's identification of such a job (calls->row()) + 1; 0: none yet.
 */
struct resend_models {
	uint64_t nclasses, ncategories, nnames;
	uint32_t *class_of, *request_of, *name_of;
};

int resend_models_make(struct state_replay *replay)
{
	struct resend_models *models = calloc(1, sizeof(*models));

	replay->models = models;
	if (!models)
		return -ENOMEM;
	view_table(replay->view, TABLE_CLASSES, sizeof(struct class_record), &models->nclasses);
	view_table(replay->view, TABLE_CATEGORIES, sizeof(struct category_record), &models->ncategories);
	view_table(replay->view, TABLE_STRINGS, sizeof(uint32_t), &models->nnames);
	models->class_of = calloc(models->nclasses + 1, sizeof(uint32_t));
	models->request_of = calloc(models->ncategories + 1, sizeof(uint32_t));
	models->name_of = calloc(models->nnames + 1, sizeof(uint32_t));
	return models->class_of && models->request_of && models->name_of ? 0 : -ENOMEM;
}

void resend_models_free(struct state_replay *replay)
{
	if (!replay->models)
		return;
	free(replay->models->class_of);
	free(replay->models->request_of);
	free(replay->models->name_of);
	free(replay->models);
}

/*
 * Entries of a job in the three lists. find() returns false if a number is out of range. Then the
 * job is replayed in full, or found damaged.
 */
struct model_places { uint32_t *class, *request, *name; };

static bool find(const struct state_replay *replay, const struct job_facts *facts, uint32_t i,
		 struct model_places *places)
{
	const struct resend_models *models = replay->models;
	uint32_t class = LOAD_ONCE(facts->class_id[i]), category = LOAD_ONCE(facts->category[i]),
		 name = LOAD_ONCE(facts->name[i]);

	if (!models || class >= models->nclasses || category >= models->ncategories || name >= models->nnames)
		return false;
	*places = (struct model_places){ &models->class_of[class], &models->request_of[category],
					 &models->name_of[name] };
	return true;
}

static int replay_like(const struct state_replay *replay, const struct job_facts *facts, uint32_t row,
		       const struct model_places *places)
{
	const struct multifactor_results *results = records_multifactor(replay->view, row);
	uint32_t i = row % CHUNK_ROWS;
	struct condor_spec numbers = { 0 };
	struct job_like like = { .job_number = LOAD_ONCE(facts->number[i]),
				 .class_of = *places->class - 1,
				 .request_of = *places->request - 1,
				 .name_of = *places->name - 1,
				 .submission_time = LOAD_ONCE(facts->submission[i]),
				 .priority = LOAD_ONCE(facts->priority[i]) - 1024,
				 .reserve = LOAD_ONCE(facts->wishes[i]) & JOB_WISHES_RESERVATION,
				 .eligible_at_submission =
					 LOAD_ONCE(facts->wishes[i]) & JOB_ELIGIBLE_AT_SUBMISSION };

	if (results) {
		like.computed = true;
		like.accrue_time = LOAD_ONCE(results->accrue[i]);
		like.slurm_priority = LOAD_ONCE(results->priority[i]);
	}
	resend_condor_numbers(replay, row, &numbers);
	like.numbers = numbers.given ? &numbers : NULL;
	return replay->calls->like(replay->calls->context, &like);
}

int resend_job_briefly(const struct state_replay *replay, uint32_t row)
{
	const struct job_facts *facts = records_facts(replay->view, row);
	uint32_t i = row % CHUNK_ROWS, number;
	struct model_places places;
	int rc;

	if (!facts || !find(replay, facts, i, &places))
		return resend_job(replay, row);
	if (*places.class && *places.request && *places.name && LOAD_ONCE(facts->extra[i]) == NONE)
		return replay_like(replay, facts, row, &places);
	number = LOAD_ONCE(facts->number[i]);
	rc = resend_job(replay, row);
	if (rc == 0)
		*places.class = *places.request = *places.name =
			replay->calls->row(replay->calls->context, number) + 1;
	return rc;
}
