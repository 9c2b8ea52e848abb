/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.conf(5): what flags come to, and what is wrong or hurts although each parameter is right.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"
#include "conf/text.h"

static const struct { const char *word; unsigned flags; } flag_words[] = {
	{ "ACCRUE_ALWAYS", FLAG_ACCRUE_ALWAYS }, { "SMALL_RELATIVE_TO_TIME", FLAG_SMALL_RELATIVE_TO_TIME },
	{ "CALCULATE_RUNNING", FLAG_CALCULATE_RUNNING }, { "DEPTH_OBLIVIOUS", FLAG_DEPTH_OBLIVIOUS }, { "NO_FAIR_TREE", FLAG_NO_FAIR_TREE },
	{ "FAIR_TREE", FLAG_FAIR_TREE }, { "INCR_ONLY", FLAG_INCR_ONLY }, { "MAX_TRES_GRES", FLAG_MAX_TRES_GRES }, { "MAX_TRES", FLAG_MAX_TRES },
	{ "NO_NORMAL_ASSOC", FLAG_NO_NORMAL_ASSOC }, { "NO_NORMAL_PART", FLAG_NO_NORMAL_PART }, { "NO_NORMAL_QOS", FLAG_NO_NORMAL_QOS },
	{ "NO_NORMAL_TRES", FLAG_NO_NORMAL_TRES },
	{ "NO_NORMAL_ALL", FLAG_NO_NORMAL_ASSOC | FLAG_NO_NORMAL_PART | FLAG_NO_NORMAL_QOS | FLAG_NO_NORMAL_TRES },
};

/*
 * Slurm searches the whole value for each word, whatever stands around it; some of them are parts
 * of others.
 */
static unsigned flags_find(const char *text)
{
	unsigned flags = 0;
	size_t i;

	for (i = 0; i < sizeof(flag_words) / sizeof(*flag_words); i++)
		if (strcasestr(text, flag_words[i].word))
			flags |= flag_words[i].flags;
	if (flags & FLAG_NO_FAIR_TREE)
		flags &= ~(unsigned)FLAG_FAIR_TREE;
	if (flags & FLAG_MAX_TRES_GRES)
		flags &= ~(unsigned)FLAG_MAX_TRES;
	return flags;
}

static enum fairshare_method method_of(const struct slurm_conf *conf)
{
	if (conf->version == PRIORITY_2009)
		return FAIRSHARE_2009;
	if (conf->flags & FLAG_DEPTH_OBLIVIOUS)
		return FAIRSHARE_DEPTH_OBLIVIOUS;
	return conf->flags & FLAG_NO_FAIR_TREE ? FAIRSHARE_CLASSIC : FAIRSHARE_FAIR_TREE;
}

static bool has_word(const char *list, const char *word)
{
	return list && strcasestr(list, word);
}

void slurm_flags_finish(struct slurm_files *f)
{
	struct slurm_conf *conf = f->conf;

	conf->flags = f->flags ? flags_find(f->flags) : 0;
	conf->method = method_of(conf);
	conf->enforce_limits = has_word(f->enforce, "limits") || has_word(f->enforce, "safe") || (f->enforce && !strcasecmp(f->enforce, "all"));
	conf->no_storage = f->storage_type && !has_word(f->storage_type, "slurmdbd") && !has_word(f->storage_type, "sql");
}

static void flags_check(struct slurm_files *f)
{
	char *rest = f->flags, *word;

	while (rest && (word = text_word(&rest, LIST_SEPARATORS)))
		if (!flags_find(word))
			slurm_report(f, WARNING, slurm_parameter_place(f, "PriorityFlags"), "\"%.60s\" is no word of PriorityFlags: it has no effect", word);
}

static void weights_check(struct slurm_files *f)
{
	const struct slurm_conf *c = f->conf;
	uint64_t sum = (uint64_t)c->weight_age + c->weight_assoc + c->weight_fairshare + c->weight_job_size + c->weight_partition + c->weight_qos;
	struct slurm_place nowhere = { f->paths[0], 0 };

	if (sum > UINT32_MAX)
		slurm_report(f, WARNING, nowhere, "the PriorityWeight parameters add up to %llu: a priority is cut at 4294967295, "
			     "so that many jobs may have the same", (unsigned long long)sum);
	if (sum == 0 && !f->weight_tres)
		slurm_report(f, WARNING, nowhere, "all PriorityWeight parameters are 0: all jobs have the same priority, but for nice and site factor");
	if (c->no_storage && (c->weight_age || c->weight_fairshare))
		slurm_report(f, WARNING, slurm_parameter_place(f, "AccountingStorageType"), "\"%.60s\" found: without accounting storage "
			     "PriorityWeightAge and PriorityWeightFairshare count as 0", f->storage_type);
}

static void usage_check(struct slurm_files *f)
{
	const struct slurm_conf *c = f->conf;

	if (c->half_life == 0 && !slurm_parameter_place(f, "PriorityUsageResetPeriod").file)
		slurm_report(f, FAULT, slurm_parameter_place(f, "PriorityDecayHalfLife"), "PriorityDecayHalfLife is 0, and there is no "
			     "PriorityUsageResetPeriod: usage would grow for ever; NONE says that this is meant");
	if (c->half_life == 0 && c->version == PRIORITY_2009)
		slurm_report(f, WARNING, slurm_parameter_place(f, "PriorityDecayHalfLife"), "with PriorityVersion 2009 usage counts as a part of what "
			     "the cluster does in two half-lives: with PriorityDecayHalfLife 0 it counts as none");
	if (c->damping == 0)
		slurm_report(f, WARNING, slurm_parameter_place(f, "FairShareDampeningFactor"), "FairShareDampeningFactor is 0: "
			     "the fair-share factor is 0 for all who have used anything");
}

void slurm_check(struct slurm_files *f)
{
	struct slurm_place nowhere = { f->paths[0], 0 };

	if (f->priority_type && strcasecmp(f->priority_type, "priority/multifactor"))
		slurm_report(f, WARNING, slurm_parameter_place(f, "PriorityType"), "\"%.60s\" found: priority/multifactor is computed all the same",
			     f->priority_type);
	if (f->site_factor && *f->site_factor && strcasecmp(f->site_factor, "site_factor/none"))
		slurm_report(f, WARNING, slurm_parameter_place(f, "PrioritySiteFactorPlugin"), "\"%.60s\" found: plugins are not called, "
			     "a job has the site_factor that its events say", f->site_factor);
	flags_check(f);
	weights_check(f);
	usage_check(f);
	if (f->conf->npartitions == 0)
		slurm_report(f, WARNING, nowhere, "there is no PartitionName line: all jobs have partition factor 0");
	if (f->conf->nodes == 0)
		slurm_report(f, WARNING, nowhere, "there is no NodeName line: all jobs have job size factor 0");
}

static int absence_warn(const struct reader *r, const char *name, const char *what)
{
	char *path = path_join(r->dir, NULL, name);

	if (!path)
		return -ENOMEM;
	report_add(r->report, WARNING, path, 0, "%s", what);
	free(path);
	return 0;
}

int slurm_tables_check(const struct reader *r)
{
	const struct slurm_conf *conf = &r->cell->slurm;
	int rc = 0;

	if (!conf->present)
		return 0;
	if (conf->nassociations == 0 && (conf->weight_fairshare || conf->weight_assoc))
		rc = absence_warn(r, "associations", "there are none, here or in sshare: all jobs have fair-share and association factor 0");
	if (!rc && conf->nqos == 0 && conf->weight_qos)
		rc = absence_warn(r, "qos", "there are none: all jobs have QOS factor 0");
	return rc;
}
