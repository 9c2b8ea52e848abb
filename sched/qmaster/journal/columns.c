/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "sched/qmaster/journal/columns.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

#define U32(type, field) { #field, offsetof(struct type, field), COLUMN_U32 }
#define I64(type, field) { #field, offsetof(struct type, field), COLUMN_I64 }
#define REAL(type, field) { #field, offsetof(struct type, field), COLUMN_REAL }
#define STRING(type, field) { #field, offsetof(struct type, field), COLUMN_STRING }
#define JOB(type, field) { #field, offsetof(struct type, field), COLUMN_JOB }
#define U64(type, field) I64(type, field)
#define USAGE(type)								\
	{ "cpu", offsetof(struct type, usage.cpu), COLUMN_REAL },		\
	{ "mem", offsetof(struct type, usage.mem), COLUMN_REAL },		\
	{ "io", offsetof(struct type, usage.io), COLUMN_REAL },			\
	{ "ltcpu", offsetof(struct type, usage.ltcpu), COLUMN_REAL },		\
	{ "ltmem", offsetof(struct type, usage.ltmem), COLUMN_REAL },		\
	{ "ltio", offsetof(struct type, usage.ltio), COLUMN_REAL },		\
	{ "combined", offsetof(struct type, usage.combined), COLUMN_REAL },	\
	{ "time_stamp", offsetof(struct type, usage.time_stamp), COLUMN_I64 }

/* The duration of the run and the offsets of columns are not included. */
const struct result_column head_columns[] = {
	U64(run_record, run), I64(run_record, now), U64(run_record, event), U64(run_record, free_slots),
	REAL(run_record, weight_ticket), REAL(run_record, weight_urgency), REAL(run_record, weight_priority),
	REAL(run_record, urg_min), REAL(run_record, urg_max), REAL(run_record, tix_max),
	REAL(run_record, pending_tickets), REAL(run_record, running_tickets), U32(run_record, use_urgency),
	U32(run_record, use_priority), U32(run_record, report_pending), U32(run_record, nodes_configured),
	U32(run_record, prio_is_whole), REAL(run_record, urgency.weight_deadline),
	REAL(run_record, urgency.weight_waiting_time), I64(run_record, urgency.now),
};
const size_t nhead_columns = LENGTH(head_columns);

static const struct result_column tasks[] = {
	JOB(task_record, job_row), U32(task_record, number), U32(task_record, task), U32(task_record, slots),
	I64(task_record, start_time), STRING(task_record, queue), STRING(task_record, granted_pe),
	{ "kept", offsetof(struct task_record, kept), COLUMN_KEPT }, U32(task_record, has_usage),
	REAL(task_record, cpu), REAL(task_record, mem), REAL(task_record, io), REAL(task_record, otickets),
	REAL(task_record, ftickets), REAL(task_record, stickets),
	{ "state", offsetof(struct task_record, state), COLUMN_LETTERS },
};
static const struct result_column order[] = { { "job", 0, COLUMN_JOB } };
static const struct result_column nodes[] = {
	STRING(node_record, name), U32(node_record, parent), U32(node_record, depth), U32(node_record, shares),
	U32(node_record, has_children), U32(node_record, job_count), REAL(node_record, usage),
	REAL(node_record, long_target_share), REAL(node_record, short_target_share),
};
static const struct result_column sharers[] = {
	STRING(sharer_record, name), U32(sharer_record, oticket), U32(sharer_record, fshare),
	U32(sharer_record, running_tasks), USAGE(sharer_record),
};
static const struct result_column project_usage[] = {
	U32(project_usage_record, user), STRING(project_usage_record, project), USAGE(project_usage_record),
};
static const struct result_column passes[] = {
	I64(multifactor_record, pass), U32(multifactor_record, version), U32(multifactor_record, method),
	U32(multifactor_record, flags), U32(multifactor_record, max_age), U32(multifactor_record, weight_age),
	U32(multifactor_record, weight_assoc), U32(multifactor_record, weight_fairshare),
	U32(multifactor_record, weight_job_size), U32(multifactor_record, weight_partition),
	U32(multifactor_record, weight_qos), U32(multifactor_record, damping),
	STRING(multifactor_record, weight_tres), U32(multifactor_record, users),
};
static const struct result_column tres[] = { STRING(tres_record, name), REAL(tres_record, weight) };
static const struct result_column kinds[] = { { "name", 0, COLUMN_STRING } };
static const struct result_column minutes[] = { { "minutes", 0, COLUMN_I64 } };
static const struct result_column associations[] = {
	STRING(association_record, account), STRING(association_record, user), STRING(association_record, partition),
	REAL(association_record, usage), REAL(association_record, norm_shares), REAL(association_record, norm_usage),
	REAL(association_record, effective_usage), REAL(association_record, factor),
	REAL(association_record, level_fs), REAL(association_record, assoc_factor), U32(association_record, parent),
	U32(association_record, depth), U32(association_record, shares), U32(association_record, priority),
	U32(association_record, rank), U32(association_record, running), STRING(association_record, group_minutes),
};
static const struct result_column partitions[] = {
	STRING(partition_record, name), REAL(partition_record, factor), U32(partition_record, job_factor),
	U32(partition_record, tier),
};
static const struct result_column negotiation[] = {
	U64(negotiation_record, cycle), I64(negotiation_record, begin), I64(negotiation_record, last_update),
	I64(negotiation_record, next), REAL(negotiation_record, pool_weight), REAL(negotiation_record, pool_counted),
	REAL(negotiation_record, least_weight), U32(negotiation_record, matches),
	U32(negotiation_record, preemptions), U32(negotiation_record, spins), U32(negotiation_record, rounds),
	U32(negotiation_record, slots), U32(negotiation_record, trimmed), U32(negotiation_record, submitters),
	U32(negotiation_record, customers), REAL(negotiation_record, halflife), U32(negotiation_record, use_weights),
	U32(negotiation_record, consider_preemption),
};
static const struct result_column customers[] = {
	STRING(customer_record, name), U32(customer_record, group), U32(customer_record, is_group),
	U32(customer_record, used),
	REAL(customer_record, rup), REAL(customer_record, factor), REAL(customer_record, weight_used),
	REAL(customer_record, tree_used),
	REAL(customer_record, accumulated), REAL(customer_record, weight_accumulated), I64(customer_record, begin),
	I64(customer_record, last),
	I64(customer_record, ceiling), I64(customer_record, floor), I64(customer_record, lease_until[0]),
	I64(customer_record, lease_until[1]),
	I64(customer_record, lease_until[2]), REAL(customer_record, lease_before[0]),
	REAL(customer_record, lease_before[1]),
	REAL(customer_record, lease_before[2]),
};
/*
 * `rejected` is not included. Identical requests are counted once, or several times if an earlier
 * cycle has not shown that they are identical.
 */
