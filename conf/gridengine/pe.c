/* SPDX-License-Identifier: Apache-2.0 */
/* sge_pe(5) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/gridengine/readers.h"

static bool is_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

/* Set three members of the PE. The field's offset is that of the PE itself. */
static int field_rule(const struct field *field, void *member, const char *text, struct error *error)
{
	static const char *const words[] = {
		[RULE_PE_SLOTS] = "$pe_slots", [RULE_FILL_UP] = "$fill_up", [RULE_ROUND_ROBIN] = "$round_robin",
	};
	enum allocation_rule rule = RULE_ROUND_ROBIN;
	struct pe *pe = member;
	uint32_t n = 0;

	while (rule != RULE_FIXED && strcasecmp(text, words[rule]))
		rule--;
	if (rule == RULE_FIXED && (number_u32(text, &n) || n == 0))
		return error_set(error, -EINVAL,
				 "error parsing value \"%.30s\" of %s: $pe_slots, $fill_up, $round_robin "
				 "or a number of slots per host from 1 on is allowed",
				 text, field->name);
	pe->rule = rule;
	pe->slots_per_host = n;
	return field_string(field, &pe->allocation_rule, text, error);
}

static int field_urgency_slots(const struct field *field, void *member, const char *text, struct error *error)
{
	static const char *const words[] = { "min", "max", "avg", NULL };
	uint32_t n = 0;

	if (!is_word(text, words) && (!*text || number_u32(text, &n)))
		return error_set(error, -EINVAL,
				 "error parsing value \"%.30s\" of %s: min, max, avg or a whole number is allowed",
				 text, field->name);
	return field_string(field, member, text, error);
}

static const struct field table[] = {
	REQUIRED("pe_name", field_name, struct pe, name, NULL),
	REQUIRED("slots", field_u32, struct pe, slots, "0", .high = 9999999),
	REQUIRED("user_lists", field_names, struct pe, user_lists, "NONE"),
	REQUIRED("xuser_lists", field_names, struct pe, xuser_lists, "NONE"),
	{ .name = "allocation_rule", .parse = field_rule, .fallback = "$pe_slots", .required = true },
	REQUIRED("control_slaves", field_bool, struct pe, control_slaves, "FALSE"),
	REQUIRED("job_is_first_task", field_bool, struct pe, job_is_first_task, "TRUE"),
	REQUIRED("urgency_slots", field_urgency_slots, struct pe, urgency_slots, "min"),
	OPTIONAL("start_proc_args", field_string, struct pe, start_proc_args, "NONE"),
	OPTIONAL("stop_proc_args", field_string, struct pe, stop_proc_args, "NONE"),
	{ .name = "accounting_summary" }, { .name = "qsort_args" },
	{ .name = "ignore_slave_requests_on_master_host" }, { .name = "daemon_forks_slaves" },
	{ .name = "ign_sreq_on_mhost" }, { .name = "master_forks_slaves" },
	{ .name = "version" },
};

static void pe_clear(void *item)
{
	struct pe *pe = item;

	free(pe->allocation_rule);
	free(pe->urgency_slots);
}

const struct kind kind_pes = { KIND("pe", pes, struct pe), KIND_TABLE(table), .clear = pe_clear };
