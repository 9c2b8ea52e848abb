/* SPDX-License-Identifier: Apache-2.0 */
/* Events about hosts: availability and reported load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/base/number.h"
#include "sched/mirror/inside.h"

const struct reported_host *reported_host_find(const struct state *state, uint32_t name)
{
	uint32_t i = index_find(&state->host_index, state->host_names, name);

	return i == INDEX_NONE ? NULL : &state->hosts[i];
}

static int reserve(struct state *state)
{
	if (array_reserve(&state->hosts_capacity, state->nhosts + 1, COLUMN(state->hosts), COLUMN(state->host_names)))
		return -ENOMEM;
	return index_reserve(&state->host_index, state->host_names);
}

/* Return the host's entry, created if it has none. NULL: no memory. */
static struct reported_host *find_or_add(struct mirror *mirror, struct state *state, const char *host)
{
	uint32_t name = strings_find(mirror->strings, host),
		 i = name == NONE ? INDEX_NONE : index_find(&state->host_index, state->host_names, name);

	if (i != INDEX_NONE)
		return &state->hosts[i];
	if (reserve(state) || (name = strings_hold(mirror->strings, host)) == NONE)
		return NULL;
	state->hosts[state->nhosts] = (struct reported_host){ 0 };
	state->host_names[state->nhosts] = name;
	index_insert(&state->host_index, state->host_names, (uint32_t)state->nhosts);
	return &state->hosts[state->nhosts++];
}

static void load_drop(struct mirror *mirror, struct load_value *load, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strings_drop(mirror->strings, load[i].name);
		strings_drop(mirror->strings, load[i].value);
	}
	free(load);
}

void reported_hosts_free(struct mirror *mirror, struct state *state)
{
	for (size_t i = 0; i < state->nhosts; i++) {
		load_drop(mirror, state->hosts[i].load, state->hosts[i].nload);
		free(state->hosts[i].avoided_by);
		strings_drop(mirror->strings, state->host_names[i]);
	}
	free(state->hosts);
	free(state->host_names);
	index_free(&state->host_index);
}

int mirror_host_state(struct mirror *mirror, const char *host, bool available, struct error *error)
{
	struct reported_host *reported_host = find_or_add(mirror, mirror_target(mirror), host);

	if (!reported_host)
		return error_set(error, -ENOMEM, "out of memory");
	reported_host->down = !available;
	return 0;
}

int mirror_reschedule_unknown(struct mirror *mirror, const char *host, const struct task_name *tasks, size_t n,
			      struct error *error)
{
	struct task_name *copy = calloc(n + 1, sizeof(*copy));
	struct reported_host *reported_host = copy ? find_or_add(mirror, mirror_target(mirror), host) : NULL;

	if (!reported_host) {
		free(copy);
		return error_set(error, -ENOMEM, "out of memory for host \"%.60s\"", host);
	}
	if (n > 0)
		memcpy(copy, tasks, n * sizeof(*copy));
	free(reported_host->avoided_by);
	reported_host->avoided_by = copy;
	reported_host->navoided_by = n;
	return 0;
}

/* Hold the strings of load values. NULL: no memory. */
static struct load_value *load_hold(struct mirror *mirror, const struct load_report *values, size_t n)
{
	struct load_value *load = calloc(n ? n : 1, sizeof(*load));
	bool complete = load != NULL;

	for (size_t i = 0; load && i < n; i++) {
		load[i].name = strings_hold(mirror->strings, values[i].name);
		load[i].value = strings_hold(mirror->strings, values[i].value);
		complete = complete && load[i].name != NONE && load[i].value != NONE;
	}
	if (complete)
		return load;
	load_drop(mirror, load, load ? n : 0);
	return NULL;
}

static bool has_names(const struct mirror *mirror, const struct reported_host *host, const struct load_report *values,
		      size_t n)
{
	bool same = host->has_load && host->nload == n;

	for (size_t i = 0; same && i < n; i++)
		same = strcmp(mirror_text(mirror, host->load[i].name), values[i].name) == 0;
	return same;
}

/*
 * Replace the values of a host that reports the same names again. Most values do not change, so
 * only changed ones are looked up. -ENOMEM changes nothing.
 */
static int load_change(struct mirror *mirror, struct reported_host *host, const struct load_report *values, size_t n)
{
	uint32_t *ids = malloc((n + 1) * sizeof(*ids));
	bool complete = ids != NULL;

	for (size_t i = 0; ids && i < n; i++) {
		bool same = strcmp(mirror_text(mirror, host->load[i].value), values[i].value) == 0;

		ids[i] = same ? host->load[i].value : strings_hold(mirror->strings, values[i].value);
		complete = complete && ids[i] != NONE;
	}
	for (size_t i = 0; ids && i < n; i++) {
		uint32_t drop = complete ? host->load[i].value : ids[i];

		if (ids[i] == host->load[i].value)
			continue;
		strings_drop(mirror->strings, drop);
		if (complete)
			host->load[i].value = ids[i];
	}
	free(ids);
	return complete ? 0 : -ENOMEM;
}

static int load_replace(struct mirror *mirror, const char *host, const struct load_report *values, size_t n)
{
	struct load_value *load = load_hold(mirror, values, n);
	struct reported_host *reported_host = load ? find_or_add(mirror, mirror_target(mirror), host) : NULL;

	if (!reported_host) {
		load_drop(mirror, load, load ? n : 0);
		return -ENOMEM;
	}
	load_drop(mirror, reported_host->load, reported_host->nload);
	reported_host->load = load;
	reported_host->nload = n;
	reported_host->has_load = true;
	return 0;
}

int mirror_host_load(struct mirror *mirror, const char *host, const struct load_report *values, size_t n,
		     struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t name = strings_find(mirror->strings, host),
		 i = name == NONE ? INDEX_NONE : index_find(&state->host_index, state->host_names, name);
	int rc = i != INDEX_NONE && has_names(mirror, &state->hosts[i], values, n)
			 ? load_change(mirror, &state->hosts[i], values, n)
			 : load_replace(mirror, host, values, n);

	return rc ? error_set(error, rc, "out of memory for the load of host \"%.60s\"", host) : 0;
}

static const char *reported_load(const struct mirror *mirror, const struct reported_host *reported, const char *name)
{
	for (size_t i = 0; i < reported->nload; i++)
		if (strcmp(mirror_text(mirror, reported->load[i].name), name) == 0)
			return mirror_text(mirror, reported->load[i].value);
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

double mirror_load_number(const struct mirror *mirror, const char *host, const char *name)
{
	uint32_t string = strings_find(mirror->strings, host);
	const struct reported_host *reported = string == NONE ? NULL : reported_host_find(mirror->state, string);
	const char *text =
		reported && reported->has_load ? reported_load(mirror, reported, name) : written_load(mirror->cell, host, name);
	double number;

	return text && number_parse(text, &number) == 0 && number > 0 ? number : 0.0;
}
