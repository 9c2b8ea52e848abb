/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds and clusters of requests. The key of a kind consists of all attributes of a job on which a
 * value may depend. The key of a cluster consists of those that the configuration keeps.
 */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

static const char *const removed_by_default[] = { "CpusUsage",	 "DiskUsage",	    "GPUsUsage",
						  "MemoryUsage", "ResidentSetSize", NULL };
static const char *const always[] = { "Requirements", "Rank", "ConcurrencyLimits" };

static int names_add(struct classad_names *names, char *const *items)
{
	int rc = 0;

	for (size_t i = 0; items && items[i] && rc == 0; i++)
		rc = classad_names_add(names, items[i]);
	return rc;
}

int clusters_create(struct clusters *clusters, const struct condor_conf *conf)
{
	const char *pattern = conf->remove_significant_regex ? conf->remove_significant_regex : "^Slot[0-9]*_";
	int rc = names_add(&clusters->significant, conf->significant);

	if (rc == 0)
		rc = names_add(&clusters->added, conf->add_significant);
	if (rc == 0)
		rc = names_add(&clusters->removed,
			       conf->remove_significant ? conf->remove_significant : (char *const *)removed_by_default);
	if (rc == 0 && *pattern) {
		clusters->pattern = malloc(sizeof(regex_t));
		if (!clusters->pattern)
			return -ENOMEM;
		if (regcomp(clusters->pattern, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) {
			/* cannot happen: the configuration's reader refuses invalid patterns */
			free(clusters->pattern);
			clusters->pattern = NULL;
		}
	}
	return rc;
}

static bool is_removed(const struct clusters *clusters, const char *name)
{
	return classad_names_have(&clusters->removed, name) ||
	       (clusters->pattern && regexec(clusters->pattern, name, 0, NULL, 0) == 0);
}

static bool is_significant(const struct clusters *clusters, const char *name, bool matters)
{
	if (classad_names_have(&clusters->added, name))
		return true;
	return (clusters->significant.n > 0 ? classad_names_have(&clusters->significant, name) : matters) &&
	       !is_removed(clusters, name);
}

static int append(struct clusters *clusters, size_t *at, const char *text, size_t bytes)
{
	if (room_for(&clusters->text, &clusters->text_capacity, *at + bytes + 1, 1) < 0)
		return -ENOMEM;
	memcpy(clusters->text + *at, text, bytes);
	*at += bytes;
	clusters->text[*at] = '\0';
	return 0;
}

static int append_attribute(struct clusters *clusters, size_t *at, const char *name,
			    const struct classad_expression *expression)
{
	struct classad_value value;
	int rc = append(clusters, at, name, strlen(name));

	for (size_t i = *at - strlen(name); rc == 0 && i < *at; i++)
		clusters->text[i] = clusters->text[i] >= 'A' && clusters->text[i] <= 'Z'
					    ? (char)(clusters->text[i] + 'a' - 'A')
					    : clusters->text[i];
	if (rc == 0 && classad_is_constant(expression, &value)) {
		size_t bytes = classad_value_text(&value, NULL, 0);

		rc = append(clusters, at, ":", 1);
		if (rc == 0)
			rc = room_for(&clusters->text, &clusters->text_capacity, *at + bytes + 1, 1);
		if (rc == 0)
			*at += classad_value_text(&value, clusters->text + *at, bytes + 1);
	} else if (rc == 0) {
		rc = append(clusters, at, "=", 1);
		if (rc == 0)
			rc = append(clusters, at, classad_expression_text(expression),
				    strlen(classad_expression_text(expression)));
	}
	return rc == 0 ? append(clusters, at, "\x1f", 1) : rc;
}

/*
 * Collect the attributes on which the job's own expressions depend, and those that slots read.
 * `wanted` has both.
 */
static int job_reach(struct negotiator *negotiator, const struct classad *job, struct reach *reach)
{
	const struct classad *ad = job;
	const char *request;
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < negotiator->clusters.wanted.n && rc == 0; i++)
		rc = interest_follow(&negotiator->interest, classad_find(job, negotiator->clusters.wanted.items[i]),
				     job, reach);
	while (rc == 0 && (request = request_next(job, &ad, &at))) {
		rc = classad_names_add(&reach->own, request);
		if (rc == 0)
			rc = interest_follow(&negotiator->interest, classad_find(job, request), job, reach);
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
 * Write the key of the kind or of the cluster to clusters->text. *differs: some attribute is in one
 * of them only.
 */
static int key_write(struct clusters *clusters, const struct classad *job, const struct classad_names *own,
		     bool of_cluster, bool *differs)
{
	const struct classad_names *lists[] = { own, &clusters->wanted, &clusters->added, &clusters->significant };
	size_t at = 0;
	int rc = append(clusters, &at, "", 0);

	for (size_t list = 0; list < sizeof(lists) / sizeof(*lists); list++)
		for (size_t i = 0; i < lists[list]->n && rc == 0; i++) {
			const char *name = lists[list]->items[i];
			const struct classad_expression *expression = classad_find(job, name);
			bool before = false, matters, significant;

			for (size_t k = 0; k < list; k++)
				before |= classad_names_have(lists[k], name);
			if (!expression || before)
				continue;
			matters = list < 2;
			significant = is_significant(clusters, name, matters);
			*differs |= matters != significant;
			if (of_cluster ? significant : matters)
				rc = append_attribute(clusters, &at, name, expression);
		}
	return rc;
}

static int kinds_room(struct clusters *clusters)
{
	size_t before = clusters->capacity;

	if (room_for(&clusters->kinds, &clusters->capacity, clusters->keys.n, sizeof(*clusters->kinds)) < 0)
		return -ENOMEM;
	memset(clusters->kinds + before, 0, (clusters->capacity - before) * sizeof(*clusters->kinds));
	return 0;
}

static bool depends_on_submitter(const struct reach *own)
{
	if (own->any)
		return true;
	for (size_t i = 0; i < own->own.n; i++)
		if (moment_of(own->own.items[i]) & MOMENTS_OF_JOBS)
			return true;
	return false;
}

int class_put(struct negotiator *negotiator, size_t class)
{
	const struct request_class *request_class = &negotiator->classes[class];
	struct class_facts *facts = &negotiator->class_facts[class];
	struct clusters *clusters = &negotiator->clusters;
	struct reach own = { 0 };
	bool differs = false;
	int rc = job_reach(negotiator, request_class->ad, &own);

	if (rc == 0)
		rc = key_write(clusters, request_class->ad, &own.own, false, &differs);
	if (rc == 0)
		rc = text_set_add(&clusters->keys, clusters->text, &facts->kind);
	facts->cluster = facts->kind;
	if (rc == 0 && differs)
		rc = key_write(clusters, request_class->ad, &own.own, true, &differs);
	if (rc == 0 && differs)
		rc = text_set_add(&clusters->keys, clusters->text, &facts->cluster);
	if (rc == 0)
		rc = kinds_room(clusters);
	if (rc == 0) {
		struct request_kind *kind = &clusters->kinds[facts->kind];

		struct classad_value value;

		kind->time = own.time;
		kind->has_rank = classad_find(request_class->ad, "Rank") &&
				 !classad_is_constant(classad_find(request_class->ad, "Rank"), &value);
		kind->moments = depends_on_submitter(&own);
		facts->ad = request_class->ad;
		facts->made = request_class->made;
	}
	reach_free(&own);
	return rc;
}

static void clusters_clear(struct clusters *clusters)
{
	rows_drop(clusters);
	for (size_t i = 0; i < clusters->keys.n && i < clusters->capacity; i++)
		free(clusters->kinds[i].limits);
	if (clusters->kinds)
		memset(clusters->kinds, 0, clusters->capacity * sizeof(*clusters->kinds));
	text_set_clear(&clusters->keys);
}

int clusters_settle(struct negotiator *negotiator)
{
	struct clusters *clusters = &negotiator->clusters;
	int rc = 0;

	clusters_clear(clusters);
	classad_names_free(&clusters->wanted);
	clusters->wanted = (struct classad_names){ 0 };
	for (int root = 0; root < ROOTS && rc == 0; root++)
		rc = names_join(&clusters->wanted, &negotiator->interest.slots[root].others);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && rc == 0; i++)
		rc = classad_names_add(&clusters->wanted, always[i]);
	return rc;
}

void clusters_free(struct clusters *clusters)
{
	clusters_clear(clusters);
	classad_names_free(&clusters->wanted);
	classad_names_free(&clusters->significant);
	classad_names_free(&clusters->added);
	classad_names_free(&clusters->removed);
	if (clusters->pattern)
		regfree(clusters->pattern);
	free(clusters->pattern);
	text_set_free(&clusters->keys);
	free(clusters->kinds);
	free(clusters->text);
	*clusters = (struct clusters){ 0 };
}
