/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of qconf about complexes, the configuration, the share tree and resource quotas. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/compat/qconf.h"

static bool path_make(const struct showing *showing, const char *name, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/%s", showing->directory, name) < PATH_MAX;
}

/* Complexes */

static void complex_print(const struct complex *complex)
{
	static const char *const relops[] = { "==", ">=", ">", "<=", "<", "!=", "EXCL" };
	static const char *const requestables[] = { "NO", "YES", "FORCED" };

	printf("%-19s %-10s %-9s %-5s %-11s %-10s %-8s %g\n", complex->name, complex->shortcut, complex_type_word(complex->type),
	       relops[complex->relop], requestables[complex->requestable], complex_consumable_word(complex->consumable),
	       complex->default_value && *complex->default_value ? complex->default_value : "NONE", complex->urgency);
}

int show_complexes(struct showing *showing, char **words)
{
	(void)words;
	if (!showing_read(showing))
		return 1;
	printf("#name               shortcut   type      relop requestable consumable default  urgency \n"
	       "#--------------------------------------------------------------------------------------\n");
	for (size_t i = 0; i < showing->cell.ncomplexes; i++)
		complex_print(&showing->cell.complexes[i]);
	return 0;
}

/* Configuration */

static int global_print(struct showing *showing)
{
	const struct global_conf *conf = &showing->cell.global;
	char path[PATH_MAX];

	if (!showing_read(showing))
		return 1;
	printf("#global:\n");
	if (!path_make(showing, "global_conf", path) || show_file(path) != 0)
		printf("%-28s %s\n%-28s %u\n%-28s %u\n%-28s %u\n%-28s %u\n%-28s %s\n%-28s %u\n%-28s %d\n",
		       "enforce_user", conf->enforce_user_auto ? "auto" : "false", "max_aj_instances",
		       conf->max_aj_instances, "max_aj_tasks", conf->max_aj_tasks, "auto_user_oticket",
		       conf->auto_user_oticket, "auto_user_fshare", conf->auto_user_fshare, "auto_user_default_project",
		       conf->auto_user_default_project ? conf->auto_user_default_project : "none",
		       "auto_user_delete_time", conf->auto_user_delete_time, "reprioritize", conf->reprioritize);
	putchar('\n');
	return 0;
}

/* Print configurations. Hosts have none of their own. */
int show_configuration(struct showing *showing, char **words)
{
	char *copy = strdup(words[1] ? words[1] : "global"), *rest = copy, *name;
	int code = copy ? 0 : 1;

	while ((name = strsep(&rest, ",")) != NULL)
		code |= strcmp(name, "global") == 0 ? global_print(showing)
						    : show_fail("configuration ", name, " not defined");
	free(copy);
	return code;
}

/* Share tree */

static void tree_print(const struct cell *cell, uint32_t node, unsigned depth)
{
	const struct tree_node *tree_node = &cell->tree[node];

	printf("%*s%s=%u\n", (int)(3 * depth), "", tree_node->name, tree_node->shares);
	for (uint32_t k = 0; k < tree_node->nchildren; k++)
		tree_print(cell, cell->tree_children[tree_node->first_child + k], depth + 1);
}

int show_tree(struct showing *showing, char **words)
{
	(void)words;
	if (!showing_read(showing))
		return 1;
	if (showing->cell.ntree > 0)
		tree_print(&showing->cell, 0, 0);
	else
		fputs("No sharetree\n", stderr);
	return 0;
}

/* Print "/a/b=10": a node with its path from the root, which is "/", and its children. */
static void node_print(const struct cell *cell, uint32_t node, const char *path, bool deep)
{
	const struct tree_node *tree_node = &cell->tree[node];
	char below[PATH_MAX];

	printf("%s=%u\n", path, tree_node->shares);
	for (uint32_t k = 0; k < tree_node->nchildren; k++) {
		uint32_t child = cell->tree_children[tree_node->first_child + k];
		int length =
			snprintf(below, sizeof(below), "%s/%s", strcmp(path, "/") ? path : "", cell->tree[child].name);

		if (length < (int)sizeof(below) && deep)
			node_print(cell, child, below, true);
		else if (length < (int)sizeof(below))
			printf("%s=%u\n", below, cell->tree[child].shares);
	}
}

static bool node_find(const struct cell *cell, const char *path, uint32_t *node)
{
	char *copy = strdup(path), *rest = copy, *name;
	bool found = copy != NULL;

	*node = 0;
	while (found && (name = strsep(&rest, "/")) != NULL) {
		const struct tree_node *tree_node = &cell->tree[*node];

		found = !*name;
		for (uint32_t k = 0; k < tree_node->nchildren && !found; k++)
			if (strcmp(cell->tree[cell->tree_children[tree_node->first_child + k]].name, name) == 0) {
				*node = cell->tree_children[tree_node->first_child + k];
				found = true;
			}
	}
	free(copy);
	return found;
}

static int nodes_print(struct showing *showing, const char *path, bool deep)
{
	uint32_t node;

	if (!showing_read(showing))
		return 1;
	if (showing->cell.ntree == 0) {
		fputs("No sharetree\n", stderr);
		return 0;
	}
	if (!node_find(&showing->cell, path, &node))
		return show_fail("Unable to locate ", path, " in sharetree");
	node_print(&showing->cell, node, path, deep);
	return 0;
}

int show_tree_node(struct showing *showing, char **words)
{
	return nodes_print(showing, words[1], false);
}

int show_tree_nodes(struct showing *showing, char **words)
{
	return nodes_print(showing, words[1], true);
}

/* Resource quotas */

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
			return true;
	return false;
}

/*
 * Print resource quotas. Sets are between braces, with their names in a line. `list` NULL: all.
 * `names_only`: only names, one per line. Returns whether a set was printed.
 */
static bool quotas_print(const struct showing *showing, const char *list, bool names_only)
{
	char path[PATH_MAX], *line = NULL, *set = NULL, name[300] = "";
	FILE *file = path_make(showing, "rqs", path) ? fopen(path, "re") : NULL, *kept = NULL;
	size_t size = 0, set_size = 0;
	bool any = false;

	while (file && getline(&line, &size, file) > 0) {
		if (*line == '#' || *line == '\n')
			continue;
		if (*line == '{' && !kept)
			kept = open_memstream(&set, &set_size);
		if (!kept)
			continue;
		fputs(line, kept);
		(void)sscanf(line, " name %299s", name);
		if (*line != '}')
			continue;
		if (fclose(kept) == 0 && (!list || is_listed(list, name))) {
			any = true;
			if (names_only)
				printf("%s\n", name);
			else
				fputs(set, stdout);
		}
		free(set);
		kept = NULL;
		set = NULL;
	}
	if (kept && fclose(kept) == 0)
		free(set);
	free(line);
	if (file)
		fclose(file);
	return any;
}

int show_quotas(struct showing *showing, char **words)
{
	return quotas_print(showing, words[1], false) ? 0 : show_fail("No resource quota set found", "", "");
}

int show_quota_list(struct showing *showing, char **words)
{
	(void)words;
	return quotas_print(showing, NULL, true) ? 0 : show_fail("no resource quota set list defined", "", "");
}
