/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users that may set the factors of submitters: lines of a user map, in the configuration itself
 * (CLASSAD_USER_MAPDATA_PriorityFactorAuthorization) or in a file that it names
 * (CLASSAD_USER_MAPFILE_...). The former has precedence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/condor/macros.h"

#define MAP_FILE "CLASSAD_USER_MAPFILE_PriorityFactorAuthorization"

/* Join the lines with newlines. */
static int lines_join(struct text *text, char **all)
{
	size_t n = 0, length;
	char *line, *larger;

	text->comment_lines = true;
	while ((line = text_line(text))) {
		length = strlen(line);
		larger = realloc(*all, n + length + 2);
		if (!larger)
			return -ENOMEM;
		*all = larger;
		memcpy(larger + n, line, length);
		n += length;
		memcpy(larger + n++, "\n", 2);
	}
	return 0;
}

int map_read(struct macros *macros)
{
	const struct macro *macro = macro_find(macros, "NEGOTIATOR", MAP_FILE);
	struct text text;
	char *name, *path;
	int rc = macro_value(macros, "NEGOTIATOR", macro, &name);

	if (rc || !name || macros->conf->factor_authorization) {
		free(name);
		return rc;
	}
	macros->at = macro->place;
	path = macros_path(macros, name);
	free(name);
	rc = path ? text_open(&text, path, macros->report) : -ENOMEM;
	if (rc == -ENOENT)
		macros_report(macros, FAULT, macro->place, "%s = %.200s found: there is no such file", MAP_FILE, path);
	if (!rc) {
		rc = lines_join(&text, &macros->conf->factor_authorization);
		text_close(&text);
	}
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
