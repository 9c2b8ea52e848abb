/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are alike. A kind's key is what stands in all attributes of a job on which a value
 * may depend, a cluster's in those that the configuration leaves of them.
 */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

static const char *const removed_by_default[] = { "CpusUsage", "DiskUsage", "GPUsUsage", "MemoryUsage", "ResidentSetSize", NULL };
static const char *const always[] = { "Requirements", "Rank", "ConcurrencyLimits" };

static int names_add(struct classad_names *names, char *const *items)
{
	int rc = 0;

	for (size_t i = 0; items && items[i] && rc == 0; i++)
		rc = classad_names_add(names, items[i]);
	return rc;
}

int clusters_create(struct clusters *c, const struct condor_conf *conf)
{
	const char *pattern = conf->remove_significant_regex ? conf->remove_significant_regex : "^Slot[0-9]*_";
	int rc = names_add(&c->significant, conf->significant);

	if (rc == 0)
		rc = names_add(&c->added, conf->add_significant);
	if (rc == 0)
		rc = names_add(&c->removed, conf->remove_significant ? conf->remove_significant : (char *const *)removed_by_default);
	if (rc == 0 && *pattern) {
		c->pattern = malloc(sizeof(regex_t));
		if (!c->pattern)
			return -ENOMEM;
		if (regcomp(c->pattern, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) {
			free(c->pattern);	/* the configuration's reader has refused what can't be read */
			c->pattern = NULL;
		}
	}
	return rc;
}

static bool is_removed(const struct clusters *c, const char *name)
{
	return classad_names_have(&c->removed, name) || (c->pattern && regexec(c->pattern, name, 0, NULL, 0) == 0);
}

static bool is_significant(const struct clusters *c, const char *name, bool matters)
{
	if (classad_names_have(&c->added, name))
		return true;
	return (c->significant.n > 0 ? classad_names_have(&c->significant, name) : matters) && !is_removed(c, name);
}

static int append(struct clusters *c, size_t *at, const char *text, size_t bytes)
{
	if (room_for(&c->text, &c->text_capacity, *at + bytes + 1, 1) < 0)
		return -ENOMEM;
	memcpy(c->text + *at, text, bytes);
	*at += bytes;
	c->text[*at] = '\0';
	return 0;
}

static int append_attribute(struct clusters *c, size_t *at, const char *name, const struct classad_expression *e)
{
	struct classad_value value;
	int rc = append(c, at, name, strlen(name));

	for (size_t i = *at - strlen(name); rc == 0 && i < *at; i++)
		c->text[i] = c->text[i] >= 'A' && c->text[i] <= 'Z' ? (char)(c->text[i] + 'a' - 'A') : c->text[i];
	if (rc == 0 && classad_is_constant(e, &value)) {
		size_t bytes = classad_value_text(&value, NULL, 0);

		rc = append(c, at, ":", 1);
		if (rc == 0)
			rc = room_for(&c->text, &c->text_capacity, *at + bytes + 1, 1);
		if (rc == 0)
			*at += classad_value_text(&value, c->text + *at, bytes + 1);
	} else if (rc == 0) {
		rc = append(c, at, "=", 1);
		if (rc == 0)
			rc = append(c, at, classad_expression_text(e), strlen(classad_expression_text(e)));
	}
	return rc == 0 ? append(c, at, "\x1f", 1) : rc;
}

/* What the job's own expressions depend on, and those that slots ask for: `wanted` has both. */
static int job_reach(struct negotiator *n, const struct classad *job, struct reach *reach)
{
	const struct classad *ad = job;
	const char *request;
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < n->clusters.wanted.n && rc == 0; i++)
		rc = interest_follow(&n->interest, classad_find(job, n->clusters.wanted.items[i]), job, reach);
	while (rc == 0 && (request = request_next(job, &ad, &at))) {
		rc = classad_names_add(&reach->own, request);
		if (rc == 0)
			rc = interest_follow(&n->interest, classad_find(job, request), job, reach);
	}
	return rc;
}

static int names_join(struct classad_names *to, const struct classad_names *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && rc == 0; i++)
		rc = classad_names_add(to, from->items[i]);
	return rc;
}

