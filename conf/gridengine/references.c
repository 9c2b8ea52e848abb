/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that an object uses and that no object has. Grid Engine refuses them. A cell may be an
 * excerpt, so each of them is a warning here. If the cell has no host object, names of hosts are
 * not checked, because hosts do not need objects.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/gridengine/quota_rule.h"
#include "conf/gridengine/readers.h"
#include "conf/resource_map.h"
#include "conf/subordinates.h"

enum target { TO_USERSET, TO_PROJECT, TO_PE, TO_CHECKPOINT, TO_CALENDAR, TO_QUEUE, TO_HOST, TO_HOSTGROUP, TO_COMPLEX };

struct from {			/* object that is being checked */
	struct reader *reader;
	/* folder and name of its file; folder NULL: the file has all objects */
	const char *folder, *name;
	int line;			/* 0: unknown */
};

static const char *const target_words[] = {
	[TO_USERSET] = "userset", [TO_PROJECT] = "project", [TO_PE] = "parallel environment",
	[TO_CHECKPOINT] = "checkpointing environment", [TO_CALENDAR] = "calendar", [TO_QUEUE] = "queue",
	[TO_HOST] = "host",
	[TO_HOSTGROUP] = "host group", [TO_COMPLEX] = "complex attribute",
};

static bool host_exists(const struct cell *cell, const char *name)
{
	size_t i;

	if (array_find(cell->hosts, cell->nhosts, sizeof(*cell->hosts), name))
		return true;
	for (i = 0; i < cell->nhosts && strcasecmp(cell->hosts[i].name, name); i++)
		;
	return i < cell->nhosts;
}

static bool target_exists(const struct reader *reader, enum target to, const char *name)
{
	const struct cell *cell = reader->cell;

	switch (to) {
	case TO_USERSET:
		return cell_userset(cell, name) != NULL;
	case TO_PROJECT:
		return cell_project(cell, name) != NULL;
	case TO_PE:
		return array_find(cell->pes, cell->npes, sizeof(*cell->pes), name) != NULL;
	case TO_CHECKPOINT:
		return cell_checkpoint(cell, name) != NULL;
	case TO_CALENDAR:
		return cell_calendar(cell, name) != NULL;
	case TO_QUEUE:
		return cell_queue(cell, name) != NULL;
	case TO_HOST:
		return cell->nhosts == 0 || host_exists(cell, name);
	case TO_HOSTGROUP:
		return array_find(cell->hostgroups, cell->nhostgroups, sizeof(*cell->hostgroups), name) != NULL;
	case TO_COMPLEX:
		return !reader->complex_valid || cell_complex(cell, name);
	}
	return true;
}

static void name_check_reference(const struct from *from, enum target to, const char *attribute, const char *name)
{
	char *path;

	if (target_exists(from->reader, to, name))
		return;
	path = path_join(from->reader->dir, from->folder, from->name);
	report_add(from->reader->report, WARNING, path ? path : from->name, from->line,
		   "%s names \"%.60s\", but there is no such %s", attribute, name, target_words[to]);
	free(path);
}

static void list_check(const struct from *from, enum target to, const char *attribute, const struct strlist *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (to != TO_HOSTGROUP || *list->items[i] == '@')
			name_check_reference(from, to, attribute, list->items[i]);
}

/* Refuse a value of a resource map that cannot be read. */
static int map_check(const struct from *from, const char *attribute, const struct pair *pair)
{
	const struct complex *complex = cell_complex(from->reader->cell, pair->name);
	struct resource_map map = { 0 };
	struct error error;
	char *path;
	int rc;

	if (!complex || complex->type != TYPE_RSMAP)
		return 0;
	rc = resource_map_parse(&map, pair->text, &error);
	resource_map_free(&map);
	if (rc != -EINVAL)
		return rc;
	path = path_join(from->reader->dir, from->folder, from->name);
	report_add(from->reader->report, FAULT, path ? path : from->name, from->line, "%s: %.60s: %s", attribute,
		   pair->name, error.text);
	free(path);
	return 0;
}

