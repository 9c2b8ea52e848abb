/* SPDX-License-Identifier: Apache-2.0 */
/* The types of the table in parameters.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/text.h"

#define NAME_SEPARATORS ", \t"

/*
 * Read a number, or an expression of numbers. Returns -EINVAL, without a message, if it is neither.
 */
static int number_of(const char *value, double *number)
{
	struct classad_room room = { 0 };
	struct classad_expression *expression;
	struct classad_value result;
	int rc = number_double(value, number);

	if (rc != -EINVAL)
		return rc;
	rc = classad_parse(&expression, value, NULL);
	if (rc)
		return rc;
	classad_evaluate(expression, &(struct classad_pair){ 0 }, &room, &result);
	rc = classad_number(&result, number) && isfinite(*number) ? 0 : -EINVAL;
	classad_room_free(&room);
	classad_expression_free(expression);
	return rc;
}

static int number_in_range(const struct macro_parameter *parameter, const char *value, double *number,
			   struct error *error)
{
	int rc = number_of(value, number);

	if (rc == -ENOMEM)
		return rc;
	if (rc || !(*number >= parameter->low && *number <= parameter->high))
		return error_set(error, -EINVAL, "a number from %.15g to %.15g is allowed", parameter->low,
				 parameter->high);
	return 0;
}

int macro_real(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number;
	int rc = number_in_range(parameter, value, &number, error);

	if (!rc)
		*(double *)member = number;
	return rc;
}

/*
 * Read a half-life. HTCondor accepts 0, and past use has no effect any more. Fairlead refuses it.
 */
int macro_halflife(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number;

	if (number_of(value, &number) == 0 && number == 0)
		return error_set(
			error, -EINVAL,
			"each real priority would be the present use: a number of seconds from %.15g to %.15g "
			"is allowed",
			parameter->low, parameter->high);
	return macro_real(parameter, member, value, error);
}

/* Read a factor as atof(3) does. A factor below 1 counts as 1. */
int macro_factor(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	char *end;
	double factor = strtod(value, &end), *at = member;

	if (!(factor <= parameter->high))
		return error_set(error, -EINVAL, "a number from 1 to %.15g is allowed", parameter->high);
	*at = factor >= 1 ? factor : 1;
	if (factor < 1)
		return error_set(error, 1, "it reads as %.15g, and a factor below 1 counts as 1", factor);
	return *end ? error_set(error, 1, "it reads as %.15g: expressions are not allowed for it", factor) : 0;
}

/* Read GROUP_PRIO_FACTOR_x. 0 means no factor. */
int macro_group_factor(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number, *at = member;
	int rc = number_in_range(parameter, value, &number, error);

	if (rc)
		return rc;
	*at = number == 0 || number >= 1 ? number : 1;
	return *at == number ? 0 : error_set(error, 1, "a factor below 1 counts as 1");
}

/* Read a number and truncate it to a whole number. */
static int whole_in_range(const struct macro_parameter *parameter, const char *value, double *number,
			  struct error *error)
{
	double found;
	int rc = number_in_range(parameter, value, &found, error);

	if (rc)
		return rc;
	*number = trunc(found);
	return *number == found ? 0 : error_set(error, 1, "it counts as %.15g", *number);
}

int macro_count(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number = 0;
	int rc = whole_in_range(parameter, value, &number, error);

	if (rc >= 0)
		*(uint32_t *)member = (uint32_t)number;
	return rc;
}

int macro_whole(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number = 0;
	int rc = whole_in_range(parameter, value, &number, error);

	if (rc >= 0)
		*(int32_t *)member = (int32_t)number;
	return rc;
}

int macro_bool(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	double number;
	int rc = number_bool(value, member);

	(void)parameter;
	if (!rc)
		return 0;
	rc = number_of(value, &number);
	if (!rc)
		*(bool *)member = number != 0;
	return rc == -ENOMEM || !rc ? rc : error_set(error, -EINVAL, "true or false is allowed");
}

int macro_text(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	char *copy = strdup(value), **at = member;

	(void)parameter, (void)error;
	if (!copy)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

void condor_names_free(char **names)
{
	for (char **name = names; name && *name; name++)
		free(*name);
	free(names);
}

/* Read a list of names. The array always has room for the terminating NULL. */
int macro_names(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	char *copy = strdup(value), *rest = copy, *word = NULL, ***at = member,
	     **names = calloc(strlen(value) / 2 + 2, sizeof(*names));
	size_t n = 0;

	(void)parameter, (void)error;
	while (copy && names && (word = text_word(&rest, NAME_SEPARATORS)) && (names[n] = strdup(word)))
		n++;
	if (!copy || !names || word) {
		free(copy);
		condor_names_free(names);
		return -ENOMEM;
	}
	free(copy);
	condor_names_free(*at);
	*at = names;
	return 0;
}

static int word_find(const struct macro_parameter *parameter, const char *value, size_t *word, struct error *error)
{
	for (*word = 0; parameter->words[*word]; (*word)++)
		if (strcasecmp(parameter->words[*word], value) == 0)
			return 0;
	return error_set(error, -EINVAL, "%s or %s is allowed", parameter->words[0], parameter->words[1]);
}

int macro_follows(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	size_t word;
	int rc = word_find(parameter, value, &word, error);

	if (!rc)
		*(enum condor_follows *)member = (enum condor_follows)word;
	return rc;
}

int macro_switch(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	size_t word;
	int rc = word_find(parameter, value, &word, error);

	if (!rc)
		*(bool *)member = word == 1;
	return rc;
}

void condor_expression_free(struct condor_expression *expression)
{
	classad_expression_free(expression->program);
	free(expression->text);
	*expression = (struct condor_expression){ 0 };
}

int macro_expression(const struct macro_parameter *parameter, void *member, const char *value, struct error *error)
{
	struct condor_expression read = { .text = strdup(value) }, *at = member;
	int rc = read.text ? classad_parse(&read.program, value, error) : -ENOMEM;

	(void)parameter;
	if (rc) {
		free(read.text);
		return rc;
	}
	condor_expression_free(at);
	*at = read;
	return 0;
}
