/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_tree(5): blocks of attr=value, one per node, which name their children by id. A file may
 * have any depth and width, so no function recurses, and no step costs more than n log n. A file
 * has less than 2^30 bytes, so that 31 bits number its nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/gridengine/readers.h"
#include "conf/base/search.h"
#include "conf/text.h"

enum node_attribute { ID, NAME, TYPE, SHARES, CHILDNODES, ATTRIBUTES };
static const char *const attribute_names[ATTRIBUTES] = { "id", "name", "type", "shares", "childnodes" };

struct node_block {
	uint32_t id, type, shares;
	char *name, *childnodes;	/* in the file's buffer; "" if missing or invalid */
	unsigned seen;			/* bits of enum node_attribute */
	int line;
	uint32_t first_child, nchildren;	/* range of forest.children */
	int64_t parent;			/* parent block, -1 = none */
};

struct forest {			/* nodes that form a tree if the file is valid */
	struct reader *reader;
	char *path;
	struct node_block *blocks;
	size_t n;
	uint32_t *by_id;	/* blocks, sorted by id */
	uint32_t *children;	/* child blocks */
	size_t nchildren;
};

static void value_fault(struct text *text, enum node_attribute a, const char *value, const char *allowed)
{
	report_add(text->report, FAULT, text->path, text->number, "error parsing value \"%.60s\" of %s: %s", value,
		   attribute_names[a], allowed);
}

static void number_fill(struct text *text, enum node_attribute a, const char *value, uint32_t *number, uint32_t high)
{
	uint32_t n;

	if (!*value || number_u32(value, &n) || n > high)
		value_fault(text, a, value, high == 1 ? "0 (users) or 1 (projects) is allowed"
			    : "a whole number from 0 to 4294967295 is allowed");
	else
		*number = n;
}

static void attribute_fill(struct text *text, struct node_block *block, enum node_attribute a, char *value)
{
	struct error error;

	if (block->seen & 1u << a) {
		report_add(text->report, FAULT, text->path, text->number, "attribute \"%s\" appears more than once",
			   attribute_names[a]);
		return;
	}
	block->seen |= 1u << a;
	if (a == ID)
		number_fill(text, a, value, &block->id, UINT32_MAX);
	else if (a == TYPE)
		number_fill(text, a, value, &block->type, 1);
	else if (a == SHARES)
		number_fill(text, a, value, &block->shares, UINT32_MAX);
	else if (a == CHILDNODES)
		block->childnodes = value;
	else if (name_check(value, &error))
		value_fault(text, a, value, error.text);
	else
		block->name = value;
}

static int attribute_index(const char *name)
{
	int i;

	for (i = 0; i < ATTRIBUTES; i++)
		if (!strcmp(attribute_names[i], name))
			return i;
	return -1;
}

/* Cut "name = value" in two. Returns the value, or NULL if there is no '='. */
static char *value_cut(char *line)
{
	char *equals = strchr(line, '='), *end = equals;

	if (!equals)
		return NULL;
	while (end > line && strchr(" \t", end[-1]))
		end--;
	*end = '\0';
	return equals + 1 + strspn(equals + 1, " \t");
}

static int line_read(struct forest *forest, struct text *text, char *line)
{
	char *value = value_cut(line);
	struct node_block *block;
	int a;

	if (!value) {
		report_add(text->report, FAULT, text->path, text->number,
			   "error parsing value \"%.60s\": attribute=value is allowed", line);
		return 0;
	}
	a = attribute_index(line);
	if (a == ID) {
		block = array_add(&forest->blocks, &forest->n, sizeof(*block));
		if (!block)
			return -ENOMEM;
		*block = (struct node_block){ .name = "", .childnodes = "", .line = text->number, .parent = -1 };
	}
	if (a >= 0 && forest->n > 0)
		attribute_fill(text, &forest->blocks[forest->n - 1], (enum node_attribute)a, value);
	else if (a >= 0)
		report_add(text->report, FAULT, text->path, text->number, "attribute \"%s\" found before the first id",
			   line);
	else if (strcmp(line, "version"))
		report_add(text->report, WARNING, text->path, text->number,
			   "unknown attribute \"%.60s\": it is ignored", line);
	return 0;
}

