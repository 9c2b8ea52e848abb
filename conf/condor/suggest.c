/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about misspelled names, since a misspelled macro silently keeps its default. If no part
 * of Fairlead and no macro uses a name, and it differs from a name of the table by a letter or two,
 * the latter was probably meant.
 */
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/base/nearest.h"

enum {
	/* minimum size in bytes, because short names resemble each other */
	NAME_LEAST = 8,
	CHANGES_MOST = 2,
	MACROS_MOST = 10000,		/* limit on macros that are checked */
};

bool macro_name_is_similar(const char *name, const char *known)
{
	return strlen(name) >= NAME_LEAST && strlen(known) >= NAME_LEAST &&
	       nearest_changes(name, known) <= CHANGES_MOST;
}

static const struct macro_parameter *alike(const char *name)
{
	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count; parameter++)
		if (macro_name_is_similar(name, parameter->name))
			return parameter;
	return NULL;
}

/* Return true if the text of any macro refers to the name, which is then a macro of the site. */
static bool is_asked_for(const struct macros *macros, const char *name)
{
	size_t n = strlen(name);

	for (const struct macro *other = macros->items; other < macros->items + macros->n; other++)
		for (const char *at = other->text; (at = strstr(at, "$(")); at += 2)
			if (strncasecmp(at + 2, name, n) == 0 && strchr(":)", at[2 + n]))
				return true;
	return false;
}

void macros_suggest(const struct macros *macros)
{
	for (size_t i = 0; i < macros->n && i < MACROS_MOST; i++) {
		const struct macro *macro = &macros->items[i];
		const char *dot = strchr(macro->name, '.'), *name = dot ? dot + 1 : macro->name;
		const struct macro_parameter *parameter =
			macro->used || !macro->place.file || macro_parameter_find(name) ? NULL : alike(name);

		if (parameter && !is_asked_for(macros, macro->name))
			macros_report(macros, WARNING, macro->place,
				      "%.60s found, which is not a macro that is used: is %s meant? It keeps its "
				      "value",
				      macro->name, parameter->name);
	}
}
