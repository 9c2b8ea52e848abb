/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.conf(5): effects of the flags, and combinations of valid parameters that are wrong or
 * harmful.
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
	{ "CALCULATE_RUNNING", FLAG_CALCULATE_RUNNING }, { "DEPTH_OBLIVIOUS", FLAG_DEPTH_OBLIVIOUS },
	{ "NO_FAIR_TREE", FLAG_NO_FAIR_TREE },
	{ "FAIR_TREE", FLAG_FAIR_TREE }, { "INCR_ONLY", FLAG_INCR_ONLY }, { "MAX_TRES_GRES", FLAG_MAX_TRES_GRES },
	{ "MAX_TRES", FLAG_MAX_TRES },
	{ "NO_NORMAL_ASSOC", FLAG_NO_NORMAL_ASSOC }, { "NO_NORMAL_PART", FLAG_NO_NORMAL_PART },
	{ "NO_NORMAL_QOS", FLAG_NO_NORMAL_QOS },
	{ "NO_NORMAL_TRES", FLAG_NO_NORMAL_TRES },
	{ "NO_NORMAL_ALL", FLAG_NO_NORMAL_ASSOC | FLAG_NO_NORMAL_PART | FLAG_NO_NORMAL_QOS | FLAG_NO_NORMAL_TRES },
};

/*
 * Find the flags. Slurm searches the whole value for each word, whatever surrounds it. Some words
 * are parts of others.
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

void slurm_flags_finish(struct slurm_files *files)
{
	struct slurm_conf *conf = files->conf;

	conf->flags = files->flags ? flags_find(files->flags) : 0;
	conf->method = method_of(conf);
	conf->enforce_limits = has_word(files->enforce, "limits") || has_word(files->enforce, "safe") ||
			       (files->enforce && !strcasecmp(files->enforce, "all"));
	conf->no_storage = files->storage_type && !has_word(files->storage_type, "slurmdbd") &&
			   !has_word(files->storage_type, "sql");
}

static void flags_check(struct slurm_files *files)
{
	char *rest = files->flags, *word;

	while (rest && (word = text_word(&rest, LIST_SEPARATORS)))
		if (!flags_find(word))
			slurm_report(files, WARNING, slurm_parameter_place(files, "PriorityFlags"),
				     "\"%.60s\" is not a word of PriorityFlags: it has no effect", word);
}

static void weights_check(struct slurm_files *files)
{
	const struct slurm_conf *conf = files->conf;
	uint64_t sum = (uint64_t)conf->weight_age + conf->weight_assoc + conf->weight_fairshare +
		       conf->weight_job_size + conf->weight_partition + conf->weight_qos;
	struct slurm_place nowhere = { files->paths[0], 0 };

	if (sum > UINT32_MAX)
		slurm_report(files, WARNING, nowhere,
			     "the PriorityWeight parameters add up to %llu: priorities are limited to 4294967295, so "
			     "that many jobs may have the same",
			     (unsigned long long)sum);
	if (sum == 0 && !files->weight_tres)
		slurm_report(
			files, WARNING, nowhere,
			"all PriorityWeight parameters are 0: all jobs have the same priority except for nice and "
			"site factor");
	if (conf->no_storage && (conf->weight_age || conf->weight_fairshare))
		slurm_report(files, WARNING, slurm_parameter_place(files, "AccountingStorageType"),
			     "\"%.60s\" found: without accounting storage "
			     "PriorityWeightAge and PriorityWeightFairshare count as 0",
			     files->storage_type);
}

static void usage_check(struct slurm_files *files)
{
	const struct slurm_conf *conf = files->conf;

	if (conf->half_life == 0 && !slurm_parameter_place(files, "PriorityUsageResetPeriod").file)
		slurm_report(files, FAULT, slurm_parameter_place(files, "PriorityDecayHalfLife"),
			     "PriorityDecayHalfLife is 0, and there is no "
			     "PriorityUsageResetPeriod: usage would grow for ever; NONE states that this is intended");
	if (conf->half_life == 0 && conf->version == PRIORITY_2009)
		slurm_report(files, WARNING, slurm_parameter_place(files, "PriorityDecayHalfLife"),
			     "with PriorityVersion 2009 usage counts as a part of what "
			     "the cluster does in two half-lives: with PriorityDecayHalfLife 0 it counts as none");
	if (conf->damping == 0)
		slurm_report(files, WARNING, slurm_parameter_place(files, "FairShareDampeningFactor"),
			     "FairShareDampeningFactor is 0: "
			     "the fair-share factor is 0 for all users with usage");
}

void slurm_check(struct slurm_files *files)
{
	struct slurm_place nowhere = { files->paths[0], 0 };

	if (files->priority_type && strcasecmp(files->priority_type, "priority/multifactor"))
		slurm_report(files, WARNING, slurm_parameter_place(files, "PriorityType"),
			     "\"%.60s\" found: priority/multifactor is computed anyway", files->priority_type);
	if (files->site_factor && *files->site_factor && strcasecmp(files->site_factor, "site_factor/none"))
		slurm_report(files, WARNING, slurm_parameter_place(files, "PrioritySiteFactorPlugin"),
			     "\"%.60s\" found: plugins are not called, "
			     "a job has the site_factor of its events",
			     files->site_factor);
	flags_check(files);
	weights_check(files);
	usage_check(files);
	if (files->conf->npartitions == 0)
		slurm_report(files, WARNING, nowhere,
			     "there is no PartitionName line: all jobs have partition factor 0");
	if (files->conf->nodes == 0)
		slurm_report(files, WARNING, nowhere, "there is no NodeName line: all jobs have job size factor 0");
}

static int absence_warn(const struct reader *reader, const char *name, const char *what)
{
	char *path = path_join(reader->dir, NULL, name);

	if (!path)
		return -ENOMEM;
	report_add(reader->report, WARNING, path, 0, "%s", what);
	free(path);
	return 0;
}

int slurm_tables_check(const struct reader *reader)
{
	const struct slurm_conf *conf = &reader->cell->slurm;
	int rc = 0;

	if (!conf->present)
		return 0;
	if (conf->nassociations == 0 && (conf->weight_fairshare || conf->weight_assoc))
		rc = absence_warn(
			reader, "associations",
			"there are none, here or in sshare: all jobs have fair-share and association factor 0");
	if (!rc && conf->nqos == 0 && conf->weight_qos)
		rc = absence_warn(reader, "qos", "there are none: all jobs have QOS factor 0");
	return rc;
}