static void blocks_check_complete(struct forest *forest)
{
	size_t i;
	int a;

	for (i = 0; i < forest->n; i++)
		for (a = 0; a < ATTRIBUTES; a++)
			if (!(forest->blocks[i].seen & 1u << a))
				report_add(forest->reader->report, FAULT, forest->path, forest->blocks[i].line,
					   "required attribute \"%s\" is missing", attribute_names[a]);
}

static int id_compare(const void *a, const void *b, void *blocks)
{
	const struct node_block *x = (struct node_block *)blocks + *(const uint32_t *)a,
				*y = (struct node_block *)blocks + *(const uint32_t *)b;

	return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->line > y->line) - (x->line < y->line);
}

static int ids_sort(struct forest *forest)
{
	const struct node_block *a, *b;
	size_t i;

	forest->by_id = reallocarray(NULL, forest->n, sizeof(*forest->by_id));
	if (!forest->by_id)
		return -ENOMEM;
	for (i = 0; i < forest->n; i++)
		forest->by_id[i] = (uint32_t)i;
	qsort_r(forest->by_id, forest->n, sizeof(*forest->by_id), id_compare, forest->blocks);
	for (i = 1; i < forest->n; i++) {
		a = &forest->blocks[forest->by_id[i - 1]];
		b = &forest->blocks[forest->by_id[i]];
		if (a->id == b->id)
			report_add(forest->reader->report, FAULT, forest->path, b->line,
				   "id %u is used more than once (first in line %d)", b->id, a->line);
	}
	return 0;
}

/* Return the block with an id, or forest->n if it does not exist. */
static size_t id_find(const struct forest *forest, uint32_t id)
{
	size_t at;

	lower_bound(at, forest->n, forest->blocks[forest->by_id[at]].id < id);
	return at < forest->n && forest->blocks[forest->by_id[at]].id == id ? forest->by_id[at] : forest->n;
}