static int pairs_check(const struct from *from, const char *attribute, const struct pairs *pairs)
{
	int rc = 0;

	for (size_t i = 0; i < pairs->n && !rc; i++) {
		name_check_reference(from, TO_COMPLEX, attribute, pairs->items[i].name);
		if (strcmp(attribute, "complex_values") == 0)
			rc = map_check(from, attribute, &pairs->items[i]);
	}
	return rc;
}

static int subordinates_references(const struct from *from, const char *text)
{
	struct subordinates list = { 0 };
	int rc = subordinates_parse(&list, text, NULL);

	for (size_t i = 0; i < list.n; i++)
		name_check_reference(from, TO_QUEUE, "subordinate_list", list.items[i].queue);
	subordinates_free(&list);
	return rc == -ENOMEM ? rc : 0;
}

static int text_check(const struct from *from, enum target to, const char *attribute, const char *text)
{
	struct strlist list = { 0 };
	struct pairs pairs = { 0 };
	int rc;

	if (to == TO_QUEUE)
		return subordinates_references(from, text);
	rc = to == TO_COMPLEX ? pairs_parse(&pairs, text, LIST_SEPARATORS, NULL) : strlist_parse(&list, text, NULL);

	list_check(from, to, attribute, &list);
	if (pairs_check(from, attribute, &pairs))
		rc = -ENOMEM;
	strlist_free(&list);
	pairs_free(&pairs);
	return rc == -ENOMEM ? rc : 0;
}

static int value_check(const struct from *from, const struct queue_value *value)
{
	static const struct { const char *name; enum target to;
	} attributes[] = {
		{ "pe_list", TO_PE },
		{ "ckpt_list", TO_CHECKPOINT },
		{ "user_lists", TO_USERSET },
		{ "xuser_lists", TO_USERSET },
		{ "projects", TO_PROJECT },
		{ "xprojects", TO_PROJECT },
		{ "complex_values", TO_COMPLEX },
		{ "load_thresholds", TO_COMPLEX },
		{ "suspend_thresholds", TO_COMPLEX },
		{ "subordinate_list", TO_QUEUE },
		{ "calendar", TO_CALENDAR },
	};
	size_t i = 0, j;
	int rc;

	for (j = 0; j < value->noverrides; j++)
		if (*value->overrides[j].where == '@')
			name_check_reference(from, TO_HOSTGROUP, value->name, value->overrides[j].where);
	while (i < sizeof(attributes) / sizeof(*attributes) && strcmp(attributes[i].name, value->name))
		i++;
	if (i == sizeof(attributes) / sizeof(*attributes) || !value->value)
		return 0;
	rc = text_check(from, attributes[i].to, value->name, value->value);
	for (j = 0; j < value->noverrides && !rc; j++)
		rc = text_check(from, attributes[i].to, value->name, value->overrides[j].value);
	return rc;
}

static int queues_check(struct reader *reader)
{
	const struct queue *queue;
	int rc = 0;
	size_t i;

	for (queue = reader->cell->queues; queue != array_end(reader->cell->queues, reader->cell->nqueues); queue++) {
		struct from from = { reader, .folder = "queue", .name = queue->name };

		list_check(&from, TO_HOSTGROUP, "hostlist", &queue->hostlist);
		for (i = 0; i < queue->nvalues && !rc; i++) {
			from.line = queue->values[i].line;
			rc = value_check(&from, &queue->values[i]);
		}
	}
	return rc;
}

static int hosts_check(struct reader *reader)
{
	const struct host_conf *conf;

	for (conf = reader->cell->hosts; conf != array_end(reader->cell->hosts, reader->cell->nhosts); conf++) {
		struct from from = { reader, .folder = "hosts", .name = conf->name };

		if (pairs_check(&from, "complex_values", &conf->complex_values) ||
		    pairs_check(&from, "load_scaling", &conf->load_scaling))
			return -ENOMEM;
		list_check(&from, TO_USERSET, "user_lists", &conf->user_lists);
		list_check(&from, TO_USERSET, "xuser_lists", &conf->xuser_lists);
		list_check(&from, TO_PROJECT, "projects", &conf->projects);
		list_check(&from, TO_PROJECT, "xprojects", &conf->xprojects);
	}
	return 0;
}

