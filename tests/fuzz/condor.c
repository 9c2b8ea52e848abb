/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of an HTCondor pool: "=== condor_config", "=== userprio", and included files, each
 * followed by its content. They are read from memory. Reading the kept texts again must give the
 * same result.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell.h"
#include "conf/classad/classad.h"
#include "conf/lists.h"
#include "tests/fuzz/support.h"

static void groups_look(const struct condor_conf *conf)
{
	MUST(conf->ngroups >= 1 && conf->groups[0].first_child == 1);
	for (size_t i = 1; i < conf->ngroups; i++) {
		const struct condor_group *group = &conf->groups[i], *parent = &conf->groups[group->parent];

		MUST(group->parent < i && i >= parent->first_child && i < parent->first_child + parent->nchildren);
		MUST(isfinite(group->quota) && group->quota >= 0 &&
		     (group->prio_factor == 0 || group->prio_factor >= 1));
		MUST(condor_group_of(conf, group->name, NULL) == i);
		MUST(condor_factor(conf, group->name, (uint32_t)i) >= 1);
	}
}

static void limits_look(const struct condor_conf *conf)
{
	for (size_t i = 0; i < conf->nlimits; i++) {
		MUST(isfinite(conf->limits[i].most) && conf->limits[i].most >= 0);
		if (!conf->limits[i].is_default)
			MUST(condor_limit(conf, conf->limits[i].name) >= 0);
	}
}

static void customers_look(const struct condor_conf *conf)
{
	for (size_t i = 0; i < conf->ncustomers; i++) {
		const struct condor_customer *customer = &conf->customers[i];

		MUST(customer->name && !strpbrk(customer->name, " \t\n") && isfinite(customer->rup) &&
		     customer->rup >= 0 && customer->factor >= 0);
		MUST(isfinite(customer->accumulated) && customer->weight_accumulated >= 0 && customer->ceiling >= -1 &&
		     customer->floor >= 0);
	}
	for (size_t i = 0; i < conf->nresources; i++) {
		MUST(conf->resources[i].slot && conf->resources[i].customer && isfinite(conf->resources[i].weight));
		MUST(i == 0 || strcmp(conf->resources[i - 1].slot, conf->resources[i].slot) < 0);
	}
}

static void expressions_look(const struct condor_conf *conf)
{
	const struct condor_expression *all[] = {
		&conf->slot_weight,
		&conf->preemption_requirements,
		&conf->preemption_rank,
		&conf->pre_job_rank,
		&conf->post_job_rank,
		&conf->start,
		&conf->rank,
		&conf->max_vacate_time,
		&conf->max_retirement_time,
		&conf->want_vacate,
		&conf->kill,
		&conf->preempt,
		&conf->group_sort,
		&conf->slot_constraint,
	};
	struct classad_room room = { .now = FUZZ_NOW };
	struct classad_value value;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		MUST(!all[i]->text == !all[i]->program);
		if (all[i]->program)
			classad_evaluate(all[i]->program, &(struct classad_pair){ 0 }, &room, &value);
		classad_room_reset(&room);
	}
	classad_room_free(&room);
}

/* Return the number of findings, and whether the cell can be used. */
static size_t cell_look(const struct cell_files *files, struct cell_files *kept, bool *good)
{
	struct report report = { 0 };
	struct cell cell;
	size_t findings;

	MUST(cell_load_files(&cell, "cell", files, &report) == 0);
	findings = report.faults + report.warnings;
	*good = report.faults == 0;
	for (size_t i = 0; i < report.n; i++)
		MUST(report.findings[i].text[0] && !strchr(report.findings[i].text, '\n'));
	groups_look(&cell.condor);
	limits_look(&cell.condor);
	customers_look(&cell.condor);
	expressions_look(&cell.condor);
	*kept = cell.files;
	cell.files = (struct cell_files){ 0 };
	cell_free(&cell);
	report_free(&report);
	return findings;
}

#ifdef BROKEN			/* texts are accepted as numbers */
int __real_number_double(const char *text, double *value);
int __wrap_number_double(const char *text, double *value);

int __wrap_number_double(const char *text, double *value)
{
	if (__real_number_double(text, value))
		*value = NAN;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, content;
	struct cell_files files = { 0 }, kept, again;
	struct cell_file *file;
	char name[64];
	size_t findings;
	bool good;

	for (; piece_file(&rest, name, &content); piece_free(&content)) {
		if (!*name || *name == '/')
			continue;
		file = array_add(&files.items, &files.n, sizeof(*file));
		MUST(file && (file->name = strdup(name)) && (file->text = strndup(content.text, content.length)));
	}
	cell_files_sort(&files);
	findings = cell_look(&files, &kept, &good);
	fuzz_taken(good);
	MUST(cell_look(&kept, &again, &good) == findings);
	cell_files_free(&files);
	cell_files_free(&kept);
	cell_files_free(&again);
	return 0;
}
