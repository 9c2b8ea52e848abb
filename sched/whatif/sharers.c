/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of users, projects, departments and accounts, where the algorithm in force keeps them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "sched/whatif/inside.h"

static const char *word_of(enum suppose_whose whose)
{
	static const char *const words[] = { [SUPPOSE_USER] = "user", [SUPPOSE_PROJECT] = "project", [SUPPOSE_DEPARTMENT] = "department",
					     [SUPPOSE_ACCOUNT] = "account" };

	return words[whose];
}

static uint32_t amount_of(const struct supposition *s)
{
	return (uint32_t)s->value;
}

/* The share tree */

struct replanting {			/* a tree with other shares, and some nodes more */
	const struct cell *cell;
	const struct supposition *s;
	bool *is_his;			/* by node: has these shares */
	bool *has_more;			/* by node: one more child of this name */
	size_t nodes, more;
};

/* By type=1 and by their place projects and users are told apart; a user's node has no children. */
static bool is_meant(const struct tree_node *node, const struct supposition *s)
{
	return strcmp(node->name, s->name) == 0 && (s->whose != SUPPOSE_USER || node->nchildren == 0);
}

static void children_write(FILE *out, const struct replanting *t, size_t i, size_t *next)
{
	const struct tree_node *node = &t->cell->tree[i];
	const char *before = "";

	for (size_t k = 0; k < node->nchildren; k++, before = ",")
		fprintf(out, "%s%u", before, t->cell->tree_children[node->first_child + k]);
	if (t->has_more[i])
		fprintf(out, "%s%zu", before, (*next)++);
	else if (node->nchildren == 0)
		fputs("NONE", out);
	fputc('\n', out);
}

static void nodes_write(FILE *out, const struct replanting *t)
{
	size_t next = t->cell->ntree;

	for (size_t i = 0; i < t->cell->ntree; i++) {
		const struct tree_node *node = &t->cell->tree[i];

		fprintf(out, "id=%zu\nname=%s\ntype=%d\nshares=%u\nchildnodes=", i, node->name, node->project_tree,
			t->is_his[i] ? amount_of(t->s) : node->shares);
		children_write(out, t, i, &next);
	}
	for (size_t k = 0; k < t->more; k++)
		fprintf(out, "id=%zu\nname=%s\ntype=0\nshares=%u\nchildnodes=NONE\n", t->cell->ntree + k, t->s->name, amount_of(t->s));
}

static int tree_write(struct rewrite *r, const struct replanting *t)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM;

	if (out) {
		nodes_write(out, t);
		rc = fclose(out) ? -ENOMEM : rewrite_put(r, "share_tree", text, t->s->option);
	}
	free(text);
	return rc;
}

/* "/physics/ann"; of what is deep the end. */
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

static int tree_note(struct rewrite *r, const struct replanting *t)
{
	char text[300] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	const char *before = "";

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < t->cell->ntree; i++) {
		const struct tree_node *node = &t->cell->tree[i];

		if (!t->is_his[i] && !t->has_more[i])
			continue;
		fputs(before, out);
		path_write(out, t->cell, i);
		if (t->is_his[i])
			fprintf(out, " %u -> %u", node->shares, amount_of(t->s));
		else
			fprintf(out, "/%s new, beside default", t->s->name);
		before = ", ";
	}
	fclose(out);
	return rewrite_note(r, t->s->option, "shares in the share tree: %s", text);
}

static void find_nodes(struct replanting *t)
{
	const struct cell *cell = t->cell;

	for (size_t i = 0; i < cell->ntree; i++) {
		t->is_his[i] = is_meant(&cell->tree[i], t->s);
		t->nodes += t->is_his[i];
	}
	for (size_t i = 1; t->nodes == 0 && t->s->whose == SUPPOSE_USER && i < cell->ntree; i++)
		if (strcmp(cell->tree[i].name, "default") == 0 && cell->tree[i].nchildren == 0 && !t->has_more[cell->tree[i].parent]) {
			t->has_more[cell->tree[i].parent] = true;
			t->more++;
		}
}

static int change_tree(struct rewrite *r, const struct cell *cell, const struct supposition *s, struct error *error)
{
	struct replanting t = { .cell = cell, .s = s, .is_his = calloc(cell->ntree, sizeof(bool)), .has_more = calloc(cell->ntree, sizeof(bool)) };
	int rc = t.is_his && t.has_more ? 0 : -ENOMEM;

	if (rc == 0)
		find_nodes(&t);
	if (rc == 0 && t.nodes + t.more == 0)
		rc = suppose_error(s, -EINVAL, error, "the share tree has no node of %s %s, and none called default: give --share-tree FILE, or --fshare",
				   word_of(s->whose), s->name);
	if (rc == 0)
		rc = tree_note(r, &t);
	if (rc == 0)
		rc = tree_write(r, &t);
	free(t.is_his);
	free(t.has_more);
	return rc;
}

