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

/* Groups in two levels: one in ten is a parent of nine. */
static void config_write(FILE *file, const struct pool_shape *s)
{
	fprintf(file, "UID_DOMAIN = pool\nPRIORITY_HALFLIFE = 86400\n%s", s->config);
	if (s->groups < 2)
		return;
	fprintf(file, "GROUP_NAMES =");
	for (size_t i = 0; i < s->groups; i++)
		fprintf(file, i % GROUP_BRANCHES == 0 ? " g%zu" : " g%zu.s%zu", i / GROUP_BRANCHES, i % GROUP_BRANCHES);
	fprintf(file, "\nGROUP_ACCEPT_SURPLUS = True\n");
	for (size_t i = 0; i < s->groups; i++)
		if (i % GROUP_BRANCHES == 0)
			fprintf(file, "GROUP_QUOTA_DYNAMIC_g%zu = %.6f\n", i / GROUP_BRANCHES, 0.9 * GROUP_BRANCHES / (double)s->groups);
		else
			fprintf(file, "GROUP_QUOTA_DYNAMIC_g%zu.s%zu = 0.1\n", i / GROUP_BRANCHES, i % GROUP_BRANCHES);
}

static int configure(struct bench_pool *p)
{
	char directory[BENCH_PATH], path[BENCH_PATH + 20];
	struct reader reader = { .cell = &p->cell, .report = &p->report, .dir = directory };
	FILE *file;
	int rc = bench_directory(directory);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/condor_config", directory);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	config_write(file, &p->shape);
	fclose(file);
	rc = condor_read(&reader);
	unlink(path);
	rmdir(directory);
	if (p->report.faults > 0)
		report_print(&p->report, stderr);
	return rc < 0 ? rc : p->report.faults > 0 ? -EINVAL : 0;
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
 * Machines of 64 slots; each slot has a name and a speed of its own, memory and system as its
 * machine has.
 */
static int slot_make(struct bench_pool *p, size_t i)
{
	static const char *const systems[] = { "LINUX", "LINUX", "LINUX", "LINUX", "FREEBSD" };
	size_t machine = i / 64, cpus = p->shape.partitionable ? PIECES : 1;
	struct classad_room room = { .now = BEGIN };
	struct classad *ad;
	char text[640];
	int rc;

	snprintf(text, sizeof(text), "Name = \"slot%zu@machine%zu\"\nSlotID = %zu\nCpus = %zu\nMemory = %zu\nKFlops = %zu\nOpSys = \"%s\"\n"
		 "Arch = \"X86_64\"\nRank = 0.0\nStart = TARGET.JobUniverse =!= 7 && (MY.Owners =?= undefined)\n"
		 "Requirements = Start && TARGET.RequestMemory <= Memory\n",
		 i % 64 + 1, machine, i % 64 + 1, cpus, cpus * (1000 + 500 * (machine % 20)), 1000000 + i * 7919 % 1000003, systems[machine % 5]);
	rc = ad_make(&ad, text);
	if (rc < 0)
		return rc;
	p->slots[i] = (struct slot){ .name = "slot@machine", .ad = ad, .made = ++p->made, .partitionable = p->shape.partitionable,
				     .negotiating_group = UINT32_MAX, .open = true };
	p->slots[i].weight = slot_weight(&p->cell.condor, ad, &room);
	classad_room_free(&room);
	return 0;
}

static int slots_make(struct bench_pool *p)
{
	int rc = 0;

	p->slots = calloc(p->nslots, sizeof(*p->slots));
	p->charged = calloc(p->nslots, sizeof(*p->charged));
	if (!p->slots || !p->charged)
		return -ENOMEM;
	for (size_t i = 0; i < p->nslots && rc == 0; i++)
		rc = slot_make(p, i);
	return rc;
}

static int class_make(struct bench_pool *p, size_t i)
{
	size_t kind = p->shape.kinds ? i % p->shape.kinds : i;
	struct classad *ad;
	char text[320];
	int rc;

	snprintf(text, sizeof(text), "JobUniverse = 5\nRequestMemory = %zu\nRequestCpus = 1\nRequirements = TARGET.Arch == \"X86_64\" && "
		 "TARGET.OpSys == \"%s\" && TARGET.Memory >= RequestMemory && %zu >= 0\n%s%zu\n", 100 + kind % 900, kind % 7 == 0 ? "FREEBSD" : "LINUX",
		 p->shape.alone ? kind : 0,
		 p->shape.ranks ? "Rank = TARGET.KFlops % " : "JobOfMine = ", 1000 + kind);
	rc = ad_make(&ad, text);
	p->classes[i] = (struct request_class){ ad, ++p->made };
	return rc;
}

static int customer_make(struct bench_pool *p, size_t at, const char *name, uint32_t group, bool is_group)
{
	p->names[at] = strdup(name);
	if (!p->names[at])
		return -ENOMEM;
	customer_begin(&p->customers.items[at], group, is_group, 1000);
	if (!is_group)
		p->customers.items[at].rup = 0.5 + (double)(at * 7919 % 1000) / 50;
	return 0;
}

static int customers_make(struct bench_pool *p)
{
	const struct condor_conf *conf = &p->cell.condor;
	size_t n = conf->ngroups + p->shape.submitters;
	int rc = 0;

	p->names = calloc(n, sizeof(*p->names));
	p->fresh = calloc(n, sizeof(*p->fresh));
	p->customers = (struct customers){ .items = calloc(n, sizeof(*p->customers.items)), .n = n, .halflife = conf->halflife,
					   .six_decimals = conf->six_decimals };
	if (!p->names || !p->fresh || !p->customers.items)
		return -ENOMEM;
	for (size_t i = 0; i < conf->ngroups && rc == 0; i++)
		rc = customer_make(p, i, conf->groups[i].name, conf->groups[i].parent, true);
	for (size_t i = 0; i < p->shape.submitters && rc == 0; i++) {
		uint32_t group = (uint32_t)(i % conf->ngroups);
		char name[128];

		snprintf(name, sizeof(name), "%s%suser%zu@pool", group ? conf->groups[group].name : "", group ? "." : "", i);
		rc = customer_make(p, conf->ngroups + i, name, group, false);
	}
	if (rc == 0)
		memcpy(p->fresh, p->customers.items, n * sizeof(*p->fresh));
	return rc;
}

/* Each submitter has its part of the classes, and of the jobs. */
static int submitters_make(struct bench_pool *p)
{
	const struct pool_shape *s = &p->shape;
	size_t each = s->classes / s->submitters ? s->classes / s->submitters : 1, classes = each * s->submitters;
	size_t jobs = s->jobs / classes ? s->jobs / classes : 1;
	int rc = 0;

	p->shape.classes = classes;
	p->classes = calloc(classes, sizeof(*p->classes));
	p->runs = calloc(classes, sizeof(*p->runs));
	p->submitters = calloc(s->submitters, sizeof(*p->submitters));
	if (!p->classes || !p->runs || !p->submitters)
		return -ENOMEM;
	for (size_t i = 0; i < classes && rc == 0; i++) {
		rc = class_make(p, i);
		p->runs[i] = (struct request_run){ (uint32_t)i, (uint32_t)jobs, (uint32_t)i };
	}
	for (size_t i = 0; i < s->submitters; i++) {
		uint32_t customer = (uint32_t)(p->cell.condor.ngroups + i);

		p->submitters[i] = (struct cycle_submitter){ .name = p->names[customer], .customer = customer, .requests = p->runs + i * each, .n = each,
							     .idle = (double)(each * jobs) };
	}
	return rc;
}

int bench_pool_create(struct bench_pool *p, const struct pool_shape *shape)
{
	int rc;

	*p = (struct bench_pool){ .shape = *shape, .nslots = shape->slots };
	if (shape->partitionable)
		p->nslots = shape->slots / PIECES ? shape->slots / PIECES : 1;
	rc = configure(p);
	if (rc == 0)
		rc = customers_make(p);
	if (rc == 0)
		rc = slots_make(p);
	if (rc == 0)
		rc = submitters_make(p);
	if (rc == 0) {
		p->negotiator = negotiator_create(&p->cell.condor);
		rc = p->negotiator ? 0 : -ENOMEM;
	}
	return rc;
}

void bench_pool_destroy(struct bench_pool *p)
{
	negotiator_free(p->negotiator);
	cycle_result_free(&p->result);
	for (size_t i = 0; p->slots && i < p->nslots; i++)
		classad_free((struct classad *)p->slots[i].ad);
	for (size_t i = 0; p->classes && i < p->shape.classes; i++)
		classad_free((struct classad *)p->classes[i].ad);
	for (size_t i = 0; p->names && i < p->customers.n; i++)
		free(p->names[i]);
	free(p->slots);
	free(p->charged);
	free(p->classes);
	free(p->runs);
	free(p->submitters);
	free(p->names);
	free(p->fresh);
	free(p->customers.items);
	condor_free(&p->cell.condor);
	report_free(&p->report);
}

int bench_pool_reset(struct bench_pool *p)
{
	memcpy(p->customers.items, p->fresh, p->customers.n * sizeof(*p->fresh));
	p->customers.last_update = BEGIN;
	for (size_t i = 0; i < p->nslots; i++) {
		p->charged[i].customer = CUSTOMER_NONE;
		p->slots[i].state = SLOT_UNCLAIMED;
		p->slots[i].customer = p->slots[i].preempting_customer = CUSTOMER_NONE;
		p->slots[i].since = 0;
	}
	for (size_t i = 0; i < p->shape.submitters; i++)
		p->submitters[i].running = 0;
	return 0;
}

static void claim(struct bench_pool *p, size_t slot, size_t submitter)
{
	struct slot *s = &p->slots[slot];

	s->state = SLOT_CLAIMED;
	s->customer = p->submitters[submitter].customer;
	s->current_rank = 0;
	s->since = BEGIN - 7200 - (int64_t)(slot % 3600);
	p->submitters[submitter].running += s->weight;
}

int bench_pool_claim(struct bench_pool *p, size_t each)
{
	int rc = bench_pool_take(p);

	if (rc == 0)
		rc = bench_pool_cycle(p);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < p->result.nmatches; i++)
		if (each ? i % each != each - 1 : i > 0)
			claim(p, p->result.matches[i].slot, p->result.matches[i].submitter);
	return 0;
}

int bench_pool_claim_all(struct bench_pool *p)
{
	for (size_t i = 0; i < p->nslots; i++)
		claim(p, i, i % p->shape.submitters);
	for (size_t i = 0; i < p->shape.submitters; i += 100)
		p->customers.items[p->submitters[i].customer].rup = 1000;
	return 0;
}

int bench_pool_take(struct bench_pool *p)
{
	int rc = negotiator_slots(p->negotiator, p->slots, p->nslots);

	return rc < 0 ? rc : negotiator_classes(p->negotiator, p->classes, p->shape.classes);
}

int bench_pool_cycle(struct bench_pool *p)
{
	struct cycle_input in = { .now = BEGIN + MINUTE * ++p->cycle, .cycle = p->cycle, .names = (const char *const *)p->names,
				  .submitters = p->submitters, .nsubmitters = p->shape.submitters, .clock_ns = clock_of };

	return negotiator_cycle(p->negotiator, &in, &p->customers, p->charged, &p->result);
}
