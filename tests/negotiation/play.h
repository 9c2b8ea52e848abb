/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Play a recorded case of kind allocation (tests/reference/condor/README.md): a negotiator for its
 * configuration, its slots, submitters and jobs, with cycles a minute apart. Between two cycles
 * matches become claims. A preempted job waits again if a match of the case had started it.
 */
#ifndef TESTS_NEGOTIATION_PLAY_H
#define TESTS_NEGOTIATION_PLAY_H

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/reader.h"
#include "conf/condor/macros.h"
#include "sched/negotiation/negotiation.h"

#define PLAY_BEGIN 1700000000
#define PLAY_MINUTE 60

struct play_job {			/* a class of jobs of a submitter */
	uint32_t submitter, count;
	const char *limits;
};

struct play {
	struct cell cell;
	struct report report;
	struct customers customers;
	char **names;			/* names of the customers */
	struct slot *slots;
	size_t nslots;
	struct charged_slot *charged;
	uint32_t *started;		/* by slot: class of the job that a match has started, or UINT32_MAX */
	double *cpus;
	struct request_class *classes;
	struct play_job *jobs;		/* array indexed by class */
	size_t nclasses;
	struct cycle_submitter *submitters;
	size_t nsubmitters;
	struct negotiator *negotiator;
	struct cycle_result result;
	int64_t now, cycle;
	struct workers *workers;
	/* Function of a test; may be NULL. */
	slot_admits *admits;
	uint64_t (*clock_ns)(void *context);
	void *context;
	json_t *text;			/* JSON of the case, which contains limits */
	uint64_t made;
};

static inline void *play_grown(void *items, size_t n, size_t bytes)
{
	items = realloc(items, (n + 1) * bytes);
	assert(items);
	return items;
}

/* Configuration */

static inline void play_macro(FILE *file, const char *name, json_t *value)
{
	if (json_is_string(value))
		fprintf(file, "%s = %s\n", name, json_string_value(value));
	else if (json_is_boolean(value))
		fprintf(file, "%s = %s\n", name, json_is_true(value) ? "True" : "False");
	else if (json_is_integer(value))
		fprintf(file, "%s = %" JSON_INTEGER_FORMAT "\n", name, json_integer_value(value));
	else
		fprintf(file, "%s = %.17g\n", name, json_real_value(value));
}