static const struct result_column submitters[] = {
	U32(submitter_record, customer), U32(submitter_record, group), U32(submitter_record, idle),
	U32(submitter_record, running), REAL(submitter_record, weight_idle), REAL(submitter_record, weight_running),
	REAL(submitter_record, share), REAL(submitter_record, slice), REAL(submitter_record, limit),
	U32(submitter_record, spins), U32(submitter_record, visits), U32(submitter_record, matches),
	U32(submitter_record, preemptions), U32(submitter_record, stop),
};
static const struct result_column groups[] = {
	U32(group_record, customer), U32(group_record, parent), REAL(group_record, configured),
	REAL(group_record, quota), REAL(group_record, subtree_quota), REAL(group_record, requested),
	REAL(group_record, first_allocated), REAL(group_record, allocated), REAL(group_record, uncut),
	REAL(group_record, limit), REAL(group_record, tree_used), REAL(group_record, sort_key),
	U32(group_record, is_static), U32(group_record, accepts_surplus), U32(group_record, autoregroup),
	U32(group_record, capped_by), U32(group_record, order), STRING(group_record, quota_by),
	STRING(group_record, surplus_by), STRING(group_record, autoregroup_by),
};
static const struct result_column slots[] = {
	STRING(slot_record, name), U32(slot_record, state), U32(slot_record, customer), U32(slot_record, preempting),
	REAL(slot_record, weight),
	REAL(slot_record, current_rank), I64(slot_record, since), U32(slot_record, job), U32(slot_record, task),
	U32(slot_record, winner_job),
	U32(slot_record, winner_task),
};
static const struct result_column limits[] = {
	STRING(limit_record, name), REAL(limit_record, most), REAL(limit_record, used)
};
static const struct result_column contacts[] = {
	U32(contact_record, submitter), U32(contact_record, group), U32(contact_record, spin)
};
static const struct result_column matches[] = {
	U32(match_record, submitter), U32(match_record, slot), U32(match_record, job), U32(match_record, task),
	U32(match_record, preemption), U32(match_record, loser), U32(match_record, loser_job),
	U32(match_record, loser_task), REAL(match_record, weight), REAL(match_record, rank),
};

#define TABLE(name, id, record, columns) { name, id, sizeof(record), false, 0, columns, LENGTH(columns) }
#define OF_CYCLE(name, id, record, columns) { name, id, sizeof(record), true, 0, columns, LENGTH(columns) }

