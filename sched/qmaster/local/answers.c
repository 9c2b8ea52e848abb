/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is answered at the end of a turn: what came of each request, once all of them are stored;
 * and when they could not be, each of them alone. Some are answered when readers see it, too.
 */
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static void client_answer(struct local *l, struct client *c)
{
	json_t *reply;

	diary_results(l, c);
	reply = json_pack("{ss so sI sI}", "reply", "done", "results", c->request.results, "turns",
				  (json_int_t)(l->clients.turns.number - c->waiter.since + 1), "before", (json_int_t)c->request.before);

	c->request.results = NULL;
	c->request.kind = NULL;
	c->request.committed = c->request.told = c->request.compared = 0;
	c->request.until_run = c->request.changes = c->request.shown = false;
	c->request.state = REQUEST_NONE;
	c->in.used = 0;
	client_tell(l, c, reply);
}

/* Who follows a job is told at once: news of it come behind the answer. */
static bool waits_for_show(struct client *c, bool shown)
{
	c->request.shown = shown && c->request.changes && !c->request.shown && !c->following.wished;
	return c->request.shown;
}

void clients_answer(struct local *l, bool shown)
{
	struct client *next;

	for (struct client *c = l->clients.first; c; c = next) {
		next = c->next;
		if (c->request.selecting) {
			c->request.committed = json_array_size(c->request.results);
			diary_results(l, c);
			c->request.state = REQUEST_WAITS;
		} else if ((c->request.until_run && !l->turn.ran) || (c->request.results && waits_for_show(c, shown))) {
			c->request.committed = json_array_size(c->request.results);
			diary_results(l, c);
			c->request.state = REQUEST_DONE;
		} else if (c->request.results) {
			client_answer(l, c);
		}
	}
}

/* Once more */

/* What its request did in this turn was undone. */
static void client_undo(struct local *l, struct client *c)
{
	follow_forget(l, c);
	turns_remove(&l->clients.turns, &c->waiter);
	select_forget(c);
	while (json_array_size(c->request.results) > c->request.committed)
		json_array_remove(c->request.results, json_array_size(c->request.results) - 1);
	c->request.compared = 0;
	c->request.until_run = c->request.changes = false;
	if (c->request.committed == 0) {
		json_decref(c->request.results);
		c->request.results = NULL;
	}
}

void clients_set_aside(struct local *l, const char *why)
{
	for (struct client *c = l->clients.first; c; c = c->next) {
		if (c->request.state != REQUEST_SERVED)
			continue;
		client_undo(l, c);
		c->request.state = c->request.committed == 0 ? REQUEST_ASIDE : REQUEST_DONE;
		if (c->request.state == REQUEST_DONE)
			result_add(c, RESULT_NOT_STORED, 0, 0, "%s", why);
	}
}

struct client *clients_aside(const struct local *l)
{
	struct client *c = l->clients.first;

	while (c && c->request.state != REQUEST_ASIDE)
		c = c->next;
	return c;
}

void client_refuse(struct local *l, struct client *c, const char *why)
{
	client_undo(l, c);
	result_add(c, RESULT_NOT_STORED, 0, 0, "%s", why);
	client_answer(l, c);
}
