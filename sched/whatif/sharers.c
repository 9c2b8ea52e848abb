/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of users, projects, departments and accounts, in the files of the active algorithm. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "sched/policy/policies.h"
#include "sched/whatif/inside.h"

static const char *word_of(enum suppose_whose whose)
{
	static const char *const words[] = { [SUPPOSE_USER] = "user",
					     [SUPPOSE_PROJECT] = "project",
					     [SUPPOSE_DEPARTMENT] = "department",
					     [SUPPOSE_ACCOUNT] = "account" };

	return words[whose];
}

static uint32_t amount_of(const struct supposition *supposition)
{
	return (uint32_t)supposition->value;
}

/* The share tree */

struct replanting {			/* a tree with other shares and some more nodes */
	const struct cell *cell;
	const struct supposition *s;
	bool *is_target;			/* nodes that get these shares */
	bool *has_more;			/* nodes that get a new child of this name */
	size_t nodes, more;
};

/*
 * Return whether the supposition is about a node. A user's node has no children. Projects are not
 * distinguished here: that depends on type=1 and on the position in the tree.
 */
static bool is_meant(const struct tree_node *node, const struct supposition *supposition)
{
	return strcmp(node->name, supposition->name) == 0 &&
	       (supposition->whose != SUPPOSE_USER || node->nchildren == 0);
}

static void children_write(FILE *out, const struct replanting *replanting, size_t i, size_t *next)
{
	const struct tree_node *node = &replanting->cell->tree[i];
	const char *before = "";

	for (size_t k = 0; k < node->nchildren; k++, before = ",")
		fprintf(out, "%s%u", before, replanting->cell->tree_children[node->first_child + k]);
	if (replanting->has_more[i])
		fprintf(out, "%s%zu", before, (*next)++);
	else if (node->nchildren == 0)
		fputs("NONE", out);
	fputc('\n', out);
}

static void nodes_write(FILE *out, const struct replanting *replanting)
{
	size_t next = replanting->cell->ntree;

	for (size_t i = 0; i < replanting->cell->ntree; i++) {
		const struct tree_node *node = &replanting->cell->tree[i];

		fprintf(out, "id=%zu\nname=%s\ntype=%d\nshares=%u\nchildnodes=", i, node->name, node->project_tree,
			replanting->is_target[i] ? amount_of(replanting->s) : node->shares);
		children_write(out, replanting, i, &next);
	}
	for (size_t k = 0; k < replanting->more; k++)
		fprintf(out, "id=%zu\nname=%s\ntype=0\nshares=%u\nchildnodes=NONE\n", replanting->cell->ntree + k,
			replanting->s->name, amount_of(replanting->s));
}

static int tree_write(struct rewrite *rewrite, const struct replanting *replanting)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM;

	if (out) {
		nodes_write(out, replanting);
		rc = fclose(out) ? -ENOMEM : rewrite_put(rewrite, "share_tree", text, replanting->s->option);
	}
	free(text);
	return rc;
}

/* Write the path "/physics/ann", or only its end if it is deep. */
static void path_write(FILE *out, const struct cell *cell, size_t i)
{
	const char *names[8];
	size_t n = 0;

	for (; cell->tree[i].parent >= 0 && n < sizeof(names) / sizeof(*names); i = (size_t)cell->tree[i].parent)
		names[n++] = cell->tree[i].name;
	if (cell->tree[i].parent >= 0)
		fputs("...", out);
	while (n > 0)
		fprintf(out, "/%s", names[--n]);
}

static int tree_note(struct rewrite *rewrite, const struct replanting *replanting)
{
	char text[300] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	const char *before = "";

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < replanting->cell->ntree; i++) {
		const struct tree_node *node = &replanting->cell->tree[i];

		if (!replanting->is_target[i] && !replanting->has_more[i])
			continue;
		fputs(before, out);
		path_write(out, replanting->cell, i);
		if (replanting->is_target[i])
			fprintf(out, " %u -> %u", node->shares, amount_of(replanting->s));
		else
			fprintf(out, "/%s new, beside default", replanting->s->name);
		before = ", ";
	}
	fclose(out);
	return rewrite_note(rewrite, replanting->s->option, "shares in the share tree: %s", text);
}

static void find_nodes(struct replanting *replanting)
{
	const struct cell *cell = replanting->cell;

	for (size_t i = 0; i < cell->ntree; i++) {
		replanting->is_target[i] = is_meant(&cell->tree[i], replanting->s);
		replanting->nodes += replanting->is_target[i];
	}
	for (size_t i = 1; replanting->nodes == 0 && replanting->s->whose == SUPPOSE_USER && i < cell->ntree; i++)
		if (strcmp(cell->tree[i].name, "default") == 0 && cell->tree[i].nchildren == 0 &&
		    !replanting->has_more[cell->tree[i].parent]) {
			replanting->has_more[cell->tree[i].parent] = true;
			replanting->more++;
		}
}

static int change_tree(struct rewrite *rewrite, const struct cell *cell, const struct supposition *supposition,
		       struct error *error)
{
	struct replanting replanting = { .cell = cell,
					 .s = supposition,
					 .is_target = calloc(cell->ntree, sizeof(bool)),
					 .has_more = calloc(cell->ntree, sizeof(bool)) };
	int rc = replanting.is_target && replanting.has_more ? 0 : -ENOMEM;

