/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "bench/negotiate_pool.h"
#include "conf/condor/macros.h"

#define BEGIN 1700000000
#define MINUTE 60
#define PIECES 32			/* processors of a partitionable slot */
#define GROUP_BRANCHES 10

static uint64_t clock_of(void *context)
{
	(void)context;
	return (uint64_t)now_ns();
}

/* Write the groups in two levels: one in ten is a parent of nine. */
static void config_write(FILE *file, const struct pool_shape *shape)
{
	fprintf(file, "UID_DOMAIN = pool\nPRIORITY_HALFLIFE = 86400\n%s", shape->config);
	if (shape->groups < 2)
		return;
	fprintf(file, "GROUP_NAMES =");
	for (size_t i = 0; i < shape->groups; i++)
		fprintf(file, i % GROUP_BRANCHES == 0 ? " g%zu" : " g%zu.s%zu", i / GROUP_BRANCHES, i % GROUP_BRANCHES);
	fprintf(file, "\nGROUP_ACCEPT_SURPLUS = True\n");
	for (size_t i = 0; i < shape->groups; i++)
		if (i % GROUP_BRANCHES == 0)
			fprintf(file, "GROUP_QUOTA_DYNAMIC_g%zu = %.6f\n", i / GROUP_BRANCHES,
				0.9 * GROUP_BRANCHES / (double)shape->groups);
		else
			fprintf(file, "GROUP_QUOTA_DYNAMIC_g%zu.s%zu = 0.1\n", i / GROUP_BRANCHES, i % GROUP_BRANCHES);
}

static int configure(struct bench_pool *pool)
{
	char directory[BENCH_PATH], path[BENCH_PATH + 20];
	struct reader reader = { .cell = &pool->cell, .report = &pool->report, .dir = directory };
	FILE *file;
	int rc = bench_directory(directory);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/condor_config", directory);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	config_write(file, &pool->shape);
	fclose(file);
	rc = condor_read(&reader);
	unlink(path);
	rmdir(directory);
	if (pool->report.faults > 0)
		report_print(&pool->report, stderr);
	return rc < 0 ? rc : pool->report.faults > 0 ? -EINVAL : 0;
}

static int ad_make(struct classad **ad, const char *text)
{
	struct error error = { "" };
	int rc = classad_read(ad, text, &error);

	if (rc < 0)
		fprintf(stderr, "negotiate: %s: %s\n", text, error.text);
	return rc;
}

/*
 * Make a slot. Machines have 64 slots. Each slot has its own name and speed, and the memory and
 * system of its machine.
 */
static int slot_make(struct bench_pool *pool, size_t i)
{
	static const char *const systems[] = { "LINUX", "LINUX", "LINUX", "LINUX", "FREEBSD" };
	size_t machine = i / 64, cpus = pool->shape.partitionable ? PIECES : 1;
	struct classad_room room = { .now = BEGIN };
	struct classad *ad;
	char text[640];
	int rc;

	snprintf(text, sizeof(text),
		 "Name = \"slot%zu@machine%zu\"\nSlotID = %zu\nCpus = %zu\nMemory = %zu\nKFlops = %zu\nOpSys = \"%s\"\n"
		 "Arch = \"X86_64\"\nRank = 0.0\nStart = TARGET.JobUniverse =!= 7 && (MY.Owners =?= undefined)\n"
		 "Requirements = Start && TARGET.RequestMemory <= Memory\n",
		 i % 64 + 1, machine, i % 64 + 1, cpus, cpus * (1000 + 500 * (machine % 20)),
		 1000000 + i * 7919 % 1000003, systems[machine % 5]);
	rc = ad_make(&ad, text);
	if (rc < 0)
		return rc;
	pool->slots[i] = (struct slot){ .name = "slot@machine",
					.ad = ad,
					.made = ++pool->made,
					.partitionable = pool->shape.partitionable,
					.negotiating_group = UINT32_MAX,
					.open = true };
	pool->slots[i].weight = slot_weight(&pool->cell.condor, ad, &room);
	classad_room_free(&room);
	return 0;
}

