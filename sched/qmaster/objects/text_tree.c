/* SPDX-License-Identifier: Apache-2.0 */
/* The share tree of share_tree(5): each node is followed by the nodes below it. */
#include "sched/qmaster/objects/text.h"

static void number(struct page *page, const char *name, uint32_t value)
{
	page_put(page, name);
	page_u32(page, value);
	page_put(page, "\n");
}

static uint32_t count(const struct gdi_element *element)
{
	struct gdi_list children = gdi_list(element, STN_children);
	struct gdi_element child;
	uint32_t n = 1;

	while (gdi_next(&children, &child))
		n += count(&child);
	return n;
}

/*
 * Write a node and the nodes below it. Nodes are numbered in the order of printing, because the
 * qmaster's own numbers are all 0 after an order about the tree. The depth is limited by the check
 * of a buffer for nested lists.
 */
static void node(struct page *page, const struct gdi_element *element, uint32_t id)
{
	struct gdi_list children = gdi_list(element, STN_children), again = children;
	struct gdi_element child;
	uint32_t next = id + 1;

	number(page, "id=", id);
	page->attribute = "name";
	page_put(page, "name=");
	page_item(page, gdi_text(element, STN_name));
	page_put(page, "\n");
	number(page, "type=", gdi_u32(element, STN_type));
	number(page, "shares=", gdi_u32(element, STN_shares));
	page_begin_equals(page, "childnodes");
	for (const char *separator = ""; gdi_next(&again, &child); separator = ",") {
		page_put(page, separator);
		page_u32(page, next);
		next += count(&child);
	}
	page_end(page);
	for (next = id + 1; gdi_next(&children, &child); next += count(&child))
		node(page, &child, next);
}

void text_tree(struct page *page, const struct gdi_element *root)
{
	node(page, root, 0);
}
