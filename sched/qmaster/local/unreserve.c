/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations that users delete: qrdel(1). Each its own, operators all. */
#include <stdlib.h>
#include <string.h>

#include "conf/wildcard.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static const char *text_of(json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

static void advance_remove(struct local *l, struct client *c, struct local_advance *a)
{
	struct error error = { "" };
	uint32_t number = a->number;

	if (!client_is_operator(c) && c->uid != a->uid)
		result_add(c, RESULT_DENIED, number, 0, "%s - you do not have the necessary privileges to delete the advance reservation \"%u\"", c->owner, number);
	else if (!a->deleted && local_advance_delete(l, a, &error))
		result_add(c, RESULT_NOT_STORED, number, 0, "%s", error.text);
	else if (local_advance_runs(l, a))
		result_add(c, RESULT_DONE, number, 0, "%s has registered the advance reservation %u for deletion", c->owner, number);
	else
		result_add(c, RESULT_DONE, number, 0, "%s has deleted advance reservation %u", c->owner, number);
}

static bool is_meant(const struct local_advance *a, const struct client *c, const char *word, const char *user)
{
	const char *name = text_of(a->reservation, "name");

	return (user ? wildcard_match(user, a->owner, 0) : c->uid == a->uid) && (strcmp(word, "*") == 0 || (name && wildcard_match(word, name, 0)));
}

/* By number anybody's. */
static size_t remove_numbered(struct local *l, struct client *c, const char *word, const char *user)
{
	unsigned long number = strtoul(word, NULL, 10);
	struct local_advance *a = number <= STORE_JOB_NUMBER_MAX ? local_advance_find(l, (uint32_t)number) : NULL;

	if (!a || (user && !wildcard_match(user, a->owner, 0)))
		return 0;
	advance_remove(l, c, a);
	return 1;
}

/*
 * Nobody is kept waiting by who names the same ones time and again, or compares more than a request
 * may. All that there are may be named once.
 */
static bool is_too_much(const struct local *l, const struct client *c)
{
	return c->request.compared > COMPARED_MAX || json_array_size(c->request.results) > l->advances.n + ENTRIES_MAX;
}

/* By name one's own, unless users are named. */
static size_t remove_named(struct local *l, struct client *c, const char *word, const char *user)
{
	uint64_t before = wildcard_steps;
	size_t n = 0;

	for (size_t i = 0; i < l->advances.n && !is_too_much(l, c); i++) {
		if (is_meant(&l->advances.items[i], c, word, user)) {
			advance_remove(l, c, &l->advances.items[i]);
			n++;
		}
		c->request.compared += 1 + wildcard_steps - before;
		before = wildcard_steps;
	}
	return n;
}

static void remove_meant(struct local *l, struct client *c, const char *word, const char *user)
{
	bool number = *word && word[strspn(word, "0123456789")] == '\0';
	size_t n = number ? remove_numbered(l, c, word, user) : remove_named(l, c, word, user);

	if (n > 0 || is_too_much(l, c))
		return;
	if (strcmp(word, "*") == 0)
		result_add(c, RESULT_NO_JOB, 0, 0, "denied: there are no advance reservations of \"%.100s\"", user ? user : c->owner);
	else
		result_add(c, RESULT_NO_JOB, 0, 0, "denied: advance reservation \"%.100s\" does not exist", word);
}

void request_unreserve(struct local *l, struct client *c, json_t *request)
{
	json_t *list = json_object_get(request, "reservations"), *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > ENTRIES_MAX) {
		result_add(c, RESULT_WRONG, 0, 0, "reservations: an array is expected, of 1 to %d entries", ENTRIES_MAX);
		return;
	}
	json_array_foreach(list, i, item) {
		const char *word = text_of(item, "reservation"), *user = text_of(item, "user");

		if (is_too_much(l, c))
			break;
		if (word && strlen(word) < WILDCARD_BYTES && (!user || strlen(user) < WILDCARD_BYTES))
			remove_meant(l, c, word, user);
		else
			result_add(c, RESULT_WRONG, 0, 0, "reservations: objects with \"reservation\", a number, a name or a pattern, are expected");
	}
	if (is_too_much(l, c))
		result_add(c, RESULT_WRONG, 0, 0, "reservations: the rest is not done, since this request finds or compares more than one may; give fewer, or numbers");
}
