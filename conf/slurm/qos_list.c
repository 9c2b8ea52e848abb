/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QOS that an association may use, and its default. Values that are not set are inherited from
 * above. "+high,-low" changes the inherited list.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm/files.h"

/* Return the next name of a list and its length, or NULL after the last one. */
static const char *name_next(const char **list, size_t *length)
{
	const char *name = *list + strspn(*list, ",");

	*length = strcspn(name, ",");
	*list = name + *length;
	return *length > 0 ? name : NULL;
}

static bool is_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
	return a_length == b_length && !strncasecmp(a, b, a_length);
}

/* Return true if the list has the name with `sign`. Sign 0: the name without a sign. */
static bool has(const char *list, char sign, const char *name, size_t length)
{
	const char *at;
	size_t n;

	while ((at = name_next(&list, &n)))
		if (sign ? *at == sign && is_same(at + 1, n - 1, name, length) : is_same(at, n, name, length))
			return true;
	return false;
}

static char *append(char *end, const char *begin, const char *name, size_t length)
{
	if (end > begin)
		*end++ = ',';
	memcpy(end, name, length);
	end[length] = '\0';
	return end + length;
}

/*
 * Return the list from above with the additions and without the removals. Returns NULL if memory is
 * exhausted.
 */
static char *changed(const char *above, const char *changes)
{
	char *list = calloc(1, strlen(above) + strlen(changes) + 2), *end = list;
	const char *at, *name;
	size_t length;

	if (!list)
		return NULL;
	for (at = above; (name = name_next(&at, &length));)
		if (!has(changes, '-', name, length))
			end = append(end, list, name, length);
	for (at = changes; (name = name_next(&at, &length));)
		if (*name == '+' && !has(list, 0, name + 1, length - 1))
			end = append(end, list, name + 1, length - 1);
	return list;
}

int slurm_qos_inherit(struct slurm_conf *conf, struct slurm_association *a)
{
	const struct slurm_association *above = a->parent == UINT32_MAX ? NULL : &conf->associations[a->parent];
	char *list = NULL;

	if (a->said_list && (*a->said_list == '+' || *a->said_list == '-')) {
		if (above && above->qos_list) {
			list = changed(above->qos_list, a->said_list);
			if (!list)
				return -ENOMEM;
		}
		free(a->said_list);
		a->said_list = list;	/* changes to an unknown list leave it unknown */
	}
	a->default_qos = a->said_qos ? a->said_qos : above ? above->default_qos : NULL;
	a->qos_list = a->said_list ? a->said_list : above ? above->qos_list : NULL;
	conf->qos_by_association |= a->default_qos ||
		(a->qos_list && *a->qos_list && !strchr(a->qos_list, ',') && strcmp(a->qos_list, SLURM_QOS_NORMAL));
	return 0;
}
