/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/booking.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool is_booked(const char *name)
{
	static const char *const names[] = { "cpu", "io", "iow", "mem", "vmem", "finished_jobs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, "acct_", 5) == 0 || strncmp(name, "ru_", 3) == 0;
}

int booking_add(const struct sched *s, struct usage *sum, const struct usage *usage)
{
	const struct usage_names *names = &s->mirror.usage_names;

	for (size_t i = 0; i < usage->n; i++)
		if (is_booked(strings_text(s->strings, names->strings[usage->items[i].name])) &&
		    usage_add(sum, usage->items[i].name, usage->items[i].value))
			return -ENOMEM;
	return 0;
}

/* New lists begin with cpu, mem and io. */
static int begin_list(struct sched *s, struct usage *list)
{
	static const char *const names[] = { "cpu", "mem", "io" };

	for (size_t i = 0; list->n == i && i < sizeof(names) / sizeof(*names); i++) {
		uint32_t name = usage_name(&s->mirror.usage_names, s->strings, names[i]);

		if (name == UINT32_MAX || usage_add(list, name, 0.0))
			return -ENOMEM;
	}
	return 0;
}

static int book_to(struct sched *s, struct usage *usage, struct usage *long_term, const struct usage *difference)
{
	if (begin_list(s, usage) || begin_list(s, long_term))
		return -ENOMEM;
	for (size_t i = 0; i < difference->n; i++)
		if (usage_add(usage, difference->items[i].name, difference->items[i].value) ||
		    usage_add(long_term, difference->items[i].name, difference->items[i].value))
			return -ENOMEM;
	return 0;
}

static struct object *class_object(struct sched *s, uint32_t class_id, enum sharer_kind kind)
{
	uint32_t id = s->mirror.classes.items[class_id].sharer[kind];

	return id == TICKETS_NONE ? NULL : &s->mirror.objects[kind].items[id];
}

/* A user's usage counts in his own list, or in that for the project; a project's always in its own, too. */
static int book_difference(struct sched *s, uint32_t class_id, struct object *user, struct object *project, const struct usage *difference)
{
	if (user && project) {
		struct usage_in_project *p = object_in_project(user, s->strings, classes_key(&s->mirror.classes, class_id)->project);

		if (!p || book_to(s, &p->usage, &p->long_term, difference))
			return -ENOMEM;
	} else if (user && book_to(s, &user->usage, &user->long_term, difference)) {
		return -ENOMEM;
	}
	return project ? book_to(s, &project->usage, &project->long_term, difference) : 0;
}

/* What was booked before for a job; for one that this scheduler meets for the first time, what the ledger knows of it. */
static struct debited *debited_of(struct sched *s, const struct booking *b, int *code)
{
	struct debited *debited = debited_find(s->mirror.state, b->number);

	*code = 0;
	if (debited)
		return debited;
	debited = debited_add(s->mirror.state, b->number);
	*code = debited ? ledger_recall(s->mirror.ledger, b->number, b->submission_time, debited) : -ENOMEM;
	if (debited && *code != 0)
		debited_remove(s->mirror.state, b->number);
	return *code == 0 ? debited : NULL;
}

static bool is_same_usage(const struct usage *a, const struct usage *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (a->items[i].name != b->items[i].name || a->items[i].value != b->items[i].value)
			return false;
	return a->n == b->n;
}

/* Most jobs have used nothing new since the last run: of them nothing is noted. */
static int note_booking(struct sched *s, const struct booking *b, struct ledger_sum **sum)
{
	const struct class_key *key = classes_key(&s->mirror.classes, b->class_id);
	const uint32_t *sharer = s->mirror.classes.items[b->class_id].sharer;
	struct ledger *l = s->mirror.ledger;

	if (!l)
		return 0;
	for (uint32_t k = SHARER_USER; k <= SHARER_PROJECT; k++)
		if (sharer[k] != TICKETS_NONE && ledger_note_object(l, k, sharer[k]))
			return -ENOMEM;
	*sum = ledger_sum(l, key->owner, key->project);
	return *sum && ledger_note_job(l, b->number) == 0 ? 0 : -ENOMEM;
}

static void add_to_ledger(struct sched *s, const struct booking *b, const struct usage *difference, struct ledger_sum *sum)
{
	const char *const names[] = { "cpu", "mem", "io", "ru_wallclock" };
	double *const values[] = { &sum->cpu, &sum->mem, &sum->io, &sum->wallclock };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint32_t string = strings_find(s->strings, names[i]);
		uint32_t name = string == NONE ? INDEX_NONE :
						 index_find(&s->mirror.usage_names.by_string, s->mirror.usage_names.strings, string);

		*values[i] += name == INDEX_NONE ? 0.0 : usage_get(difference, name);
	}
	sum->tasks += b->finished;
}

static int book(struct sched *s, const struct booking *b, struct debited *before, struct object *user, struct object *project)
{
	bool forgotten = before->told < (user ? user : project)->told;
	struct usage difference = { 0 }, booked = { 0 };
	const struct usage *sum = &b->sum;
	struct ledger_sum *noted = NULL;
	int code = usage_copy(&difference, sum) || usage_copy(&booked, sum) ? -ENOMEM : 0;

	if (code == 0 && (forgotten || !is_same_usage(&before->usage, sum)))
		code = note_booking(s, b, &noted);
	if (code != 0)
		goto out;
	/* all names first, so that booking itself needs no memory and is never done by half */
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value = 0.0;
	code = book_difference(s, b->class_id, user, project, &difference);
	if (code != 0)
		goto out;
	if (forgotten)
		usage_free(&before->usage);
	for (size_t i = 0; i < sum->n; i++)
		difference.items[i].value = fmax(sum->items[i].value - usage_get(&before->usage, sum->items[i].name), 0.0);
	book_difference(s, b->class_id, user, project, &difference);
	if (noted)
		add_to_ledger(s, b, &difference, noted);
	usage_free(&before->usage);
	before->usage = booked;
	booked = (struct usage){ 0 };
	before->told = s->mirror.tellings;
out:
	usage_free(&difference);
	usage_free(&booked);
	return code;
}

int booking_enter(struct sched *s, const struct booking *b)
{
	struct object *user = class_object(s, b->class_id, SHARER_USER), *project = class_object(s, b->class_id, SHARER_PROJECT);
	struct debited *before;
	int code;

	if (!user && !project)
		return 0;
	if (user)
		account_decay(s, user);
	if (project)
		account_decay(s, project);
	before = debited_of(s, b, &code);
	return before ? book(s, b, before, user, project) : code;
}