static inline int play_configure(struct play *play, json_t *config)
{
	char directory[] = "/tmp/negotiation.XXXXXX", path[64];
	struct reader reader = { .cell = &play->cell, .report = &play->report, .dir = directory };
	const char *name;
	json_t *value;
	FILE *file;
	int rc;

	assert(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/condor_config", directory);
	file = fopen(path, "w");
	assert(file);
	fprintf(file, "UID_DOMAIN = pool\nPRIORITY_HALFLIFE = 1e12\n");
	json_object_foreach(config, name, value)
		play_macro(file, name, value);
	fclose(file);
	rc = condor_read(&reader);
	unlink(path);
	rmdir(directory);
	if (rc < 0 || play->report.faults > 0)
		report_print(&play->report, stderr);
	return rc < 0 ? rc : play->report.faults > 0 ? -EINVAL : 0;
}

/* Ads */

static inline void play_set_text(struct classad *ad, const char *name, const char *expression)
{
	struct error error;

	if (classad_set(ad, name, expression, &error) < 0) {
		fprintf(stderr, "%s = %s: %s\n", name, expression, error.text);
		abort();
	}
}

static inline void play_set(struct classad *ad, const char *name, json_t *value)
{
	char text[64];
	const char *expression = json_string_value(value);

	if (!expression) {
		if (json_is_boolean(value))
			snprintf(text, sizeof(text), "%s", json_is_true(value) ? "true" : "false");
		else if (json_is_integer(value))
			snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		else
			snprintf(text, sizeof(text), "%.17g%s", json_real_value(value),
				 json_real_value(value) == floor(json_real_value(value)) ? ".0" : "");
		expression = text;
	}
	play_set_text(ad, name, expression);
}

static inline void play_set_number(struct classad *ad, const char *name, double value)
{
	struct classad_value number = { .type = CLASSAD_INT, .integer = (int64_t)value };

	if (value != floor(value))
		number = (struct classad_value){ .type = CLASSAD_REAL, .real = value };
	assert(classad_set_value(ad, name, &number) == 0);
}

/* Customers */

static inline uint32_t play_customer(struct play *play, const char *name)
{
	uint32_t group, i;

	for (i = 0; i < play->customers.n; i++)
		if (strcmp(play->names[i], name) == 0)
			return i;
	play->names = play_grown(play->names, play->customers.n, sizeof(*play->names));
	play->customers.items = play_grown(play->customers.items, play->customers.n, sizeof(*play->customers.items));
	group = condor_group_of(&play->cell.condor, name, NULL);
	play->names[i] = strdup(name);
	customer_begin(&play->customers.items[i], group, false, condor_factor(&play->cell.condor, name, group));
	play->customers.n++;
	return i;
}

static inline void play_customers_begin(struct play *play)
{
	const struct condor_conf *conf = &play->cell.condor;

	for (uint32_t i = 0; i < conf->ngroups; i++) {
		play->names = play_grown(play->names, i, sizeof(*play->names));
		play->customers.items = play_grown(play->customers.items, i, sizeof(*play->customers.items));
		play->names[i] = strdup(conf->groups[i].name);
		customer_begin(&play->customers.items[i], conf->groups[i].parent, true,
			       condor_factor(conf, conf->groups[i].name, i));
		play->customers.n++;
	}
	play->customers.halflife = conf->halflife;
	play->customers.six_decimals = conf->six_decimals;
	play->customers.last_update = PLAY_BEGIN;
}

static inline double play_number(json_t *of, const char *name, double otherwise)
{
	json_t *value = json_object_get(of, name);

	return value ? json_number_value(value) : otherwise;
}

static inline uint32_t play_customer_set(struct play *play, json_t *record)
{
	uint32_t which = play_customer(play, json_string_value(json_object_get(record, "name")));
	struct customer *customer = &play->customers.items[which];

	customer->rup = play_number(record, "rup", customer->rup);
	customer->factor = play_number(record, "factor", customer->factor);
	customer->ceiling = (int64_t)play_number(record, "ceiling", -1);
	customer->floor = (int64_t)play_number(record, "floor", 0);
	return which;
}

/* Slots */

static inline void play_claim(struct play *play, size_t slot, uint32_t customer, double rank, const char *limits)
{
	struct slot *s = &play->slots[slot];

	s->state = SLOT_CLAIMED;
	s->customer = customer;
	s->current_rank = rank;
	s->limits = limits && *limits ? limits : NULL;
}

static inline void play_slot(struct play *play, size_t i, double weight, json_t *reported)
{
	struct classad *ad = classad_create();
	struct classad_room room = { .now = PLAY_BEGIN };
	struct slot *slot = &play->slots[i];
	char name[32];
	const char *attribute;
	json_t *value;

	snprintf(name, sizeof(name), "slot%zu@m", i + 1);
	play_set_number(ad, "SlotID", (double)i + 1);
	play_set_number(ad, "Cpus", weight);
	play_set_number(ad, "Memory", 0);
	play_set_text(ad, "Rank", "0.0");
	json_object_foreach(reported, attribute,
			    value) if (strcmp(attribute, "RemoteUser") != 0 && strcmp(attribute, "CurrentRank") != 0 &&
				       strcmp(attribute, "partitionable") != 0) play_set(ad, attribute, value);
	*slot = (struct slot){ .name = strdup(name),
			       .ad = ad,
			       .made = ++play->made,
			       .weight = slot_weight(&play->cell.condor, ad, &room),
			       .customer = CUSTOMER_NONE,
			       .preempting_customer = CUSTOMER_NONE,
			       .negotiating_group = UINT32_MAX,
			       .open = true,
			       .partitionable = json_is_true(json_object_get(reported, "partitionable")) };
	classad_room_free(&room);
	play->charged[i].customer = CUSTOMER_NONE;
	play->started[i] = UINT32_MAX;
	play->cpus[i] = weight;
	value = json_object_get(reported, "RemoteUser");
	if (value) {
		char user[256];

		snprintf(user, sizeof(user), "%.*s", (int)json_string_length(value) - 2, json_string_value(value) + 1);
		play_claim(play, i, play_customer(play, user), play_number(reported, "CurrentRank", 0), NULL);
	}
}

static inline void play_slots(struct play *play, json_t *pool)
{
	json_t *weights = json_object_get(pool, "weights"), *ads = json_object_get(pool, "ads");

	play->nslots = (size_t)json_integer_value(json_object_get(pool, "slots"));
	play->slots = calloc(play->nslots + 1, sizeof(*play->slots));
	play->charged = calloc(play->nslots + 1, sizeof(*play->charged));
	play->started = calloc(play->nslots + 1, sizeof(*play->started));
	play->cpus = calloc(play->nslots + 1, sizeof(*play->cpus));
	for (size_t i = 0; i < play->nslots; i++)
		play_slot(play, i,
			  weights ? json_number_value(json_array_get(weights, i)) : play_number(pool, "weight_each", 1),
			  json_array_get(ads, i));
}

/* Submitters and their jobs */

static inline const char *play_text(json_t *of, const char *name, const char *otherwise)
{
	json_t *value = json_object_get(of, name);

	return value ? json_string_value(value) : otherwise;
}

static inline void play_class(struct play *play, uint32_t submitter, json_t *job, const char *may_use,
			      const char *limits)
{
	struct classad *ad = classad_create();
	const char *requirements = play_text(job, "requirements", may_use), *name;
	json_t *value;

	limits = play_text(job, "limits", limits);
	json_object_foreach(json_object_get(job, "ad"), name, value)
		play_set(ad, name, value);
	if (requirements)
		play_set_text(ad, "Requirements", strcmp(requirements, "none") == 0 ? "false" : requirements);
	if (limits)
		assert(classad_set_value(ad, "ConcurrencyLimits",
					 &(struct classad_value){ .type = CLASSAD_STRING,
								  .text = limits,
								  .bytes = strlen(limits) }) == 0);
	play->classes = play_grown(play->classes, play->nclasses, sizeof(*play->classes));
	play->jobs = play_grown(play->jobs, play->nclasses, sizeof(*play->jobs));
	play->classes[play->nclasses] = (struct request_class){ ad, ++play->made };
	play->jobs[play->nclasses++] =
		(struct play_job){ submitter, (uint32_t)json_integer_value(json_object_get(job, "count")), limits };
}

static inline void play_submitter(struct play *play, json_t *record)
{
	const char *may_use = play_text(record, "may_use", NULL),
		   *limits = play_text(record, "concurrency_limits", NULL);
	uint32_t customer = play_customer_set(play, record), which = (uint32_t)play->nsubmitters;
	int64_t running = json_integer_value(json_object_get(record, "running"));
	json_t *jobs = json_object_get(record, "jobs"), *job;
	size_t i;

	play->submitters = play_grown(play->submitters, which, sizeof(*play->submitters));
	play->submitters[which] = (struct cycle_submitter){ .name = play->names[customer], .customer = customer };
	play->nsubmitters++;
	if (!jobs) {
		job = json_pack("{s:i}", "count", (int)json_integer_value(json_object_get(record, "idle")));
		play_class(play, which, job, may_use, limits);
		json_decref(job);
	}
	json_array_foreach(jobs, i, job)
		play_class(play, which, job, may_use, limits);
	for (size_t slot = 0; slot < play->nslots && running > 0; slot++)
		if (play->slots[slot].state == SLOT_UNCLAIMED) {
			play_claim(play, slot, customer, 0, limits);
			running--;
		}
}

/* Begin a case. Return -EINVAL if the configuration has faults, which are printed. */
static inline int play_begin(struct play *play, json_t *of)
{
	json_t *record;
	size_t i;
	int rc;

	*play = (struct play){ .now = PLAY_BEGIN };
	rc = play_configure(play, json_object_get(of, "config"));
	if (rc < 0)
		return rc;
	play_customers_begin(play);
	play_slots(play, json_object_get(of, "pool"));
	json_array_foreach(json_object_get(of, "submitters"), i, record)
		play_submitter(play, record);
	json_array_foreach(json_object_get(of, "others"), i, record)
		play_customer_set(play, record);
	play->negotiator = negotiator_create(&play->cell.condor);
	return play->negotiator ? 0 : -ENOMEM;
}

/* Cycles */

static inline double play_running(const struct play *play, uint32_t customer)
{
	double sum = 0;

	for (size_t i = 0; i < play->nslots; i++)
		if (play->slots[i].state != SLOT_UNCLAIMED && play->slots[i].customer == customer)
			sum += play->cell.condor.weighted_demand && play->cell.condor.use_slot_weights
				       ? play->slots[i].weight
				       : 1;
	return sum;
}

static inline void play_requests(struct play *play, struct request_run *runs)
{
	size_t n = 0;

	for (uint32_t s = 0; s < play->nsubmitters; s++) {
		struct cycle_submitter *to = &play->submitters[s];

		to->requests = runs + n;
		to->n = 0;
		to->idle = 0;
		to->running = play_running(play, to->customer);
		for (uint32_t class = 0; class < play->nclasses; class++)
			if (play->jobs[class].submitter == s && play->jobs[class].count > 0) {
				runs[n++] = (struct request_run){ class, play->jobs[class].count, class };
				to->n++;
				to->idle += play->jobs[class].count;
			}
	}
}

/* Play a cycle. Its results are in play->result. play_settle() then makes claims of its matches. */
static inline void play_cycle(struct play *play)
{
	struct request_run *runs = calloc(play->nclasses + 1, sizeof(*runs));
	struct cycle_input in;

	play_requests(play, runs);
	in = (struct cycle_input){ .now = play->now,
				   .cycle = ++play->cycle,
				   .names = (const char *const *)play->names,
				   .submitters = play->submitters,
				   .nsubmitters = play->nsubmitters,
				   .workers = play->workers,
				   .admits = play->admits,
				   .clock_ns = play->clock_ns,
				   .context = play->context };
	assert(negotiator_slots(play->negotiator, play->slots, play->nslots) == 0);
	assert(negotiator_classes(play->negotiator, play->classes, play->nclasses) == 0);
	assert(negotiator_cycle(play->negotiator, &in, &play->customers, play->charged, &play->result) == 0);
	/* The runs of this cycle have the requests. */
	for (size_t i = 0; i < play->result.nmatches; i++)
		play->result.matches[i].request = play->submitters[play->result.matches[i].submitter]
							  .requests[play->result.matches[i].request]
							  .class;
	for (uint32_t s = 0; s < play->nsubmitters; s++)
		play->submitters[s].requests = NULL;
	free(runs);
	play->now += PLAY_MINUTE;
}

static inline void play_settle(struct play *play)
{
	for (size_t i = 0; i < play->result.nmatches; i++) {
		const struct match *match = &play->result.matches[i];

		if (play->started[match->slot] != UINT32_MAX)
			play->jobs[play->started[match->slot]].count++;
		play->jobs[match->request].count--;
		play->started[match->slot] = match->request;
		play_claim(play, match->slot, play->submitters[match->submitter].customer, match->rank,
			   play->jobs[match->request].limits);
	}
}

static inline void play_end(struct play *play)
{
	negotiator_free(play->negotiator);
	cycle_result_free(&play->result);
	for (size_t i = 0; i < play->nslots; i++) {
		classad_free((struct classad *)play->slots[i].ad);
		free((char *)play->slots[i].name);
	}
	for (size_t i = 0; i < play->nclasses; i++)
		classad_free((struct classad *)play->classes[i].ad);
	for (size_t i = 0; i < play->customers.n; i++)
		free(play->names[i]);
	free(play->slots);
	free(play->charged);
	free(play->started);
	free(play->cpus);
	free(play->classes);
	free(play->jobs);
	free(play->submitters);
	free(play->names);
	free(play->customers.items);
	condor_free(&play->cell.condor);
	report_free(&play->report);
}

/* Result of a cycle, in the members of a case's "expect" */

static inline void play_count(json_t *by_name, const char *name, double more)
{
	json_t *number = json_object_get(by_name, name);

	json_object_set_new(by_name, name, json_real((number ? json_number_value(number) : 0) + more));
}

/* Before play_settle(). */
static inline json_t *play_preempted(const struct play *play)
{
	json_t *all = json_object();

	for (size_t i = 0; i < play->result.nmatches; i++) {
		const struct match *match = &play->result.matches[i];
		const char *winner = play->submitters[match->submitter].name;

		if (match->preemption == PREEMPTS_NONE)
			continue;
		if (!json_object_get(all, winner))
			json_object_set_new(all, winner, json_object());
		play_count(json_object_get(all, winner), play->names[play->slots[match->slot].customer], 1);
	}
	return all;
}

static inline json_t *play_claims(const struct play *play, bool weight)
{
	json_t *all = json_object();

	for (size_t i = 0; i < play->nslots; i++)
		if (play->slots[i].state != SLOT_UNCLAIMED)
			play_count(all, play->names[play->slots[i].customer], weight ? play->cpus[i] : 1);
	return all;
}

static inline json_t *play_contacts(const struct play *play)
{
	json_t *all = json_array();

	for (size_t i = 0; i < play->result.ncontacts; i++)
		json_array_append_new(all, json_string(play->submitters[play->result.contacts[i].submitter].name));
	return all;
}

static inline json_t *play_groups(const struct play *play)
{
	json_t *all = json_object();

	for (size_t i = 0; i < play->result.ngroups && play->result.ngroups > 1; i++) {
		const struct quota_group *group = &play->result.groups[i].quota;

		json_object_set_new(all, play->cell.condor.groups[i].name,
				    json_pack("{s:f,s:f,s:f,s:f}", "quota", group->quota, "subtree_quota",
					      group->subtree_quota, "allocated", group->allocated, "allocated_round1",
					      play->result.groups[i].first_allocated));
	}
	return all;
}

static inline json_t *play_served(const struct play *play)
{
	json_t *all = json_array();

	for (size_t i = 0; i < play->result.nservices; i++) {
		const struct service *service = &play->result.services[i];

		json_array_append_new(all,
				      json_pack("{s:s,s:f,s:f}", "group", play->cell.condor.groups[service->group].name,
						"limit_before_cut", service->uncut, "limit", service->limit));
	}
	return all;
}

static inline json_t *play_matches(const struct play *play)
{
	json_t *all = json_array();

	for (size_t i = 0; i < play->result.nmatches; i++) {
		const struct match *match = &play->result.matches[i];

		json_array_append_new(all, json_pack("[s,s,i]", play->submitters[match->submitter].name,
						     play->slots[match->slot].name, match->preemption));
	}
	return all;
}

/*
 * Play a number of cycles of a case and return their results. NULL if its configuration has faults.
 */
static inline json_t *play_all(json_t *of, size_t cycles, struct workers *workers)
{
	json_t *reported = json_pack("{s:[],s:[],s:[],s:[],s:[],s:[],s:[]}", "running_after_cycle", "weight_after_cycle",
				 "preempted_in_cycle", "negotiated", "groups", "served", "matches");
	struct play play;

	if (play_begin(&play, of) < 0) {
		json_decref(reported);
		play_end(&play);
		return NULL;
	}
	play.workers = workers;
	for (size_t i = 0; i < cycles; i++) {
		play_cycle(&play);
		json_array_append_new(json_object_get(reported, "preempted_in_cycle"), play_preempted(&play));
		json_array_append_new(json_object_get(reported, "negotiated"), play_contacts(&play));
		json_array_append_new(json_object_get(reported, "groups"), play_groups(&play));
		json_array_append_new(json_object_get(reported, "served"), play_served(&play));
		json_array_append_new(json_object_get(reported, "matches"), play_matches(&play));
		play_settle(&play);
		json_array_append_new(json_object_get(reported, "running_after_cycle"), play_claims(&play, false));
		json_array_append_new(json_object_get(reported, "weight_after_cycle"), play_claims(&play, true));
	}
	play_end(&play);
	return reported;
}

#endif