const struct result_table result_tables[] = {
	TABLE("tasks", TABLE_TASKS, struct task_record, tasks),
	TABLE("order", TABLE_ORDER, uint32_t, order),
	TABLE("share tree", TABLE_NODES, struct node_record, nodes),
	TABLE("users", TABLE_USERS, struct sharer_record, sharers),
	TABLE("projects", TABLE_PROJECTS, struct sharer_record, sharers),
	TABLE("departments", TABLE_DEPARTMENTS, struct sharer_record, sharers),
	TABLE("project usage", TABLE_PROJECT_USAGE, struct project_usage_record, project_usage),
	TABLE("multifactor", TABLE_MULTIFACTOR, struct multifactor_record, passes),
	TABLE("tres", TABLE_TRES, struct tres_record, tres),
	TABLE("tres kinds", TABLE_TRES_KINDS, uint32_t, kinds),
	TABLE("run minutes", TABLE_RUN_MINUTES, uint64_t, minutes),
	TABLE("associations", TABLE_ASSOCIATIONS, struct association_record, associations),
	TABLE("partitions", TABLE_PARTITIONS, struct partition_record, partitions),
	OF_CYCLE("negotiation", TABLE_NEGOTIATION, struct negotiation_record, negotiation),
	OF_CYCLE("customers", TABLE_CUSTOMERS, struct customer_record, customers),
	OF_CYCLE("submitters", TABLE_SUBMITTERS, struct submitter_record, submitters),
	OF_CYCLE("groups", TABLE_GROUPS, struct group_record, groups),
	OF_CYCLE("slots", TABLE_SLOTS, struct slot_record, slots),
	{ "limits", TABLE_LIMITS, sizeof(struct limit_record), true, offsetof(struct limit_record, used), limits,
	  LENGTH(limits) },
	OF_CYCLE("contacts", TABLE_CONTACTS, struct contact_record, contacts),
	OF_CYCLE("matches", TABLE_MATCHES, struct match_record, matches),
};
const size_t nresult_tables = LENGTH(result_tables);

_Static_assert(LENGTH(tasks) <= RESULT_COLUMNS_MOST && LENGTH(customers) <= RESULT_COLUMNS_MOST &&
		       LENGTH(groups) <= RESULT_COLUMNS_MOST,
	       "a record's values have room");

bool result_counts(const struct result_table *table, const void *record)
{
	double used = 1;

	if (table->used_at)
		memcpy(&used, (const char *)record + table->used_at, sizeof(used));
	return used != 0;
}

static uint32_t word(const void *at)
{
	uint32_t x;

	memcpy(&x, at, sizeof(x));
	return x;
}

static uint32_t number_of(const struct view *view, uint32_t row)
{
	const struct job_facts *facts = records_facts(view, row);

	return facts ? LOAD_ONCE(facts->number[row % CHUNK_ROWS]) : NONE;
}

static const struct kept_record *kept_of(const struct view *view, uint32_t index)
{
	return index == NONE ? NULL : view_record(view, TABLE_KEPT, sizeof(struct kept_record), index);
}

uint64_t result_value(const struct view *view, const struct result_column *column, const void *record)
{
	const char *at = (const char *)record + column->offset, *text;
	const struct kept_record *kept;
	uint64_t bits = 0;
	uint16_t half;

	switch (column->type) {
	case COLUMN_U16:
		memcpy(&half, at, sizeof(half));
		return half;
	case COLUMN_U32:
		return word(at);
	case COLUMN_STRING:
		text = view_string(view, word(at));
		return XXH3_64bits(text, strlen(text));
	case COLUMN_JOB:
		return number_of(view, word(at));
	case COLUMN_KEPT:
		kept = kept_of(view, word(at));
		return kept ? XXH3_64bits(kept, sizeof(*kept)) : 0;
	default:
		memcpy(&bits, at, sizeof(bits));
		return bits;
	}
}

const char *result_text(const struct view *view, const struct result_column *column, const void *record,
			char text[RESULT_TEXT_BYTES])
{
	const char *at = (const char *)record + column->offset;
	double real;

	switch (column->type) {
	case COLUMN_REAL:
		memcpy(&real, at, sizeof(real));
		snprintf(text, RESULT_TEXT_BYTES, "%.17g", real);
		break;
	case COLUMN_STRING:
		snprintf(text, RESULT_TEXT_BYTES, "%s", view_string(view, word(at)));
		break;
	case COLUMN_LETTERS:
		snprintf(text, RESULT_TEXT_BYTES, "%.8s", at);
		break;
	case COLUMN_KEPT:
		snprintf(text, RESULT_TEXT_BYTES, "%016" PRIx64, result_value(view, column, record));
		break;
	default:
		snprintf(text, RESULT_TEXT_BYTES, "%" PRId64, (int64_t)result_value(view, column, record));
	}
	return text;
}

