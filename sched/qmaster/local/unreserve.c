/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion of advance reservations: qrdel(1). Users may delete their own, operators all. */
#include <stdlib.h>
#include <string.h>

#include "conf/base/wildcard.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static void advance_remove(struct local *local, struct client *client, struct local_advance *advance)
{
	struct error error = { "" };
	uint32_t number = advance->number;

	if (!client_is_operator(client) && client->uid != advance->uid)
		result_add(client, REPLY_DENIED, number, 0,
			   "%s - you do not have the necessary privileges to delete the advance reservation \"%u\"",
			   client->owner, number);
	else if (!advance->deleted && local_advance_delete(local, advance, &error))
		result_add(client, REPLY_NOT_STORED, number, 0, "%s", error.text);
	else if (local_advance_runs(local, advance))
		result_add(client, REPLY_REGISTERED, number, 0,
			   "%s has registered the advance reservation %u for deletion", client->owner, number);
	else
		result_add(client, REPLY_DONE, number, 0, "%s has deleted advance reservation %u", client->owner,
			   number);
}

static bool is_meant(const struct local_advance *advance, const struct client *client, const char *word,
		     const char *user)
{
	const char *name = advance->asked.name;

	return (user ? wildcard_match(user, advance->owner, 0) : client->uid == advance->uid) &&
	       (strcmp(word, "*") == 0 || (name && wildcard_match(word, name, 0)));
}

/* Delete the reservation with this number, regardless of its owner. */
static size_t remove_numbered(struct local *local, struct client *client, const char *word, const char *user)
{
	unsigned long number = strtoul(word, NULL, 10);
	struct local_advance *advance =
		number <= STORE_JOB_NUMBER_MAX ? local_advance_find(local, (uint32_t)number) : NULL;

	if (!advance || (user && !wildcard_match(user, advance->owner, 0)))
		return 0;
	advance_remove(local, client, advance);
	return 1;
}

/*
 * Return whether a request names reservations repeatedly or needs too many comparisons, which would
 * delay other clients. All existing reservations may be named once.
 */
static bool is_too_much(const struct local *local, const struct client *client)
{
	return client->request.compared > COMPARED_MAX ||
	       client->request.results.n > local->advances.n + ENTRIES_MAX;
}

/* Delete reservations by name: the client's own, unless users are named. */
static size_t remove_named(struct local *local, struct client *client, const char *word, const char *user)
{
	uint64_t before = wildcard_steps;
	size_t n = 0;

	for (size_t i = 0; i < local->advances.n && !is_too_much(local, client); i++) {
		if (is_meant(&local->advances.items[i], client, word, user)) {
			advance_remove(local, client, &local->advances.items[i]);
			n++;
		}
		client->request.compared += 1 + wildcard_steps - before;
		before = wildcard_steps;
	}
	return n;
}

static void remove_meant(struct local *local, struct client *client, const char *word, const char *user)
{
	bool number = *word && word[strspn(word, "0123456789")] == '\0';
	size_t n = number ? remove_numbered(local, client, word, user) : remove_named(local, client, word, user);

	if (n > 0 || is_too_much(local, client))
		return;
	user = user ? user : client->owner;
	if (strcmp(word, "*") == 0)
		result_add_object(client, REPLY_NO_RESERVATION_OF_USER, user,
				  "denied: there are no advance reservations of \"%.100s\"", user);
	else
		result_add_object(client, REPLY_NO_RESERVATION, word,
				  "denied: advance reservation \"%.100s\" does not exist", word);
}

void request_unreserve(struct local *local, struct client *client, const struct value *request)
{
	const struct value *list = value_member(request, "reservations");

	if (value_size(list) == 0 || value_size(list) > ENTRIES_MAX) {
		result_add(client, REPLY_INVALID, 0, 0, "reservations: an array is expected, of 1 to %d entries",
			   ENTRIES_MAX);
		return;
	}
	value_each(item, list) {
		const char *word = member_text(item, "reservation"), *user = member_text(item, "user");

		if (is_too_much(local, client))
			break;
		if (word && strlen(word) < WILDCARD_BYTES && (!user || strlen(user) < WILDCARD_BYTES))
			remove_meant(local, client, word, user);
		else
			result_add(
				client, REPLY_INVALID, 0, 0,
				"reservations: objects with \"reservation\" (a number, a name or a pattern) are "
				"expected");
	}
	if (is_too_much(local, client))
		result_add(
			client, REPLY_TOO_MUCH, 0, 0,
			"reservations: the rest is not done, because this request names too many or needs too many "
			"comparisons; use fewer, or numbers");
}