/* Objects */

static int object_make(struct rewrite *r, const char *file, const struct supposition *s)
{
	char text[700];

	snprintf(text, sizeof(text), "name %s\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\n", s->name);
	return rewrite_put(r, file, text, s->option);
}

static int change_object(struct rewrite *r, const struct supposition *s, bool override, struct error *error)
{
	static const char *const folders[] = { "users", "projects", "usersets" };
	const char *parameter = override ? "oticket" : "fshare";
	char file[300], number[20];
	int rc = 0;

	snprintf(file, sizeof(file), "%s/%s", folders[s->whose], s->name);
	snprintf(number, sizeof(number), "%u", amount_of(s));
	if (!rewrite_text(r, file)) {
		if (s->whose != SUPPOSE_USER)
			return suppose_error(s, -EINVAL, error, "there is no %s %s", word_of(s->whose), s->name);
		rc = object_make(r, file, s);
	}
	if (rc == 0)
		rc = rewrite_note(r, s->option, "%s of %s %s", parameter, word_of(s->whose), s->name);
	return rc ? rc : rewrite_set(r, file, parameter, number, s->option);
}

/* Slurm's associations, as sacctmgr dumps them */

static bool line_is_his(const char *line, const struct supposition *s)
{
	const char *begin = s->whose == SUPPOSE_USER ? "User - '" : "Account - '";
	size_t n = strlen(s->name);

	return strncmp(line, begin, strlen(begin)) == 0 && strncasecmp(line + strlen(begin), s->name, n) == 0 && line[strlen(begin) + n] == '\'';
}

/* In place of what it says of shares; behind all else where it says nothing. */
static void line_write(FILE *out, const char *line, size_t bytes, uint32_t shares)
{
	static const char key[] = ":Fairshare=";
	const char *at = memmem(line, bytes, key, sizeof(key) - 1), *behind = at ? at + sizeof(key) - 1 : line + bytes;
	size_t before = at ? (size_t)(at - line) : bytes;

	while (behind < line + bytes && *behind != ':')
		behind++;
	fprintf(out, "%.*s%s%u%.*s\n", (int)before, line, key, shares, (int)(line + bytes - behind), behind);
}

static size_t lines_write(FILE *out, const char *text, const struct supposition *s)
{
	size_t found = 0;

	for (size_t bytes; *text; text += bytes + (text[bytes] == '\n')) {
		bytes = strcspn(text, "\n");
		if (line_is_his(text, s)) {
			line_write(out, text, bytes, amount_of(s));
			found++;
		} else {
			fprintf(out, "%.*s\n", (int)bytes, text);
		}
	}
	return found;
}

static int change_associations(struct rewrite *r, const struct supposition *s, struct error *error)
{
	const char *old = rewrite_text(r, "associations");
	char *text = NULL;
	size_t size, found = 0;
	FILE *out;
	int rc = -ENOMEM;

	if (s->whose == SUPPOSE_DEPARTMENT)
		return suppose_error(s, -EINVAL, error, "with algorithm multifactor users, accounts and projects have shares");
	if (!old)
		return suppose_error(s, -EINVAL, error, "the cell has no file associations, where shares are");
	out = open_memstream(&text, &size);
	if (out) {
		found = lines_write(out, old, s);
		rc = fclose(out) ? -ENOMEM : 0;
	}
	if (rc == 0 && found == 0)
		rc = suppose_error(s, -EINVAL, error, "no association of %s %s", s->whose == SUPPOSE_USER ? "user" : "account", s->name);
	if (rc == 0)
		rc = rewrite_put(r, "associations", text, s->option);
	free(text);
	return rc ? rc : rewrite_note(r, s->option, "Fairshare of %zu association%s", found, found == 1 ? "" : "s");
}

int sharer_change(struct rewrite *r, const struct supposition *s, struct error *error)
{
	const struct cell *cell;
	int rc = rewrite_cell(r, &cell, error);

	if (rc)
		return rc;
	if (s->amount != SUPPOSE_SHARES)
		return change_object(r, s, s->amount == SUPPOSE_OTICKET, error);
	if (strcmp(cell->sched.algorithm, "multifactor") == 0)
		return change_associations(r, s, error);
	if (strcmp(cell->sched.algorithm, "userprio") == 0)
		return suppose_error(s, -EINVAL, error, "with algorithm userprio nobody has shares: --factor is a user's, --set GROUP_QUOTA_NAME=N a group's");
	if (s->whose == SUPPOSE_ACCOUNT)
		return suppose_error(s, -EINVAL, error, "accounts have shares with algorithm multifactor");
	if (cell->ntree > 0 && s->whose != SUPPOSE_DEPARTMENT)
		return change_tree(r, cell, s, error);
	return change_object(r, s, false, error);
}