/* Jobs */

enum job_column {
	OF_JOB_NUMBER, OF_JOB_TASK, OF_JOB_FLAGS, OF_JOB_WHY, OF_JOB_RRCONTR, OF_JOB_OTICKETS, OF_JOB_FTICKETS,
	OF_JOB_STICKETS, OF_JOB_ACCRUE,
	OF_JOB_WHOLE_PRIORITY, OF_JOB_ASSOCIATION, OF_JOB_CUSTOMER, OF_JOB_PLACE
};

static const char *const job_columns[] = {
	[OF_JOB_NUMBER] = "job_number", [OF_JOB_TASK] = "task", [OF_JOB_FLAGS] = "state", [OF_JOB_WHY] = "reasons",
	[OF_JOB_RRCONTR] = "rrcontr", [OF_JOB_OTICKETS] = "otckt", [OF_JOB_FTICKETS] = "ftckt",
	[OF_JOB_STICKETS] = "stckt", [OF_JOB_ACCRUE] = "accrue", [OF_JOB_WHOLE_PRIORITY] = "priority",
	[OF_JOB_ASSOCIATION] = "association", [OF_JOB_CUSTOMER] = "customer", [OF_JOB_PLACE] = "place",
};

const char *job_column_name(unsigned k)
{
	return k < LENGTH(job_columns) ? job_columns[k] : NULL;
}

static void real_text(char text[RESULT_TEXT_BYTES], double value)
{
	snprintf(text, RESULT_TEXT_BYTES, "%.17g", value);
}

static void whole_text(char text[RESULT_TEXT_BYTES], int64_t value)
{
	snprintf(text, RESULT_TEXT_BYTES, "%" PRId64, value);
}

/* Return the number of reasons. The numbers of reason lists differ in each process. */
static uint32_t reasons_of(const struct view *view, uint16_t why)
{
	const struct why_list_record *list = view_record(view, TABLE_WHY_LISTS, sizeof(*list), why);

	return list ? LOAD_ONCE(list->count) : 0;
}

static void policy_text(const struct view *view, uint32_t row, unsigned k, char text[RESULT_TEXT_BYTES])
{
	const struct ticket_results *tickets = records_tickets(view, row);
	const struct multifactor_results *multifactor = records_multifactor(view, row);
	const struct userprio_results *userprio = records_userprio(view, row);
	uint32_t i = row % CHUNK_ROWS;

	if (tickets && k >= OF_JOB_OTICKETS && k <= OF_JOB_STICKETS)
		real_text(text, k == OF_JOB_OTICKETS   ? tickets->otickets[i]
				: k == OF_JOB_FTICKETS ? tickets->ftickets[i]
						       : tickets->stickets[i]);
	else if (multifactor && k >= OF_JOB_ACCRUE && k <= OF_JOB_ASSOCIATION)
		whole_text(text, k == OF_JOB_ACCRUE	       ? multifactor->accrue[i]
				 : k == OF_JOB_WHOLE_PRIORITY ? multifactor->priority[i]
							      : multifactor->association[i]);
	else if (userprio && k >= OF_JOB_CUSTOMER)
		whole_text(text, k == OF_JOB_CUSTOMER ? userprio->customer[i] : userprio->place[i]);
}

bool job_column_text(const struct view *view, uint32_t row, unsigned k, char text[RESULT_TEXT_BYTES])
{
	const struct job_facts *facts = records_facts(view, row);
	const struct job_results *results = records_results(view, row);
	uint32_t i = row % CHUNK_ROWS;
	const struct category_record *category;

	*text = '\0';
	if (k >= LENGTH(job_columns) || !facts || !results)
		return false;
	category = view_record(view, TABLE_CATEGORIES, sizeof(*category), LOAD_ONCE(facts->category[i]));
	if (k == OF_JOB_RRCONTR && records_tickets(view, row))
		real_text(text, category ? category->rrcontr : 0);
	else if (k < OF_JOB_RRCONTR)
		whole_text(text, k == OF_JOB_NUMBER  ? facts->number[i]
				 : k == OF_JOB_TASK  ? results->task[i]
				 : k == OF_JOB_FLAGS ? results->flags[i]
						     : reasons_of(view, results->why[i]));
	else
		policy_text(view, row, k, text);
	return true;
}
