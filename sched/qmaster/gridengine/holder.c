/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/holder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/utf8.h"
#include "sched/process/clock.h"
#include "sched/qmaster/gdi/packet.h"

#define SCHEDULER_ID 1			/* EV_id of who has the place */
#define SLACK_S 5
#define SECOND_NS 1000000000ull

/* Asking */

static const struct gdi_wanted wanted[] = {
	{ .number = EV_id }, { .number = EV_name }, { .number = EV_host }, { .number = EV_commproc }, { .number = EV_commid },
	{ .number = EV_d_time }, { .number = EV_last_heard_from }, { .number = EV_next_number }, { .number = EV_busy },
};

static void question_write(struct gdi_writer *w, const char *credential)
{
	gdi_write_header(w);
	gdi_task_begin(w, GDI_PERMCHECK, GDI_DUMMY);
	gdi_write_null(w);
	gdi_task_simple(w, credential, 1, true);
	gdi_task_begin(w, GDI_GET, GDI_EVENT_CLIENTS);
	gdi_write_null(w);
	gdi_task_where(w);
	gdi_write_everywhere(w);
	gdi_write_wanted(w, wanted, sizeof(wanted) / sizeof(*wanted));
	gdi_task_end(w, credential, 2, false);
}

uint64_t holder_ask(struct sge *g, struct error *error)
{
	char *credential = post_credential(g->post, error);
	struct gdi_writer w = { 0 };
	uint64_t number = 0;

	if (!credential)
		return 0;
	question_write(&w, credential);
	number = w.rc ? 0 : post_send(g->post, &w);
	if (!number)
		error_set(error, -ENOMEM, "no memory");
	gdi_writer_free(&w);
	free(credential);
	return number;
}

/* The answer */

/* One of ours says by its name which process it is: on this host we see whether that is there. */
static bool process_is_gone(const struct sge *g, const struct holder *h)
{
	const struct gdi_cell *cell = post_cell(g->post);
	char *end;
	unsigned long pid;

	if (strncmp(h->name, HOLDER_NAME, strlen(HOLDER_NAME)) != 0 || !gdi_hosts_equal(cell, h->host, cell->host))
		return false;
	pid = strtoul(h->name + strlen(HOLDER_NAME), &end, 10);
	if (pid == 0 || pid > INT32_MAX || *end)
		return false;
	return (pid_t)pid == getpid() ? !h->us : kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static uint32_t patience_s(const struct holder *h)
{
	return 2 * h->d_time + SLACK_S;
}

/* `freshest`: the qmaster's clock, or what is known to be behind it. */
static void life_judge(const struct sge *g, struct holder *h, const struct holder *before, uint32_t freshest)
{
	uint64_t now = clock_monotonic_ns();
	bool same = before->known && before->taken && before->connection == h->connection && strcmp(before->host, h->host) == 0;
	bool heard_again = same && before->heard != h->heard;

	h->heard_ns = same && !heard_again ? before->heard_ns : now;
	if (h->builtin || h->us || heard_again)
		h->life = HOLDER_LIVES;
	else if (process_is_gone(g, h) || (freshest > h->heard && freshest - h->heard > patience_s(h)) ||
		 now - h->heard_ns > patience_s(h) * SECOND_NS)
		h->life = HOLDER_DEAD;
	else
		h->life = same ? before->life : HOLDER_UNSURE;
}

/* Whatever a client calls itself is shown to people. */
static void text_take(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	utf8_clean(to);
}

/* The built-in thread is no connection. */
static void holder_fill(const struct sge *g, struct holder *h, const struct gdi_element *e)
{
	const struct gdi_cell *cell = post_cell(g->post);
	struct post_state post;

	post_state(g->post, &post);
	h->taken = true;
	h->connection = gdi_u32(e, EV_commid);
	h->builtin = h->connection == 0 && strcmp(gdi_text(e, EV_commproc), "schedd") == 0;
	h->us = h->connection == post.connection && gdi_hosts_equal(cell, gdi_text(e, EV_host), cell->host);
	h->d_time = gdi_u32(e, EV_d_time);
	if (h->d_time > 600)
		h->d_time = 600;
	h->heard = gdi_u32(e, EV_last_heard_from);
	h->idle = gdi_u32(e, EV_busy) == 0 && gdi_u32(e, EV_next_number) > 1;
	text_take(h->host, sizeof(h->host), gdi_text(e, EV_host));
	text_take(h->name, sizeof(h->name), gdi_text(e, EV_name));
}

static void clients_take(const struct sge *g, struct holder *h, struct gdi_list *clients)
{
	const struct gdi_cell *cell = post_cell(g->post);
	const struct holder before = *h;
	struct post_state post;
	struct gdi_element e;
	uint32_t freshest;

	post_state(g->post, &post);
	/* on the qmaster's own host its clock is ours */
	freshest = gdi_hosts_equal(cell, cell->host, post.host) ? (uint32_t)clock_date() : 0;
	*h = (struct holder){ .known = true, .manager = before.manager };
	while (gdi_next(clients, &e)) {
		if (gdi_u32(&e, EV_last_heard_from) > freshest)
			freshest = gdi_u32(&e, EV_last_heard_from);
		if (gdi_u32(&e, EV_id) == SCHEDULER_ID)
			holder_fill(g, h, &e);
	}
	if (h->taken)
		life_judge(g, h, &before, freshest);
}

static int answer_take(const struct sge *g, struct holder *h, struct gdi_answer *answer, struct error *error)
{
	struct gdi_element permission;

	if (answer->status != GDI_OK && answer->quality <= GDI_ERROR)
		return error_set(error, -EACCES, "the qmaster does not say who has the place: %.200s", answer->text);
	if (answer->target == GDI_DUMMY)
		h->manager = gdi_next(&answer->data, &permission) && gdi_u32(&permission, PERM_manager) != 0;
	else
		clients_take(g, h, &answer->data);
	return 0;
}

int holder_take(const struct sge *g, struct holder *h, const unsigned char *bytes, size_t n, struct error *error)
{
	struct gdi_buffer b = { bytes, bytes + n };
	struct gdi_answer answer = { .more = true };
	int rc = gdi_take_header(&b, error);

	while (rc == 0 && answer.more) {
		rc = gdi_take_answer(&b, &answer, error);
		if (rc == 0)
			rc = answer_take(g, h, &answer, error);
	}
	return rc;
}

/* What follows from it */

bool holder_is_gone(const struct holder *h)
{
	return h->known && (!h->taken || h->us || h->life == HOLDER_DEAD);
}

uint64_t holder_dead_ns(const struct holder *h)
{
	if (!h->taken || h->builtin || h->us || h->life == HOLDER_DEAD)
		return UINT64_MAX;
	return h->heard_ns + patience_s(h) * SECOND_NS + 1;
}

void holder_describe(const struct holder *h, char *text, size_t size)
{
	if (!h->known)
		snprintf(text, size, "somebody who is not known yet");
	else if (!h->taken)
		snprintf(text, size, "nobody");
	else if (h->builtin)
		snprintf(text, size, "the built-in scheduler");
	else
		snprintf(text, size, "%s%s on %s", h->life == HOLDER_DEAD ? "the dead " : "", h->name, h->host);
}
