/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/standard_complex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"

/* sorted by name; slots is the only consumable and the only one with a default and an urgency */
static const struct standard {
	const char *name, *shortcut;
	enum complex_type type;
	enum complex_relop relop;
	bool requestable;
	const char *default_value;
} entries[] = {
	{ "arch", "a", TYPE_STRING, RELOP_EQ, true, "" },
	{ "calendar", "c", TYPE_STRING, RELOP_EQ, true, "" },
	{ "cpu", "cpu", TYPE_DOUBLE, RELOP_GE, true, "0" },
	{ "display_win_gui", "dwg", TYPE_BOOL, RELOP_EQ, true, "0" },
	{ "h_core", "h_core", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "h_cpu", "h_cpu", TYPE_TIME, RELOP_LE, true, "0:0:0" },
	{ "h_data", "h_data", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "h_fsize", "h_fsize", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "h_rss", "h_rss", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "h_rt", "h_rt", TYPE_TIME, RELOP_LE, true, "0:0:0" },
	{ "h_stack", "h_stack", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "h_vmem", "h_vmem", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "hostname", "h", TYPE_HOST, RELOP_EQ, true, "" },
	{ "load_avg", "la", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "load_long", "ll", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "load_medium", "lm", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "load_short", "ls", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "m_core", "core", TYPE_INT, RELOP_LE, true, "0" },
	{ "m_socket", "socket", TYPE_INT, RELOP_LE, true, "0" },
	{ "m_thread", "thread", TYPE_INT, RELOP_LE, true, "0" },
	{ "m_topology", "topo", TYPE_STRING, RELOP_EQ, true, "" },
	{ "m_topology_inuse", "utopo", TYPE_STRING, RELOP_EQ, true, "" },
	{ "mem_free", "mf", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "mem_total", "mt", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "mem_used", "mu", TYPE_MEMORY, RELOP_GE, true, "0" },
	{ "min_cpu_interval", "mci", TYPE_TIME, RELOP_LE, false, "0:0:0" },
	{ "np_load_avg", "nla", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "np_load_long", "nll", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "np_load_medium", "nlm", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "np_load_short", "nls", TYPE_DOUBLE, RELOP_GE, false, "0" },
	{ "num_proc", "p", TYPE_INT, RELOP_EQ, true, "0" },
	{ "qname", "q", TYPE_STRING, RELOP_EQ, true, "" },
	{ "rerun", "re", TYPE_BOOL, RELOP_EQ, false, "0" },
	{ "s_core", "s_core", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "s_cpu", "s_cpu", TYPE_TIME, RELOP_LE, true, "0:0:0" },
	{ "s_data", "s_data", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "s_fsize", "s_fsize", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "s_rss", "s_rss", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "s_rt", "s_rt", TYPE_TIME, RELOP_LE, true, "0:0:0" },
	{ "s_stack", "s_stack", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "s_vmem", "s_vmem", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "seq_no", "seq", TYPE_INT, RELOP_EQ, false, "0" },
	{ "slots", "s", TYPE_INT, RELOP_LE, true, "1" },
	{ "swap_free", "sf", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "swap_rate", "sr", TYPE_MEMORY, RELOP_GE, true, "0" },
	{ "swap_rsvd", "srsv", TYPE_MEMORY, RELOP_GE, true, "0" },
	{ "swap_total", "st", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "swap_used", "su", TYPE_MEMORY, RELOP_GE, true, "0" },
	{ "tmpdir", "tmp", TYPE_STRING, RELOP_EQ, false, "" },
	{ "virtual_free", "vf", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "virtual_total", "vt", TYPE_MEMORY, RELOP_LE, true, "0" },
	{ "virtual_used", "vu", TYPE_MEMORY, RELOP_GE, true, "0" },
};
enum { ENTRIES = sizeof(entries) / sizeof(*entries) };

static int entry_fill(struct complex *complex, const struct standard *standard)
{
	bool slots = !strcmp(standard->name, "slots");

	*complex = (struct complex){
		.name = strdup(standard->name),
		.shortcut = strdup(standard->shortcut),
		.type = standard->type,
		.relop = standard->relop,
		.requestable = standard->requestable ? REQUESTABLE_YES : REQUESTABLE_NO,
		.consumable = slots ? CONSUMABLE_YES : CONSUMABLE_NO,
		.default_value = strdup(standard->default_value),
		.consumption = slots ? 1 : 0,
		.urgency = slots ? 1000 : 0,
	};
	return complex->name && complex->shortcut && complex->default_value ? 0 : -ENOMEM;
}

int standard_complex_fill(struct cell *cell)
{
	struct complex *complex;
	size_t i;

	for (i = 0; i < ENTRIES; i++) {
		complex = array_add(&cell->complexes, &cell->ncomplexes, sizeof(*complex));
		if (!complex || entry_fill(complex, &entries[i]))
			return -ENOMEM;
	}
	return 0;
}

bool standard_complex_type(const char *name, enum complex_type *type)
{
	const struct standard *standard = array_find(entries, ENTRIES, sizeof(*entries), name);

	if (standard)
		*type = standard->type;
	return standard != NULL;
}