static int child_link(struct forest *forest, size_t parent, const char *word)
{
	struct node_block *block = &forest->blocks[parent];
	uint32_t id = 0, *slot;
	size_t child;

	if (number_u32(word, &id)) {
		report_add(forest->reader->report, FAULT, forest->path, block->line,
			   "error parsing value \"%.60s\" of childnodes: ids with commas between, or NONE, are allowed",
			   word);
		return 0;
	}
	child = id_find(forest, id);
	if (child == forest->n) {
		report_add(forest->reader->report, FAULT, forest->path, block->line,
			   "child node %u of \"%s\" does not exist", id, block->name);
	} else if (forest->blocks[child].parent >= 0) {
		report_add(forest->reader->report, FAULT, forest->path, block->line,
			   "node %u \"%s\" is referenced as a child more than once: by \"%s\" and by \"%s\"", id,
			   forest->blocks[child].name, forest->blocks[forest->blocks[child].parent].name, block->name);
	} else {
		slot = array_add(&forest->children, &forest->nchildren, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		*slot = (uint32_t)child;
		forest->blocks[child].parent = (int64_t)parent;
		block->nchildren++;
	}
	return 0;
}

static int children_link(struct forest *forest)
{
	char *rest, *word;
	size_t i;
	int rc = 0;

	for (i = 0; i < forest->n && !rc; i++) {
		forest->blocks[i].first_child = (uint32_t)forest->nchildren;
		rest = forest->blocks[i].childnodes;
		if (text_is_none(rest))
			continue;
		while (!rc && (word = text_word(&rest, LIST_SEPARATORS)))
			rc = child_link(forest, i, word);
	}
	return rc;
}

/*
 * Return the root, which is the block that no other block names, or -1 if each block has a parent.
 */
static int64_t root_find(struct forest *forest)
{
	int64_t root = -1;
	size_t i;

	for (i = 0; i < forest->n; i++) {
		if (forest->blocks[i].parent >= 0)
			continue;
		if (root < 0)
			root = (int64_t)i;
		else
			report_add(forest->reader->report, FAULT, forest->path, forest->blocks[i].line,
				   "node %u \"%s\" is not referenced as a child of any node", forest->blocks[i].id,
				   forest->blocks[i].name);
	}
	if (root < 0)
		report_add(forest->reader->report, FAULT, forest->path, 0,
			   "no root found: every node is the child of another one, in a cycle");
	return root;
}

static int node_put(struct forest *forest, const struct node_block *block, int32_t parent)
{
	struct cell *cell = forest->reader->cell;
	struct tree_node *node = &cell->tree[cell->ntree];

	*node = (struct tree_node){
		.name = strdup(block->name),
		.shares = block->shares,
		.project_tree = block->type == 1,
		.parent = parent,
		.nchildren = block->nchildren,
		.line = block->line,
	};
	if (!node->name)
		return -ENOMEM;
	cell->ntree++;
	return 0;
}

/*
 * Store the nodes in pre-order with an explicit stack. A block is on it at most once, because it
 * has one parent.
 */
static int tree_put(struct forest *forest, uint32_t root, uint32_t *stack, int32_t *node_of)
{
	const struct node_block *block;
	size_t depth = 0, i;
	uint32_t at;
	int rc;

	stack[depth++] = root;
	while (depth > 0) {
		at = stack[--depth];
		block = &forest->blocks[at];
		node_of[at] = (int32_t)forest->reader->cell->ntree;
		rc = node_put(forest, block, block->parent < 0 ? -1 : node_of[block->parent]);
		if (rc)
			return rc;
		for (i = block->nchildren; i > 0; i--)
			stack[depth++] = forest->children[block->first_child + i - 1];
	}
	return 0;
}

static void children_put(struct cell *cell)
{
	uint32_t next = 0;
	size_t i;

	for (i = 0; i < cell->ntree; i++) {
		cell->tree[i].first_child = next;
		next += cell->tree[i].nchildren;
		cell->tree[i].nchildren = 0;
	}
	for (i = 1; i < cell->ntree; i++) {
		struct tree_node *parent = &cell->tree[cell->tree[i].parent];

		cell->tree_children[parent->first_child + parent->nchildren++] = (uint32_t)i;
	}
}

static void cycles_report(struct forest *forest, const int32_t *node_of)
{
	size_t i;

	for (i = 0; i < forest->n; i++)
		if (node_of[i] < 0 && forest->blocks[i].parent >= 0)
			report_add(forest->reader->report, FAULT, forest->path, forest->blocks[i].line,
				   "node %u \"%s\" cannot be reached from the root", forest->blocks[i].id,
				   forest->blocks[i].name);
}

static int tree_build(struct forest *forest, uint32_t root)
{
	struct cell *cell = forest->reader->cell;
	uint32_t *stack = reallocarray(NULL, forest->n, sizeof(*stack));
	int32_t *node_of = reallocarray(NULL, forest->n, sizeof(*node_of));
	int rc = -ENOMEM;

	cell->tree = reallocarray(NULL, forest->n, sizeof(*cell->tree));
	cell->tree_children = reallocarray(NULL, forest->n, sizeof(*cell->tree_children));
	if (stack && node_of && cell->tree && cell->tree_children) {
		memset(node_of, -1, forest->n * sizeof(*node_of));
		rc = tree_put(forest, root, stack, node_of);
		if (!rc) {
			children_put(cell);
			cycles_report(forest, node_of);
		}
	}
	free(stack);
	free(node_of);
	return rc;
}

static int forest_build(struct forest *forest)
{
	int64_t root;
	int rc;

	blocks_check_complete(forest);
	rc = ids_sort(forest);
	if (!rc)
		rc = children_link(forest);
	if (rc)
		return rc;
	root = root_find(forest);
	return root < 0 ? 0 : tree_build(forest, (uint32_t)root);
}

static int forest_read(struct forest *forest)
{
	struct text text;
	char *line;
	int rc = text_open(&text, forest->path, forest->reader->report);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	while (!rc && (line = text_line(&text)))
		rc = line_read(forest, &text, line);
	if (!rc && forest->n > 0)
		rc = forest_build(forest);
	else if (!rc)
		report_add(text.report, FAULT, forest->path, 0,
			   "no node found: a share tree has at least a root (no file: no share tree)");
	text_close(&text);
	return rc;
}

int share_tree_read(struct reader *reader)
{
	struct forest forest = { .reader = reader, .path = path_join(reader->dir, NULL, "share_tree") };
	size_t faults = reader->report->faults;
	int rc = forest.path ? forest_read(&forest) : -ENOMEM;

	if (!rc && reader->report->faults == faults && reader->cell->ntree > 0)
		rc = share_tree_check(reader, forest.path);
	free(forest.blocks);
	free(forest.by_id);
	free(forest.children);
	free(forest.path);
	return rc;
}
