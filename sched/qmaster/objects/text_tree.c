/* SPDX-License-Identifier: Apache-2.0 */
/* share_tree(5): each node, and then those below it. */
#include "sched/qmaster/objects/text.h"

static void number(struct page *p, const char *name, uint32_t value)
{
	page_put(p, name);
	page_u32(p, value);
	page_put(p, "\n");
}

/* As deep as the check of a buffer lets lists lie in lists. */
static void node(struct page *p, const struct gdi_element *e)
{
	struct gdi_list children = gdi_list(e, STN_children), again = children;
	struct gdi_element child;

	number(p, "id=", gdi_u32(e, STN_id));
	p->attribute = "name";
	page_put(p, "name=");
	page_item(p, gdi_text(e, STN_name));
	page_put(p, "\n");
	number(p, "type=", gdi_u32(e, STN_type));
	number(p, "shares=", gdi_u32(e, STN_shares));
	page_put(p, children.left ? "childnodes=" : "childnodes=NONE");
	for (const char *separator = ""; gdi_next(&again, &child); separator = ",") {
		page_put(p, separator);
		page_u32(p, gdi_u32(&child, STN_id));
	}
	page_put(p, "\n");
	while (gdi_next(&children, &child))
		node(p, &child);
}

void text_tree(struct page *p, const struct gdi_element *root)
{
	node(p, root);
}