static int slots_make(struct bench_pool *pool)
{
	int rc = 0;

	pool->slots = calloc(pool->nslots, sizeof(*pool->slots));
	pool->charged = calloc(pool->nslots, sizeof(*pool->charged));
	if (!pool->slots || !pool->charged)
		return -ENOMEM;
	for (size_t i = 0; i < pool->nslots && rc == 0; i++)
		rc = slot_make(pool, i);
	return rc;
}

static int class_make(struct bench_pool *pool, size_t i)
{
	size_t kind = pool->shape.kinds ? i % pool->shape.kinds : i;
	struct classad *ad;
	char text[320];
	int rc;

	snprintf(text, sizeof(text),
		 "JobUniverse = 5\nRequestMemory = %zu\nRequestCpus = 1\nRequirements = TARGET.Arch == \"X86_64\" && "
		 "TARGET.OpSys == \"%s\" && TARGET.Memory >= RequestMemory && %zu >= 0\n%s%zu\n",
		 100 + kind % 900, kind % 7 == 0 ? "FREEBSD" : "LINUX", pool->shape.alone ? kind : 0,
		 pool->shape.ranks ? "Rank = TARGET.KFlops % " : "JobOfMine = ", 1000 + kind);
	rc = ad_make(&ad, text);
	pool->classes[i] = (struct request_class){ ad, ++pool->made };
	return rc;
}

static int customer_make(struct bench_pool *pool, size_t at, const char *name, uint32_t group, bool is_group)
{
	pool->names[at] = strdup(name);
	if (!pool->names[at])
		return -ENOMEM;
	customer_begin(&pool->customers.items[at], group, is_group, 1000);
	if (!is_group)
		pool->customers.items[at].rup = 0.5 + (double)(at * 7919 % 1000) / 50;
	return 0;
}

static int customers_make(struct bench_pool *pool)
{
	const struct condor_conf *conf = &pool->cell.condor;
	size_t n = conf->ngroups + pool->shape.submitters;
	int rc = 0;

	pool->names = calloc(n, sizeof(*pool->names));
	pool->fresh = calloc(n, sizeof(*pool->fresh));
	pool->customers = (struct customers){ .items = calloc(n, sizeof(*pool->customers.items)),
					      .n = n,
					      .halflife = conf->halflife,
					      .six_decimals = conf->six_decimals };
	if (!pool->names || !pool->fresh || !pool->customers.items)
		return -ENOMEM;
	for (size_t i = 0; i < conf->ngroups && rc == 0; i++)
		rc = customer_make(pool, i, conf->groups[i].name, conf->groups[i].parent, true);
	for (size_t i = 0; i < pool->shape.submitters && rc == 0; i++) {
		uint32_t group = (uint32_t)(i % conf->ngroups);
		char name[128];

		snprintf(name, sizeof(name), "%s%suser%zu@pool", group ? conf->groups[group].name : "",
			 group ? "." : "", i);
		rc = customer_make(pool, conf->ngroups + i, name, group, false);
	}
	if (rc == 0)
		memcpy(pool->fresh, pool->customers.items, n * sizeof(*pool->fresh));
	return rc;
}

/* Make the submitters. Each one has an equal part of the classes and jobs. */
static int submitters_make(struct bench_pool *pool)
{
	const struct pool_shape *shape = &pool->shape;
	size_t each = shape->classes / shape->submitters ? shape->classes / shape->submitters : 1,
	       classes = each * shape->submitters;
	size_t jobs = shape->jobs / classes ? shape->jobs / classes : 1;
	int rc = 0;

	pool->shape.classes = classes;
	pool->classes = calloc(classes, sizeof(*pool->classes));
	pool->runs = calloc(classes, sizeof(*pool->runs));
	pool->submitters = calloc(shape->submitters, sizeof(*pool->submitters));
	if (!pool->classes || !pool->runs || !pool->submitters)
		return -ENOMEM;
	for (size_t i = 0; i < classes && rc == 0; i++) {
		rc = class_make(pool, i);
		pool->runs[i] = (struct request_run){ (uint32_t)i, (uint32_t)jobs, (uint32_t)i };
	}
	for (size_t i = 0; i < shape->submitters; i++) {
		uint32_t customer = (uint32_t)(pool->cell.condor.ngroups + i);

		pool->submitters[i] = (struct cycle_submitter){ .name = pool->names[customer],
								.customer = customer,
								.requests = pool->runs + i * each,
								.n = each,
								.idle = (double)(each * jobs) };
	}
	return rc;
}