static void lists_check(struct reader *reader)
{
	const struct cell *cell = reader->cell;
	size_t i;

	for (i = 0; i < cell->nprojects; i++) {
		struct from from = { reader, .folder = "projects", .name = cell->projects[i].name };

		list_check(&from, TO_USERSET, "acl", &cell->projects[i].acl);
		list_check(&from, TO_USERSET, "xacl", &cell->projects[i].xacl);
	}
	for (i = 0; i < cell->npes; i++) {
		struct from from = { reader, .folder = "pe", .name = cell->pes[i].name };

		list_check(&from, TO_USERSET, "user_lists", &cell->pes[i].user_lists);
		list_check(&from, TO_USERSET, "xuser_lists", &cell->pes[i].xuser_lists);
	}
	for (i = 0; i < cell->nhostgroups; i++) {
		struct from from = { reader, .folder = "hgrp", .name = cell->hostgroups[i].name };

		list_check(&from, TO_HOSTGROUP, "hostlist", &cell->hostgroups[i].hostlist);
	}
	for (i = 0; i < cell->nusers; i++) {
		struct from from = { reader, .folder = "users", .name = cell->users[i].name };

		if (*cell->users[i].default_project)
			name_check_reference(&from, TO_PROJECT, "default_project", cell->users[i].default_project);
	}
}

/*
 * Check the names in a filter. Users are not checked, because any user may submit. Patterns are not
 * checked, because they are resolved when they are used.
 */
static void quota_names_check(const struct from *from, enum quota_kind kind, const struct strlist *list)
{
	static const enum target targets[QUOTA_KINDS] = {
		[QUOTA_PROJECTS] = TO_PROJECT, [QUOTA_PES] = TO_PE, [QUOTA_QUEUES] = TO_QUEUE, [QUOTA_HOSTS] = TO_HOST,
	};
	const char *name;
	size_t i;

	for (i = 0; i < list->n; i++) {
		name = list->items[i];
		if (strpbrk(name, "*?["))
			continue;
		if (*name == '@' && kind == QUOTA_USERS)
			name_check_reference(from, TO_USERSET, quota_words[kind], name + 1);
		else if (*name == '@')
			name_check_reference(from, TO_HOSTGROUP, quota_words[kind], name);
		else if (kind != QUOTA_USERS)
			name_check_reference(from, targets[kind], quota_words[kind], name);
	}
}

static void quotas_check(struct reader *reader)
{
	struct from from = { reader, .name = "rqs" };
	const struct quota_set *set;
	const struct quota_rule *rule;
	enum quota_kind kind;

	for (set = reader->cell->quotas; set != array_end(reader->cell->quotas, reader->cell->nquotas); set++) {
		for (rule = set->rules; rule != array_end(set->rules, set->nrules); rule++) {
			from.line = rule->line;
			for (kind = 0; kind < QUOTA_KINDS; kind++) {
				quota_names_check(&from, kind, &rule->filters[kind].in);
				quota_names_check(&from, kind, &rule->filters[kind].not_in);
			}
		}
	}
}

/* Check the lists of the whole cell: sge_conf(5). */
static int global_check(struct reader *reader)
{
	static const struct { const char *name; enum target to;
	} attributes[] = {
		{ "user_lists", TO_USERSET },
		{ "xuser_lists", TO_USERSET },
		{ "projects", TO_PROJECT },
		{ "xprojects", TO_PROJECT },
		{ "auto_user_default_project", TO_PROJECT },
	};
	const struct from from = { reader, .name = "global_conf" };
	const struct pair *pair;
	int rc = 0;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes) && !rc; i++) {
		pair = pairs_find(&reader->cell->global.typed, attributes[i].name);
		if (pair)
			rc = text_check(&from, attributes[i].to, attributes[i].name, pair->text);
	}
	return rc;
}

int references_check(struct reader *reader)
{
	int rc = global_check(reader);

	if (rc)
		return rc;
	lists_check(reader);
	hosts_check(reader);
	quotas_check(reader);
	return queues_check(reader);
}
