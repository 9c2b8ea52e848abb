/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

int word_add(struct word_list *list, const char *word)
{
	if (list->n + 2 > list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 16;
		char **more = reallocarray(list->items, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->items = more;
		list->capacity = capacity;
	}
	list->items[list->n] = strdup(word);
	if (!list->items[list->n])
		return -ENOMEM;
	list->items[++list->n] = NULL;
	return 0;
}

void words_clear(struct word_list *list)
{
	for (size_t k = 0; k < list->n; k++)
		free(list->items[k]);
	free(list->items);
	*list = (struct word_list){ .items = NULL };
}

static int next(struct word_list *list, char *value, size_t size)
{
	if (!value || !size)
		return DRMAA_ERRNO_INVALID_ARGUMENT;
	if (list->next >= list->n)
		return DRMAA_ERRNO_NO_MORE_ELEMENTS;
	snprintf(value, size, "%s", list->items[list->next++]);
	return DRMAA_ERRNO_SUCCESS;
}

static int count(const struct word_list *list, int *size)
{
	if (!size)
		return DRMAA_ERRNO_INVALID_ARGUMENT;
	*size = (int)list->n;
	return DRMAA_ERRNO_SUCCESS;
}

int drmaa_get_next_attr_name(drmaa_attr_names_t *values, char *value, size_t value_len)
{
	return values ? next(&values->list, value, value_len) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

int drmaa_get_next_attr_value(drmaa_attr_values_t *values, char *value, size_t value_len)
{
	return values ? next(&values->list, value, value_len) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

int drmaa_get_next_job_id(drmaa_job_ids_t *values, char *value, size_t value_len)
{
	return values ? next(&values->list, value, value_len) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

int drmaa_get_num_attr_names(drmaa_attr_names_t *values, int *size)
{
	return values ? count(&values->list, size) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

int drmaa_get_num_attr_values(drmaa_attr_values_t *values, int *size)
{
	return values ? count(&values->list, size) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

int drmaa_get_num_job_ids(drmaa_job_ids_t *values, int *size)
{
	return values ? count(&values->list, size) : DRMAA_ERRNO_INVALID_ARGUMENT;
}

void drmaa_release_attr_names(drmaa_attr_names_t *values)
{
	if (values)
		words_clear(&values->list);
	free(values);
}

void drmaa_release_attr_values(drmaa_attr_values_t *values)
{
	if (values)
		words_clear(&values->list);
	free(values);
}

void drmaa_release_job_ids(drmaa_job_ids_t *values)
{
	if (values)
		words_clear(&values->list);
	free(values);
}
