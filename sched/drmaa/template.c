/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

static size_t name_find(const char *const *names, size_t n, const char *name)
{
	size_t k = 0;

	while (k < n && strcmp(names[k], name) != 0)
		k++;
	return k;
}

/* Find an attribute. Returns DRMAA_ERRNO_SUCCESS with the lock. */
static int enter(const void *jt, const char *name, const void *value, const char *const *names, size_t n, size_t *k,
		 struct reason_wanted *wanted)
{
	if (!jt || !name || !value)
		return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	*k = name_find(names, n, name);
	if (*k == n)
		return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, "%.100s: no such attribute%s", name,
			     names == vector_names ? " with several values" : " with one value");
	return session_enter(wanted);
}

int drmaa_allocate_job_template(drmaa_job_template_t **jt, char *error_diagnosis, size_t error_diag_len)
{
	int code = jt ? session_enter(DIAGNOSIS) : fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);

	if (code)
		return code;
	*jt = calloc(1, sizeof(**jt));
	session_leave();
	return *jt ? DRMAA_ERRNO_SUCCESS : fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
}

/* Free a template. Works without a session, too, because a program may clean up in any order. */
int drmaa_delete_job_template(drmaa_job_template_t *jt, char *error_diagnosis, size_t error_diag_len)
{
	if (!jt)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	for (size_t k = 0; k < ATTRIBUTES; k++)
		free(jt->values[k]);
	for (size_t k = 0; k < VECTORS; k++)
		words_clear(&jt->vectors[k]);
	free(jt);
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_set_attribute(drmaa_job_template_t *jt, const char *name, const char *value, char *error_diagnosis,
			size_t error_diag_len)
{
	size_t k;
	int code = enter(jt, name, value, attribute_names, ATTRIBUTES, &k, DIAGNOSIS);
	char *copy = NULL;

	if (code)
		return code;
	code = attribute_check((enum template_attribute)k, value, DIAGNOSIS);
	if (!code && !(copy = strdup(value)))
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
	if (!code) {
		free(jt->values[k]);
		jt->values[k] = copy;
	}
	session_leave();
	return code;
}

int drmaa_get_attribute(drmaa_job_template_t *jt, const char *name, char *value, size_t value_len,
			char *error_diagnosis, size_t error_diag_len)
{
	size_t k;
	int code = enter(jt, name, value, attribute_names, ATTRIBUTES, &k, DIAGNOSIS);

	if (code)
		return code;
	if (!jt->values[k])
		code = fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s is not set", name);
	else if (value_len)
		snprintf(value, value_len, "%s", jt->values[k]);
	session_leave();
	return code;
}

int drmaa_set_vector_attribute(drmaa_job_template_t *jt, const char *name, const char *value[], char *error_diagnosis,
			       size_t error_diag_len)
{
	struct word_list list = { .items = NULL };
	size_t k;
	int code = enter(jt, name, value, vector_names, VECTORS, &k, DIAGNOSIS);

	if (code)
		return code;
	for (; !code && *value; value++)
		code = word_add(&list, *value) ? fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL) : DRMAA_ERRNO_SUCCESS;
	if (!code)
		code = vector_check((enum vector)k, &list, DIAGNOSIS);
	if (code) {
		words_clear(&list);
	} else {
		words_clear(&jt->vectors[k]);
		jt->vectors[k] = list;
	}
	session_leave();
	return code;
}

int drmaa_get_vector_attribute(drmaa_job_template_t *jt, const char *name, drmaa_attr_values_t **values,
			       char *error_diagnosis, size_t error_diag_len)
{
	size_t k;
	int code = enter(jt, name, values, vector_names, VECTORS, &k, DIAGNOSIS);

	if (code)
		return code;
	*values = calloc(1, sizeof(**values));
	for (size_t i = 0; *values && i < jt->vectors[k].n; i++)
		if (word_add(&(*values)->list, jt->vectors[k].items[i])) {
			drmaa_release_attr_values(*values);
			*values = NULL;
		}
	session_leave();
	return *values ? DRMAA_ERRNO_SUCCESS : fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
}

static int names_give(drmaa_attr_names_t **values, const char *const *names, size_t n, struct reason_wanted *wanted)
{
	int code = values ? session_enter(wanted) : fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);

	if (code)
		return code;
	*values = calloc(1, sizeof(**values));
	for (size_t k = 0; *values && k < n; k++)
		if (word_add(&(*values)->list, names[k])) {
			drmaa_release_attr_names(*values);
			*values = NULL;
		}
	session_leave();
	return *values ? DRMAA_ERRNO_SUCCESS : fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
}

int drmaa_get_attribute_names(drmaa_attr_names_t **values, char *error_diagnosis, size_t error_diag_len)
{
	return names_give(values, attribute_names, ATTRIBUTES, DIAGNOSIS);
}

int drmaa_get_vector_attribute_names(drmaa_attr_names_t **values, char *error_diagnosis, size_t error_diag_len)
{
	return names_give(values, vector_names, VECTORS, DIAGNOSIS);
}
