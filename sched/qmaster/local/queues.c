/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue instances that users disable, enable, suspend or resume, as with qmod(1). The state is kept
 * until it is changed by another request. It is in the store, and survives a restart and changes of
 * the cell's files.
 */
#include "sched/qmaster/local/queues.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/wildcard.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define QUEUES_MAX 100			/* patterns in a request */

static const struct queue_change {
	const char *request;
	char letter;
	bool on;
	const char *state;		/* Grid Engine's word for it */
} changes[] = {
	{ "disable", 'd', true, "disabled" },
	{ "enable", 'd', false, "enabled" },
	{ "suspend_queue", 's', true, "suspended" },
	{ "unsuspend_queue", 's', false, "unsuspended" },
	{ "clear_queue", 'E', false, "no error" },
};

static const struct queue_change *change_find(const char *request)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (strcmp(changes[i].request, request) == 0)
			return &changes[i];
	return NULL;
}

/* Store */

/* Get the letters that users have set. */
static void said_of(const struct local_instance *instance, char said[LETTERS_BYTES])
{
	said[0] = '\0';
	letters_set(said, 'd', strchr(instance->letters, 'd') != NULL);
	letters_set(said, 's', strchr(instance->letters, 's') != NULL);
}

static void key_of(const struct local_instance *instance, char *key, size_t bytes)
{
	snprintf(key, bytes, "queue_state:%s", instance->name);
}

int queues_recall(struct local *local, struct error *error)
{
	char key[900], said[LETTERS_BYTES];

	for (size_t k = 0; k < local->instances.n; k++) {
		struct local_instance *instance = &local->instances.items[k];
		int rc;

		key_of(instance, key, sizeof(key));
		rc = store_meta_get(local->store, key, said, sizeof(said), error);
		if (rc && rc != -ENOENT && rc != -EFBIG)
			return rc;
		letters_set(instance->letters, 'd', rc == 0 && strchr(said, 'd'));
		letters_set(instance->letters, 's', rc == 0 && strchr(said, 's'));
	}
	return 0;
}

static int remember(struct local *local, const struct local_instance *instance, struct error *error)
{
	char key[900], said[LETTERS_BYTES];

	key_of(instance, key, sizeof(key));
	said_of(instance, said);
	return store_meta_put(local->store, key, said, error);
}

/* Selection and permissions */

/* Match "all.q", "*@node1" or "all.q@@group": qmod(1). */
static bool queues_match(const struct cell *cell, const char *pattern, const char *instance)
{
	size_t length = strcspn(instance, "@"), until = strcspn(pattern, "@");
	char queue[WILDCARD_BYTES], queues[WILDCARD_BYTES];
	const char *host = pattern + until;

	if (until >= sizeof(queues) || length >= sizeof(queue))
		return false;
	snprintf(queues, sizeof(queues), "%.*s", (int)until, pattern);
	snprintf(queue, sizeof(queue), "%.*s", (int)length, instance);
	if (!wildcard_match(queues, queue, 0))
		return false;
	if (*host == '\0')
		return true;
	return host[1] == '@' ? cell_hostgroup_has(cell, host + 1, instance + length + 1)
			      : wildcard_match(host + 1, instance + length + 1, 0);
}

/* Return whether the client is an operator or in owner_list of queue_conf(5). */
bool queues_may_change(const struct local *local, const struct client *client, const char *instance)
{
	const char *text = machine_queue_value(local, instance, "owner_list", "NONE");
	struct strlist owners = { 0 };
	struct error error;
	bool may = client_is_operator(client);

	if (!may && strcmp(text, "NONE") != 0 && strlist_parse(&owners, text, &error) == 0)
		for (size_t i = 0; i < owners.n && !may; i++)
			may = strcmp(owners.items[i], client->owner) == 0;
	strlist_free(&owners);
	return may;
}

/* Request */

static void instance_change(struct local *local, struct client *client, struct local_instance *instance,
			    const struct queue_change *change)
{
	struct error error = { "" };

	if (!queues_may_change(local, client, instance->name)) {
		result_add_object(client, REPLY_DENIED, instance->name,
				  "%s - you have no permission to modify queue \"%s\"", client->owner, instance->name);
		return;
	}
	if ((strchr(instance->letters, change->letter) != NULL) == change->on) {
		result_add_object(client, REPLY_IN_STATE, instance->name,
				  "Queue instance \"%s\" is already in the specified state: %s", instance->name,
				  change->state);
		return;
	}
	letters_set(instance->letters, change->letter, change->on);
	local_changed(local);
	if (remember(local, instance, &error))
		local_fail(local, &error);
	result_add_object(client, REPLY_DONE, instance->name, "%s changed state of \"%s\" (%s)", client->owner,
			  instance->name, change->state);
}

void queues_each(struct local *local, struct client *client, const struct value *request,
		 void (*each)(struct local *local, struct client *client, struct local_instance *instance,
			      const void *context),
		 const void *context)
{
	const struct value *queues = value_member(request, "queues");

	if (!value_is(queues, VALUE_ARRAY) || queues->n > QUEUES_MAX) {
		result_add(client, REPLY_INVALID, 0, 0, "queues: a list is expected, of at most %d names or patterns",
			   QUEUES_MAX);
		return;
	}
	value_each(entry, queues) {
		const char *pattern = value_text(entry);
		bool any = false;

		for (size_t instance = 0; pattern && instance < local->instances.n; instance++)
			if (queues_match(sched_cell(local->sched), pattern, local->instances.items[instance].name)) {
				each(local, client, &local->instances.items[instance], context);
				any = true;
			}
		if (!any)
			result_add_object(client, REPLY_NO_QUEUE, pattern ? pattern : "", "invalid queue \"%.200s\"",
					  pattern ? pattern : "");
	}
	if (queues->n == 0)
		result_add(client, REPLY_INVALID, 0, 0, "queues: at least one is expected");
}

static void change_each(struct local *local, struct client *client, struct local_instance *instance,
			const void *context)
{
	instance_change(local, client, instance, context);
}

void request_queue(struct local *local, struct client *client, const struct value *request)
{
	queues_each(local, client, request, change_each,
		    change_find(member_text(request, "request")));
}
