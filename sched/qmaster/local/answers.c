/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers at the end of a turn: the results of each request, after all are stored, or of each
 * request alone, if they could not be stored. Some requests are answered only when readers see the
 * changes.
 */
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static void client_answer(struct local *local, struct client *client)
{
	struct out *line;

	diary_results(local, client);
	line = client_line_begin(local);
	json_write_literal(line, "{\"reply\":\"done\",\"results\":");
	results_write(line, &client->request.results);
	json_write_number(line, ",\"turns\":", (int64_t)(local->clients.turns.number - client->waiter.since + 1));
	json_write_number(line, ",\"before\":", (int64_t)client->request.before);
	json_write_literal(line, "}");
	results_free(&client->request.results);
	values_destroy(&client->request.values);
	client->request.kind = NULL;
	client->request.committed = client->request.logged = client->request.compared = 0;
	client->request.until_run = client->request.changes = client->request.shown = false;
	client->request.state = REQUEST_NONE;
	client->in.used = 0;
	client_line_send(local, client);
}

/*
 * Return whether the answer waits until readers see the changes. A client that follows a job is
 * answered at once, because news must come after the answer.
 */
static bool waits_for_show(struct client *client, bool shown)
{
	client->request.shown = shown && client->request.changes && !client->request.shown && !client->following.wished;
	return client->request.shown;
}

void clients_answer(struct local *local, bool shown)
{
	struct client *next;

	for (struct client *client = local->clients.first; client; client = next) {
		next = client->next;
		if (client->request.selecting) {
			client->request.committed = client->request.results.n;
			diary_results(local, client);
			client->request.state = REQUEST_WAITS;
		} else if ((client->request.until_run && !local->turn.ran) ||
			   (results_any(&client->request.results) && waits_for_show(client, shown))) {
			client->request.committed = client->request.results.n;
			diary_results(local, client);
			client->request.state = REQUEST_DONE;
		} else if (results_any(&client->request.results)) {
			client_answer(local, client);
		}
	}
}

/* Undone turns */

/* Undo what a request did in this turn. */
static void client_undo(struct local *local, struct client *client)
{
	follow_forget(local, client);
	turns_remove(&local->clients.turns, &client->waiter);
	select_forget(client);
	results_cut(&client->request.results, client->request.committed);
	client->request.compared = 0;
	client->request.until_run = client->request.changes = false;
}

void clients_set_aside(struct local *local, const char *why)
{
	for (struct client *client = local->clients.first; client; client = client->next) {
		if (client->request.state != REQUEST_SERVED)
			continue;
		client_undo(local, client);
		client->request.state = client->request.committed == 0 ? REQUEST_ASIDE : REQUEST_DONE;
		if (client->request.state == REQUEST_DONE)
			result_add(client, REPLY_NOT_STORED, 0, 0, "%s", why);
	}
}

struct client *clients_aside(const struct local *local)
{
	struct client *client = local->clients.first;

	while (client && client->request.state != REQUEST_ASIDE)
		client = client->next;
	return client;
}

void client_refuse(struct local *local, struct client *client, const char *why)
{
	client_undo(local, client);
	result_add(client, REPLY_NOT_STORED, 0, 0, "%s", why);
	client_answer(local, client);
}
