/* SPDX-License-Identifier: Apache-2.0 */
/* Events about hosts: whether they are there, and the load that they report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/number.h"
#include "sched/mirror/tables.h"

const struct told_host *told_host_find(const struct state *s, uint32_t name)
{
	uint32_t i = index_find(&s->host_index, s->host_names, name);

	return i == INDEX_NONE ? NULL : &s->hosts[i];
}

static int reserve(struct state *s)
{
	size_t n = 2 * s->hosts_capacity + 64;

	if (s->nhosts == s->hosts_capacity) {
		if (array_grow(&s->hosts, n, sizeof(*s->hosts)) || array_grow(&s->host_names, n, sizeof(*s->host_names)))
			return -ENOMEM;
		s->hosts_capacity = n;
	}
	return index_reserve(&s->host_index, s->host_names);
}

/* The host's entry, made if it has none. NULL: no memory. */
static struct told_host *find_or_add(struct mirror *m, struct state *s, const char *host)
{
	uint32_t name = strings_find(m->strings, host), i = name == NONE ? INDEX_NONE : index_find(&s->host_index, s->host_names, name);

	if (i != INDEX_NONE)
		return &s->hosts[i];
	if (reserve(s) || (name = strings_hold(m->strings, host)) == NONE)
		return NULL;
	s->hosts[s->nhosts] = (struct told_host){ 0 };
	s->host_names[s->nhosts] = name;
	index_insert(&s->host_index, s->host_names, (uint32_t)s->nhosts);
	return &s->hosts[s->nhosts++];
}

static void load_drop(struct mirror *m, struct load_value *load, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strings_drop(m->strings, load[i].name);
		strings_drop(m->strings, load[i].value);
	}
	free(load);
}

void told_hosts_free(struct mirror *m, struct state *s)
{
	for (size_t i = 0; i < s->nhosts; i++) {
		load_drop(m, s->hosts[i].load, s->hosts[i].nload);
		free(s->hosts[i].avoided_by);
		strings_drop(m->strings, s->host_names[i]);
	}
	free(s->hosts);
	free(s->host_names);
	index_free(&s->host_index);
}

int mirror_host_state(struct mirror *m, const char *host, bool available, struct error *error)
{
	struct told_host *h = find_or_add(m, mirror_target(m), host);

	if (!h)
		return error_set(error, -ENOMEM, "out of memory");
	h->down = !available;
	return 0;
}

int mirror_reschedule_unknown(struct mirror *m, const char *host, const struct task_name *tasks, size_t n, struct error *error)
{
	struct task_name *copy = calloc(n + 1, sizeof(*copy));
	struct told_host *h = copy ? find_or_add(m, mirror_target(m), host) : NULL;

	if (!h) {
		free(copy);
		return error_set(error, -ENOMEM, "out of memory for host \"%.60s\"", host);
	}
	if (n > 0)
		memcpy(copy, tasks, n * sizeof(*copy));
	free(h->avoided_by);
	h->avoided_by = copy;
	h->navoided_by = n;
	return 0;
}

/* NULL: no memory. */
static struct load_value *load_hold(struct mirror *m, const struct load_report *values, size_t n)
{
	struct load_value *load = calloc(n ? n : 1, sizeof(*load));
	bool complete = load != NULL;

	for (size_t i = 0; load && i < n; i++) {
		load[i].name = strings_hold(m->strings, values[i].name);
		load[i].value = strings_hold(m->strings, values[i].value);
		complete = complete && load[i].name != NONE && load[i].value != NONE;
	}
	if (complete)
		return load;
	load_drop(m, load, load ? n : 0);
	return NULL;
}

static bool has_names(const struct mirror *m, const struct told_host *h, const struct load_report *values, size_t n)
{
	bool same = h->has_load && h->nload == n;

	for (size_t i = 0; same && i < n; i++)
		same = strcmp(mirror_text(m, h->load[i].name), values[i].name) == 0;
	return same;
}

/*
 * A host reports the same names again and again, and most of their values do not change: only those
 * that do are looked up. -ENOMEM changes nothing.
 */
static int load_change(struct mirror *m, struct told_host *h, const struct load_report *values, size_t n)
{
	uint32_t *ids = malloc((n + 1) * sizeof(*ids));
	bool complete = ids != NULL;

	for (size_t i = 0; ids && i < n; i++) {
		bool same = strcmp(mirror_text(m, h->load[i].value), values[i].value) == 0;

		ids[i] = same ? h->load[i].value : strings_hold(m->strings, values[i].value);
		complete = complete && ids[i] != NONE;
	}
	for (size_t i = 0; ids && i < n; i++) {
		uint32_t drop = complete ? h->load[i].value : ids[i];

		if (ids[i] == h->load[i].value)
			continue;
		strings_drop(m->strings, drop);
		if (complete)
			h->load[i].value = ids[i];
	}
	free(ids);
	return complete ? 0 : -ENOMEM;
}

static int load_replace(struct mirror *m, const char *host, const struct load_report *values, size_t n)
{
	struct load_value *load = load_hold(m, values, n);
	struct told_host *h = load ? find_or_add(m, mirror_target(m), host) : NULL;

	if (!h) {
		load_drop(m, load, load ? n : 0);
		return -ENOMEM;
	}
	load_drop(m, h->load, h->nload);
	h->load = load;
	h->nload = n;
	h->has_load = true;
	return 0;
}

int mirror_host_load(struct mirror *m, const char *host, const struct load_report *values, size_t n, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t name = strings_find(m->strings, host), i = name == NONE ? INDEX_NONE : index_find(&s->host_index, s->host_names, name);
	int rc = i != INDEX_NONE && has_names(m, &s->hosts[i], values, n) ? load_change(m, &s->hosts[i], values, n) : load_replace(m, host, values, n);

	return rc ? error_set(error, rc, "out of memory for the load of host \"%.60s\"", host) : 0;
}

static const char *told_load(const struct mirror *m, const struct told_host *told, const char *name)
{
	for (size_t i = 0; i < told->nload; i++)
		if (strcmp(mirror_text(m, told->load[i].name), name) == 0)
			return mirror_text(m, told->load[i].value);
	return NULL;
}

static const char *written_load(const struct cell *cell, const char *host, const char *name)
{
	const struct host_conf *conf = cell_host(cell, host);

	for (size_t k = 0; conf && k < conf->load_values.n; k++)
		if (strcmp(conf->load_values.items[k].name, name) == 0)
			return conf->load_values.items[k].text;
	return NULL;
}

double mirror_load_number(const struct mirror *m, const char *host, const char *name)
{
	uint32_t string = strings_find(m->strings, host);
	const struct told_host *told = string == NONE ? NULL : told_host_find(m->state, string);
	const char *text = told && told->has_load ? told_load(m, told, name) : written_load(m->cell, host, name);
	double number;

	return text && number_parse(text, &number) == 0 && number > 0 ? number : 0.0;
}
