/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/execd_params.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"

bool execd_param_next(const struct cell *cell, const char **at, struct execd_param *param)
{
	const struct pair *pair = pairs_find(&cell->global.typed, "execd_params");
	const char *text = *at ? *at : pair ? pair->text : "", *equal;
	size_t n;

	text += strspn(text, LIST_SEPARATORS);
	n = strcspn(text, LIST_SEPARATORS);
	*at = text + n;
	if (n == 0)
		return false;
	equal = memchr(text, '=', n);
	snprintf(param->name, sizeof(param->name), "%.*s", (int)(equal ? equal - text : *at - text), text);
	snprintf(param->value, sizeof(param->value), "%.*s", equal ? (int)(*at - equal - 1) : 0, equal ? equal + 1 : "");
	if (!equal && strcasecmp(param->name, "none") == 0)
		return execd_param_next(cell, at, param);
	return true;
}

bool execd_param_find(const struct cell *cell, const char *name, struct execd_param *param)
{
	const char *at = NULL;

	while (execd_param_next(cell, &at, param))
		if (strcasecmp(param->name, name) == 0)
			return true;
	return false;
}

bool execd_param_is_true(const struct cell *cell, const char *name)
{
	struct execd_param param;

	return execd_param_find(cell, name, &param) &&
	       (!*param.value || *param.value == '1' || strncasecmp(param.value, "true", 4) == 0);
}
