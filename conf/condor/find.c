/* SPDX-License-Identifier: Apache-2.0 */
/* Group, factor and concurrency limit for a name. */
#include <string.h>
#include <strings.h>

#include "conf/condor.h"

/* independent of NICE_USER_ACCOUNTING_GROUP_NAME, as in HTCondor */
#define NICE_USER "nice-user"

/* Return the last component of a group's name. */
static const char *component_of(const struct condor_group *group)
{
	const char *dot = strrchr(group->name, '.');

	return dot ? dot + 1 : group->name;
}

/*
 * Find a child by binary search, since siblings are sorted by name, case-insensitive. Returns 0 if
 * it does not exist.
 */
static uint32_t child_find(const struct condor_conf *conf, uint32_t parent, const char *component, size_t n)
{
	uint32_t low = conf->groups[parent].first_child, high = low + conf->groups[parent].nchildren, middle;
	const char *name;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		name = component_of(&conf->groups[middle]);
		order = strncasecmp(component, name, n);
		if (order == 0 && name[n])
			order = -1;
		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/* Follow the path from `at` to `end` as far as it exists. */
static uint32_t path_walk(const struct condor_conf *conf, const char *at, const char *end, bool *whole)
{
	uint32_t group = 0, child;
	const char *dot;
	size_t n;

	for (*whole = true; at < end; at += n + 1) {
		dot = memchr(at, '.', (size_t)(end - at));
		n = (size_t)((dot ? dot : end) - at);
		child = child_find(conf, group, at, n);
		if (child == 0) {
			*whole = false;
			break;
		}
		group = child;
	}
	return group;
}

uint32_t condor_group_of(const struct condor_conf *conf, const char *submitter, bool *whole)
{
	const char *at = strrchr(submitter, '@'), *dot;
	uint32_t group;
	bool all;

	if (!at) {	/* record of a group, or of a former group */
		group = path_walk(conf, submitter, submitter + strlen(submitter), &all);
		group = all ? group : 0;
	} else {
		dot = memrchr(submitter, '.', (size_t)(at - submitter));
		group = path_walk(conf, submitter, dot ? dot : submitter, &all);
	}
	if (whole)
		*whole = all;
	return group;
}

double condor_factor(const struct condor_conf *conf, const char *customer, uint32_t group)
{
	const char *domain = strrchr(customer, '@');
	double of_group = conf->groups[group].prio_factor;

	if (strncmp(customer, NICE_USER, strlen(NICE_USER)) == 0)
		return conf->nice_user_factor;
	if (of_group != 0)
		return of_group;
	if (*conf->local_domain && strcmp(domain ? domain + 1 : "", conf->local_domain) != 0)
		return conf->remote_factor;
	return conf->default_factor;
}

/*
 * Order of limits: by the first n bytes of their names, case-insensitive. A limit that is a default
 * comes after one that is not.
 */
static int limit_compare(const struct condor_limit *limit, const char *name, size_t n, bool is_default)
{
	int order = strncasecmp(limit->name, name, n);

	if (order == 0 && limit->name[n])
		order = 1;
	return order ? order : (int)limit->is_default - (int)is_default;
}

static const struct condor_limit *limit_find(const struct condor_conf *conf, const char *name, size_t n,
					     bool is_default)
{
	size_t low = 0, high = conf->nlimits, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = limit_compare(&conf->limits[middle], name, n, is_default);
		if (order == 0)
			return &conf->limits[middle];
		if (order > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

double condor_limit(const struct condor_conf *conf, const char *name)
{
	const char *dot = strrchr(name, '.');
	const struct condor_limit *limit = limit_find(conf, name, strlen(name), false);

	if (!limit && dot)
		limit = limit_find(conf, name, (size_t)(dot - name), true);
	return limit ? limit->most : conf->limit_default;
}
