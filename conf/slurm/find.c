/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search for the objects that jobs name. It runs when a job arrives, so all arrays are sorted.
 * slurm_free() is here too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/base/search.h"
#include "conf/slurm/files.h"

static const char *or_none(const char *name)
{
	return name ? name : "";
}

const struct slurm_partition *slurm_partition(const struct slurm_conf *conf, const char *name)
{
	const struct slurm_name *found = conf->partition_names
		? array_find(conf->partition_names, conf->npartitions, sizeof(*found), or_none(name)) : NULL;

	return found ? &conf->partitions[found->index] : NULL;
}

const struct slurm_qos *slurm_qos(const struct slurm_conf *conf, const char *name)
{
	const struct slurm_name *found =
		conf->qos_names ? array_find(conf->qos_names, conf->nqos, sizeof(*found), or_none(name)) : NULL;

	return found ? &conf->qos[found->index] : NULL;
}

const char *slurm_default_account(const struct slurm_conf *conf, const char *user)
{
	const struct slurm_user *found = array_find(conf->users, conf->nusers, sizeof(*found), or_none(user));

	return found ? found->default_account : NULL;
}

static bool lists(const char *list, const char *name)
{
	size_t length = strlen(name);
	const char *at;

	for (at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == length && !strncasecmp(at, name, length))
			return true;
	return false;
}

bool slurm_default_qos_allowed(const struct slurm_association *association)
{
	return !association->default_qos || !association->qos_list ||
	       lists(association->qos_list, association->default_qos);
}

const char *slurm_default_qos(const struct slurm_conf *conf, uint32_t association)
{
	const struct slurm_association *a = association < conf->nassociations ? &conf->associations[association] : NULL;

	if (a && a->default_qos && slurm_default_qos_allowed(a))
		return a->default_qos;
	if (a && a->qos_list && *a->qos_list && !strchr(a->qos_list, ','))
		return a->qos_list;
	return slurm_qos(conf, SLURM_QOS_NORMAL) ? SLURM_QOS_NORMAL : "";
}

static int names_compare(const struct slurm_association *association, const char *account, const char *user,
			 const char *partition)
{
	int order = strcasecmp(association->account, account);

	if (!order)
		order = strcmp(association->user, user);
	/* names in the database are in lower case */
	return order ? order : strcasecmp(association->partition, partition);
}

static int index_compare(const void *a, const void *b, void *associations)
{
	const struct slurm_association *x = (const struct slurm_association *)associations + *(const uint32_t *)a;
	const struct slurm_association *y = (const struct slurm_association *)associations + *(const uint32_t *)b;
	int order = names_compare(x, y->account, y->user, y->partition);

	return order ? order : (x > y) - (x < y);
}

int slurm_associations_index(struct slurm_conf *conf)
{
	uint32_t i, n = (uint32_t)conf->nassociations;

	free(conf->association_index);
	conf->association_index = calloc(n ? n : 1, sizeof(*conf->association_index));
	if (!conf->association_index)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		conf->association_index[i] = i;
	if (n > 1)
		qsort_r(conf->association_index, n, sizeof(*conf->association_index), index_compare,
			conf->associations);
	return 0;
}

uint32_t slurm_association_exact(const struct slurm_conf *conf, const char *account, const char *user,
				 const char *partition)
{
	const struct slurm_association *all = conf->associations;
	const uint32_t *index = conf->association_index;
	size_t n = index ? conf->nassociations : 0, at;

	lower_bound(at, n, names_compare(&all[index[at]], account, user, partition) < 0);
	return at < n && names_compare(&all[index[at]], account, user, partition) == 0 ? index[at] : UINT32_MAX;
}

uint32_t slurm_association(const struct slurm_conf *conf, const char *account, const char *user, const char *partition)
{
	uint32_t found = UINT32_MAX;

	if (*or_none(partition) && *or_none(user))
		found = slurm_association_exact(conf, or_none(account), user, partition);
	return found != UINT32_MAX ? found : slurm_association_exact(conf, or_none(account), or_none(user), "");
}

static void partitions_free(struct slurm_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->npartitions; i++) {
		free(conf->partitions[i].name);
		free(conf->partitions[i].qos);
		free(conf->partitions[i].billing);
		free(conf->partitions[i].total);
	}
	free(conf->partitions);
	free(conf->partition_names);
}

static void associations_free(struct slurm_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->nassociations; i++) {
		free(conf->associations[i].account);
		free(conf->associations[i].user);
		free(conf->associations[i].partition);
		free(conf->associations[i].said_qos);
		free(conf->associations[i].said_list);
		free(conf->associations[i].group_minutes);
	}
	free(conf->associations);
	free(conf->association_index);
	for (i = 0; i < conf->nusers; i++) {
		free(conf->users[i].name);
		free(conf->users[i].default_account);
	}
	free(conf->users);
}

void slurm_free(struct slurm_conf *conf)
{
	size_t i;

	partitions_free(conf);
	associations_free(conf);
	for (i = 0; i < conf->nqos; i++)
		free(conf->qos[i].name);
	free(conf->qos);
	free(conf->qos_names);
	for (i = 0; i < conf->ntres; i++)
		free(conf->tres[i]);
	free(conf->tres);
	free(conf->weight_tres);
	free(conf->weight_tres_typed);
	*conf = (struct slurm_conf){ 0 };
}
