/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of tickets: users, projects, departments; the share tree. */
#include "sched/reader/handle.h"

#include "conf/base/search.h"

static enum table_id sharer_table(enum fl_kind kind)
{
	return kind == FL_USER ? TABLE_USERS : kind == FL_PROJECT ? TABLE_PROJECTS : TABLE_DEPARTMENTS;
}

static struct fl_usage usage_of(const struct usage_record *usage)
{
	return (struct fl_usage) {
		.cpu = usage->cpu, .mem = usage->mem, .io = usage->io,
		.ltcpu = usage->ltcpu, .ltmem = usage->ltmem, .ltio = usage->ltio,
		.combined = usage->combined,
		.time_stamp = usage->time_stamp,
	};
}

size_t fl_sharers(const struct fl_view *view, enum fl_kind kind)
{
	uint64_t count;

	view_table(&view->view, sharer_table(kind), sizeof(struct sharer_record), &count);
	return count;
}

int fl_sharer(const struct fl_view *view, enum fl_kind kind, size_t k, struct fl_sharer *sharer)
{
	struct sharer_record record;

	if (!RECORD_COPY(view, sharer_table(kind), k, &record))
		return -ENOENT;
	*sharer = (struct fl_sharer) {
		.name = view_string(&view->view, record.name),
		.oticket = record.oticket,
		.fshare = record.fshare,
		.running_tasks = record.running_tasks,
		.usage = usage_of(&record.usage),
	};
	return 0;
}

/* Return the index of the first record of this user or a later one. */
static uint64_t usages_of_user(const struct project_usage_record *records, uint64_t count, size_t user)
{
	uint64_t at;

	lower_bound(at, count, LOAD_ONCE(records[at].user) < user);
	return at;
}

int fl_user_project_usage(const struct fl_view *view, size_t user, const char *project, struct fl_usage *usage)
{
	uint64_t count;
	const struct project_usage_record *records =
		view_table(&view->view, TABLE_PROJECT_USAGE, sizeof(*records), &count);
	struct project_usage_record record;

	for (uint64_t i = usages_of_user(records, count, user); i < count; i++) {
		view_copy(&record, &records[i], sizeof(record));
		if (record.user != user)
			break;
		if (strcmp(view_string(&view->view, record.project), project) == 0) {
			*usage = usage_of(&record.usage);
			return 0;
		}
	}
	return -ENOENT;
}

size_t fl_nodes(const struct fl_view *view)
{
	uint64_t count;

	view_table(&view->view, TABLE_NODES, sizeof(struct node_record), &count);
	return count;
}

int fl_node(const struct fl_view *view, size_t k, struct fl_node *node)
{
	struct node_record record;

	if (!RECORD_COPY(view, TABLE_NODES, k, &record))
		return -ENOENT;
	*node = (struct fl_node) {
		.name = view_string(&view->view, record.name),
		.parent = record.parent < fl_nodes(view) && record.parent <= INT32_MAX ? (int32_t)record.parent : -1,
		.depth = record.depth,
		.shares = record.shares,
		.has_children = record.has_children,
		.is_temporary = k >= LOAD_ONCE(records_run(&view->view)->nodes_configured),
		.job_count = record.job_count,
		.usage = record.usage,
		.long_target_share = record.long_target_share,
		.short_target_share = record.short_target_share,
	};
	return 0;
}
