/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/number.h"
#include "conf/gridengine/sched_conf.h"

/*
 * Return true for a number without sign or exponent. The formula is split at + and - before
 * anything else.
 */
static bool is_number(const char *word)
{
	double value;

	return !number_double(word, &value);
}

static int name_check_numeric(const struct cell *cell, const char *of, const char *word, struct error *error)
{
	const char *name = word + (*word == '$');
	const struct complex *complex;

	if (!cell)
		return 0;
	complex = cell_complex(cell, name);
	if (!complex)
		return error_set(error, -EINVAL, "\"%s\" references not existing complex attribute \"%.40s\"", of,
				 name);
	if (complex->type >= TYPE_STRING)
		return error_set(error, -EINVAL,
				 "String, CString, ReString or Host attributes are not allowed in \"%s\": \"%.30s\"",
				 of, name);
	return 0;
}

static int term_check(const struct cell *cell, const char *of, char *term, struct error *error)
{
	char *factor = strchr(term, '*');

	if (factor)
		*factor++ = '\0';
	if (!*term)
		return error_set(error, -EINVAL,
				 "error parsing value of %s: a term without attribute found, terms attr or "
				 "attr*number with + or - between are allowed",
				 of);
	if (factor && strchr(factor, '*'))
		return error_set(error, -EINVAL, "\"%s\" may not use multiple weighting factors", of);
	if (factor && !is_number(factor))
		return error_set(error, -EINVAL, "\"%s\" uses \"%.40s\" as weighting factor (only numbers are allowed)",
				 of, factor);
	return is_number(term) ? 0 : name_check_numeric(cell, of, term, error);
}

int load_formula_check(const struct cell *cell, const char *of, const char *formula, struct error *error)
{
	char *copy, *term, *end;
	int rc = 0;
	bool more = true;

	if (!*formula || !strcasecmp(formula, "none"))
		return error_set(error, -EINVAL, "The keyword \"none\" is not allowed in \"%s\"", of);
	copy = strdup(formula);
	if (!copy)
		return -ENOMEM;
	for (term = copy + (*copy == '-'); more && !rc; term = end + 1) {
		end = term + strcspn(term, "+-");
		more = *end;
		*end = '\0';
		rc = term_check(cell, of, term, error);
	}
	free(copy);
	return rc;
}