	if (rc == 0)
		find_nodes(&replanting);
	if (rc == 0 && replanting.nodes + replanting.more == 0)
		rc = suppose_error(
			supposition, -EINVAL, error,
			"the share tree has no node for %s %s and none named default: "
			"use --share-tree FILE or --fshare",
			word_of(supposition->whose), supposition->name);
	if (rc == 0)
		rc = tree_note(rewrite, &replanting);
	if (rc == 0)
		rc = tree_write(rewrite, &replanting);
	free(replanting.is_target);
	free(replanting.has_more);
	return rc;
}

/* Objects */

static int object_make(struct rewrite *rewrite, const char *file, const struct supposition *supposition)
{
	char text[700];

	snprintf(text, sizeof(text), "name %s\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\n",
		 supposition->name);
	return rewrite_put(rewrite, file, text, supposition->option);
}

static int change_object(struct rewrite *rewrite, const struct supposition *supposition, bool override,
			 struct error *error)
{
	static const char *const folders[] = { "users", "projects", "usersets" };
	const char *parameter = override ? "oticket" : "fshare";
	char file[300], number[20];
	int rc = 0;

	snprintf(file, sizeof(file), "%s/%s", folders[supposition->whose], supposition->name);
	snprintf(number, sizeof(number), "%u", amount_of(supposition));
	if (!rewrite_text(rewrite, file)) {
		if (supposition->whose != SUPPOSE_USER)
			return suppose_error(supposition, -EINVAL, error, "there is no %s %s",
					     word_of(supposition->whose), supposition->name);
		rc = object_make(rewrite, file, supposition);
	}
	if (rc == 0)
		rc = rewrite_note(rewrite, supposition->option, "%s of %s %s", parameter, word_of(supposition->whose),
				  supposition->name);
	return rc ? rc : rewrite_set(rewrite, file, parameter, number, supposition->option);
}

/* Slurm's associations, as dumped by sacctmgr */

static bool line_is_his(const char *line, const struct supposition *supposition)
{
	const char *begin = supposition->whose == SUPPOSE_USER ? "User - '" : "Account - '";
	size_t n = strlen(supposition->name);

	return strncmp(line, begin, strlen(begin)) == 0 &&
	       strncasecmp(line + strlen(begin), supposition->name, n) == 0 && line[strlen(begin) + n] == '\'';
}

/* Write a line with new shares, which replace the old ones or are appended. */
static void line_write(FILE *out, const char *line, size_t bytes, uint32_t shares)
{
	static const char key[] = ":Fairshare=";
	const char *at = memmem(line, bytes, key, sizeof(key) - 1), *behind = at ? at + sizeof(key) - 1 : line + bytes;
	size_t before = at ? (size_t)(at - line) : bytes;

	while (behind < line + bytes && *behind != ':')
		behind++;
	fprintf(out, "%.*s%s%u%.*s\n", (int)before, line, key, shares, (int)(line + bytes - behind), behind);
}

static size_t lines_write(FILE *out, const char *text, const struct supposition *supposition)
{
	size_t found = 0;

	for (size_t bytes; *text; text += bytes + (text[bytes] == '\n')) {
		bytes = strcspn(text, "\n");
		if (line_is_his(text, supposition)) {
			line_write(out, text, bytes, amount_of(supposition));
			found++;
		} else {
			fprintf(out, "%.*s\n", (int)bytes, text);
		}
	}
	return found;
}

static int change_associations(struct rewrite *rewrite, const struct supposition *supposition, struct error *error)
{
	const char *old = rewrite_text(rewrite, "associations");
	char *text = NULL;
	size_t size, found = 0;
	FILE *out;
	int rc = -ENOMEM;

	if (supposition->whose == SUPPOSE_DEPARTMENT)
		return suppose_error(supposition, -EINVAL, error,
				     "with algorithm multifactor only users, accounts and projects have shares");
	if (!old)
		return suppose_error(supposition, -EINVAL, error,
				     "the cell has no file associations, which has the shares");
	out = open_memstream(&text, &size);
	if (out) {
		found = lines_write(out, old, supposition);
		rc = fclose(out) ? -ENOMEM : 0;
	}
	if (rc == 0 && found == 0)
		rc = suppose_error(supposition, -EINVAL, error, "there is no association of %s %s",
				   supposition->whose == SUPPOSE_USER ? "user" : "account", supposition->name);
	if (rc == 0)
		rc = rewrite_put(rewrite, "associations", text, supposition->option);
	free(text);
	return rc ? rc
		  : rewrite_note(rewrite, supposition->option, "Fairshare of %zu association%s", found,
				 found == 1 ? "" : "s");
}

int sharer_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error)
{
	const struct policy_kind *policy;
	const struct cell *cell;
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc)
		return rc;
	policy = policies_of(cell);
	if (supposition->amount != SUPPOSE_SHARES)
		return change_object(rewrite, supposition, supposition->amount == SUPPOSE_OTICKET, error);
	if (policy->shares == SHARES_IN_ASSOCIATIONS)
		return change_associations(rewrite, supposition, error);
	if (policy->shares == SHARES_NOWHERE)
		return suppose_error(
			supposition, -EINVAL, error,
			"algorithm %s has no shares: use --factor for a user, "
			"--set GROUP_QUOTA_NAME=N for a group",
			policy->name);
	if (supposition->whose == SUPPOSE_ACCOUNT)
		return suppose_error(supposition, -EINVAL, error,
				     "accounts have shares only with algorithm multifactor");
	if (cell->ntree > 0 && supposition->whose != SUPPOSE_DEPARTMENT)
		return change_tree(rewrite, cell, supposition, error);
	return change_object(rewrite, supposition, false, error);
}
