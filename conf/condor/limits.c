/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrency limits: <name>_LIMIT, and CONCURRENCY_LIMIT_DEFAULT_<name> for all names that begin
 * with <name> and a dot. Other macros may end in _LIMIT too. A macro whose value is not a number is
 * not a limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"

#define OF_SCOPE "CONCURRENCY_LIMIT_DEFAULT_"
#define SUFFIX "_LIMIT"
#define SUBSYSTEM "NEGOTIATOR."

/* Return the limit's name within the macro's. `*n` is 0 if the macro is not a limit. */
static const char *name_within(const char *name, size_t *n, bool *is_default)
{
	size_t length = strlen(name), end = strlen(SUFFIX), front = strlen(OF_SCOPE);

	*is_default = strncasecmp(name, OF_SCOPE, front) == 0;
	if (*is_default) {
		*n = length - front;
		return name + front;
	}
	*n = length > end && strcasecmp(name + length - end, SUFFIX) == 0 ? length - end : 0;
	return name;
}

static int limit_take(struct macros *macros, const struct macro *macro, const char *name, size_t n, bool is_default)
{
	static const struct macro_parameter type = { .name = SUFFIX, .parse = macro_real, .high = 1e15 };
	struct condor_conf *conf = macros->conf;
	struct condor_limit *limit;
	struct error error = { "" };
	double most = 0;
	char *value;
	int rc = macro_value(macros, "NEGOTIATOR", macro, &value);

	if (rc || !value)
		return rc;
	rc = macro_real(&type, &most, value, &error);
	free(value);
	macros->items[macro - macros->items].used = true;
	if (rc == -EINVAL)
		macros_report(macros, WARNING, macro->place,
			      "%.60s = %.60s found: it is not a concurrency limit, for which %s",
			      macro->name, macro->text, error.text);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	limit = array_add(&conf->limits, &conf->nlimits, sizeof(*limit));
	if (!limit || !(limit->name = strndup(name, n)))
		return -ENOMEM;
	limit->most = most;
	limit->is_default = is_default;
	return 0;
}

static int limit_read(struct macros *macros, const struct macro *macro)
{
	bool is_ours = strncasecmp(macro->name, SUBSYSTEM, strlen(SUBSYSTEM)) == 0, is_default;
	const char *plain = macro->name + (is_ours ? strlen(SUBSYSTEM) : 0), *name;
	size_t n;

	name = name_within(plain, &n, &is_default);
	if (n == 0 || !macro->place.file || macro_parameter_find(plain))
		return 0;
	/* NEGOTIATOR.x exists and has precedence */
	if (macro_find(macros, "NEGOTIATOR", plain) != macro)
		return 0;
	return limit_take(macros, macro, name, n, is_default);
}

static int limit_compare(const void *a, const void *b)
{
	const struct condor_limit *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : (int)x->is_default - (int)y->is_default;
}

int limits_read(struct macros *macros)
{
	struct condor_conf *conf = macros->conf;
	int rc = 0;

	for (size_t i = 0; i < macros->n && !rc; i++)
		rc = limit_read(macros, &macros->items[i]);
	if (!rc && conf->nlimits > 1)
		qsort(conf->limits, conf->nlimits, sizeof(*conf->limits), limit_compare);
	return rc;
}