/*
 * The key, of the kind or of the cluster, as c->text; *differs: some attribute is not the same in
 * both.
 */
static int key_write(struct clusters *c, const struct classad *job, const struct classad_names *own, bool of_cluster, bool *differs)
{
	const struct classad_names *lists[] = { own, &c->wanted, &c->added, &c->significant };
	size_t at = 0;
	int rc = append(c, &at, "", 0);

	for (size_t list = 0; list < sizeof(lists) / sizeof(*lists); list++)
		for (size_t i = 0; i < lists[list]->n && rc == 0; i++) {
			const char *name = lists[list]->items[i];
			const struct classad_expression *e = classad_find(job, name);
			bool before = false, matters, significant;

			for (size_t k = 0; k < list; k++)
				before |= classad_names_have(lists[k], name);
			if (!e || before)
				continue;
			matters = list < 2;
			significant = is_significant(c, name, matters);
			*differs |= matters != significant;
			if (of_cluster ? significant : matters)
				rc = append_attribute(c, &at, name, e);
		}
	return rc;
}

static int kinds_room(struct clusters *c)
{
	size_t before = c->capacity;

	if (room_for(&c->kinds, &c->capacity, c->keys.n, sizeof(*c->kinds)) < 0)
		return -ENOMEM;
	memset(c->kinds + before, 0, (c->capacity - before) * sizeof(*c->kinds));
	return 0;
}

static bool depends_on_submitter(const struct reach *own)
{
	for (size_t i = 0; i < own->own.n; i++)
		if (moment_of(own->own.items[i]) & MOMENTS_OF_JOBS)
			return true;
	return false;
}

int class_put(struct negotiator *n, size_t class)
{
	const struct request_class *r = &n->classes[class];
	struct class_facts *facts = &n->class_facts[class];
	struct clusters *c = &n->clusters;
	struct reach own = { 0 };
	bool differs = false;
	int rc = job_reach(n, r->ad, &own);

	if (rc == 0)
		rc = key_write(c, r->ad, &own.own, false, &differs);
	if (rc == 0)
		rc = text_set_add(&c->keys, c->text, &facts->kind);
	facts->cluster = facts->kind;
	if (rc == 0 && differs)
		rc = key_write(c, r->ad, &own.own, true, &differs);
	if (rc == 0 && differs)
		rc = text_set_add(&c->keys, c->text, &facts->cluster);
	if (rc == 0)
		rc = kinds_room(c);
	if (rc == 0) {
		struct request_kind *kind = &c->kinds[facts->kind];

		struct classad_value value;

		kind->time = own.time;
		kind->has_rank = classad_find(r->ad, "Rank") && !classad_is_constant(classad_find(r->ad, "Rank"), &value);
		kind->moments = depends_on_submitter(&own);
		facts->ad = r->ad;
		facts->made = r->made;
	}
	reach_free(&own);
	return rc;
}

int clusters_settle(struct negotiator *n)
{
	struct clusters *c = &n->clusters;
	int rc = 0;

	clusters_clear(c);
	classad_names_free(&c->wanted);
	c->wanted = (struct classad_names){ 0 };
	for (int root = 0; root < ROOTS && rc == 0; root++)
		rc = names_join(&c->wanted, &n->interest.slots[root].others);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && rc == 0; i++)
		rc = classad_names_add(&c->wanted, always[i]);
	return rc;
}

void clusters_clear(struct clusters *c)
{
	rows_drop(c);
	for (size_t i = 0; i < c->keys.n && i < c->capacity; i++)
		free(c->kinds[i].limits);
	if (c->kinds)
		memset(c->kinds, 0, c->capacity * sizeof(*c->kinds));
	text_set_clear(&c->keys);
}

void clusters_free(struct clusters *c)
{
	clusters_clear(c);
	classad_names_free(&c->wanted);
	classad_names_free(&c->significant);
	classad_names_free(&c->added);
	classad_names_free(&c->removed);
	if (c->pattern)
		regfree(c->pattern);
	free(c->pattern);
	text_set_free(&c->keys);
	free(c->kinds);
	free(c->text);
	*c = (struct clusters){ 0 };
}
