/* SPDX-License-Identifier: Apache-2.0 */
/* Share tree values that sge_share_mon shows. The qmaster finds nodes by their names. */
#include "sched/qmaster/gridengine/packed.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))

static const struct gdi_word node_words[] = {
	{ STN_version, 0x200803 }, { STN_name, 0x302708 }, { STN_job_ref_count, 0x200803 }, { STN_m_share, 0x280002 },
	{ STN_last_actual_proportion, 0x200802 }, { STN_adjusted_current_proportion, 0x200802 },
	{ STN_children, 0x302009 },
};

/*
 * Write the nodes at this depth from `i` on, each with the nodes below it. Returns the index after
 * them.
 */
static size_t write_nodes(struct gdi_writer *writer, uint32_t version, const struct packed_node *nodes, size_t i,
			  size_t n)
{
	uint32_t depth = nodes[i].depth;
	size_t list = gdi_list_begin(writer, "", node_words, COUNT(node_words));

	while (i < n && nodes[i].depth == depth) {
		const struct packed_node *node = &nodes[i++];

		gdi_element_begin(writer, list);
		gdi_write_u32(writer, version);
		gdi_write_text(writer, node->name);
		gdi_write_u32(writer, node->job_count);
		gdi_write_double(writer, node->m_share);
		gdi_write_double(writer, node->actual_share);
		gdi_write_double(writer, node->target_share);
		if (i < n && nodes[i].depth > depth)
			i = write_nodes(writer, 0, nodes, i, n);
		else
			gdi_write_null(writer);
	}
	gdi_list_end(writer, list);
	return i;
}

void packed_tree(struct packed *packed, uint32_t version, const struct packed_node *nodes, size_t n)
{
	const struct packed_order order = { .kind = PACKED_TREE };

	if (n == 0)
		return;
	packed_list_begin(packed);
	packed_order_begin(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_ticket(packed, &order);
	write_nodes(&packed->w, version, nodes, 0, n);
	packed_order_end(packed, &order);
	packed_list_end(packed);
}