int bench_pool_create(struct bench_pool *pool, const struct pool_shape *shape)
{
	int rc;

	*pool = (struct bench_pool){ .shape = *shape, .nslots = shape->slots };
	if (shape->partitionable)
		pool->nslots = shape->slots / PIECES ? shape->slots / PIECES : 1;
	rc = configure(pool);
	if (rc == 0)
		rc = customers_make(pool);
	if (rc == 0)
		rc = slots_make(pool);
	if (rc == 0)
		rc = submitters_make(pool);
	if (rc == 0) {
		pool->negotiator = negotiator_create(&pool->cell.condor);
		rc = pool->negotiator ? 0 : -ENOMEM;
	}
	return rc;
}

void bench_pool_destroy(struct bench_pool *pool)
{
	negotiator_free(pool->negotiator);
	cycle_result_free(&pool->result);
	for (size_t i = 0; pool->slots && i < pool->nslots; i++)
		classad_free((struct classad *)pool->slots[i].ad);
	for (size_t i = 0; pool->classes && i < pool->shape.classes; i++)
		classad_free((struct classad *)pool->classes[i].ad);
	for (size_t i = 0; pool->names && i < pool->customers.n; i++)
		free(pool->names[i]);
	free(pool->slots);
	free(pool->charged);
	free(pool->classes);
	free(pool->runs);
	free(pool->submitters);
	free(pool->names);
	free(pool->fresh);
	free(pool->customers.items);
	condor_free(&pool->cell.condor);
	report_free(&pool->report);
}

int bench_pool_reset(struct bench_pool *pool)
{
	memcpy(pool->customers.items, pool->fresh, pool->customers.n * sizeof(*pool->fresh));
	pool->customers.last_update = BEGIN;
	for (size_t i = 0; i < pool->nslots; i++) {
		pool->charged[i].customer = CUSTOMER_NONE;
		pool->slots[i].state = SLOT_UNCLAIMED;
		pool->slots[i].customer = pool->slots[i].preempting_customer = CUSTOMER_NONE;
		pool->slots[i].since = 0;
	}
	for (size_t i = 0; i < pool->shape.submitters; i++)
		pool->submitters[i].running = 0;
	return 0;
}

static void claim(struct bench_pool *pool, size_t slot, size_t submitter)
{
	struct slot *s = &pool->slots[slot];

	s->state = SLOT_CLAIMED;
	s->customer = pool->submitters[submitter].customer;
	s->current_rank = 0;
	s->since = BEGIN - 7200 - (int64_t)(slot % 3600);
	pool->submitters[submitter].running += s->weight;
}

int bench_pool_claim(struct bench_pool *pool, size_t each)
{
	int rc = bench_pool_take(pool);

	if (rc == 0)
		rc = bench_pool_cycle(pool);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < pool->result.nmatches; i++)
		if (each ? i % each != each - 1 : i > 0)
			claim(pool, pool->result.matches[i].slot, pool->result.matches[i].submitter);
	return 0;
}

int bench_pool_claim_all(struct bench_pool *pool)
{
	for (size_t i = 0; i < pool->nslots; i++)
		claim(pool, i, i % pool->shape.submitters);
	for (size_t i = 0; i < pool->shape.submitters; i += 100)
		pool->customers.items[pool->submitters[i].customer].rup = 1000;
	return 0;
}

int bench_pool_take(struct bench_pool *pool)
{
	int rc = negotiator_slots(pool->negotiator, pool->slots, pool->nslots);

	return rc < 0 ? rc : negotiator_classes(pool->negotiator, pool->classes, pool->shape.classes);
}

int bench_pool_cycle(struct bench_pool *pool)
{
	struct cycle_input in = { .now = BEGIN + MINUTE * ++pool->cycle,
				  .cycle = pool->cycle,
				  .names = (const char *const *)pool->names,
				  .submitters = pool->submitters,
				  .nsubmitters = pool->shape.submitters,
				  .clock_ns = clock_of };

	return negotiator_cycle(pool->negotiator, &in, &pool->customers, pool->charged, &pool->result);
}
