/* SPDX-License-Identifier: Apache-2.0 */
/* share_tree(5): each node, and then those below it. */
#include "sched/qmaster/objects/text.h"

static void number(struct page *p, const char *name, uint32_t value)
{
	page_put(p, name);
	page_u32(p, value);
	page_put(p, "\n");
}

static uint32_t count(const struct gdi_element *e)
{
	struct gdi_list children = gdi_list(e, STN_children);
	struct gdi_element child;
	uint32_t n = 1;

	while (gdi_next(&children, &child))
		n += count(&child);
	return n;
}

/*
 * Nodes are numbered as they are printed, whatever numbers they have: after an order about the tree
 * all are 0. As deep as the check of a buffer lets lists lie in lists.
 */
static void node(struct page *p, const struct gdi_element *e, uint32_t id)
{
	struct gdi_list children = gdi_list(e, STN_children), again = children;
	struct gdi_element child;
	uint32_t next = id + 1;

	number(p, "id=", id);
	p->attribute = "name";
	page_put(p, "name=");
	page_item(p, gdi_text(e, STN_name));
	page_put(p, "\n");
	number(p, "type=", gdi_u32(e, STN_type));
	number(p, "shares=", gdi_u32(e, STN_shares));
	page_begin_equals(p, "childnodes");
	for (const char *separator = ""; gdi_next(&again, &child); separator = ",") {
		page_put(p, separator);
		page_u32(p, next);
		next += count(&child);
	}
	page_end(p);
	for (next = id + 1; gdi_next(&children, &child); next += count(&child))
		node(p, &child, next);
}

void text_tree(struct page *p, const struct gdi_element *root)
{
	node(p, root, 0);
}
