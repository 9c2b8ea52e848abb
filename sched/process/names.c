/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/names.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/wildcard.h"

static int cut(struct messages *messages, struct names *names, char *word, bool empty)
{
	for (char *rest = word, *piece; (piece = strsep(&rest, ",")) != NULL;) {
		if (!*piece && !empty)
			continue;
		char **more = reallocarray(names->items, names->n + 1, sizeof(*more));

		if (!more)
			return message_no_memory(messages);
		names->items = more;
		names->items[names->n++] = piece;
	}
	return EXIT_OK;
}

int names_cut(struct messages *messages, struct names *names, char *word)
{
	return cut(messages, names, word, true);
}

int names_add(struct messages *messages, struct names *names, const char *about, const char *option, char *word)
{
	size_t before = names->n;
	int code = cut(messages, names, word, false);

	if (code)
		return code;
	return names->n > before ? EXIT_OK
				 : message_add(messages, EXIT_USAGE, about,
					       "%s needs a name, or names with commas between them", option);
}

void names_free(struct names *names)
{
	free(names->items);
	*names = (struct names){ 0 };
}

bool names_have(const struct names *names, const char *name)
{
	for (size_t k = 0; k < names->n; k++)
		if (!strcmp(names->items[k], name))
			return true;
	return !names->n;
}

bool names_have_nocase(const struct names *names, const char *name)
{
	for (size_t k = 0; k < names->n; k++)
		if (!strcasecmp(names->items[k], name))
			return true;
	return !names->n;
}

bool names_match(const struct names *names, const char *name)
{
	for (size_t k = 0; k < names->n; k++)
		if (!strcmp(names->items[k], name) || wildcard_match(names->items[k], name, 0))
			return true;
	return !names->n;
}
