/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/holder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/process/clock.h"
#include "sched/qmaster/gdi/packet.h"

#define SCHEDULER_ID 1			/* EV_id of the holder */
#define SLACK_S 5
#define SECOND_NS 1000000000ull

/* Asking */

static const struct gdi_wanted wanted[] = {
	{ .number = EV_id }, { .number = EV_name }, { .number = EV_host }, { .number = EV_commproc },
	{ .number = EV_commid }, { .number = EV_d_time }, { .number = EV_last_heard_from },
	{ .number = EV_next_number }, { .number = EV_busy },
};

static void question_write(struct gdi_writer *writer, const char *credential)
{
	gdi_write_header(writer);
	gdi_task_begin(writer, GDI_PERMCHECK, GDI_DUMMY);
	gdi_write_null(writer);
	gdi_task_simple(writer, credential, 1, true);
	gdi_task_begin(writer, GDI_GET, GDI_EVENT_CLIENTS);
	gdi_write_null(writer);
	gdi_task_where(writer);
	gdi_write_everywhere(writer);
	gdi_write_wanted(writer, wanted, sizeof(wanted) / sizeof(*wanted));
	gdi_task_end(writer, credential, 2, false);
}

uint64_t holder_ask(struct sge *sge, struct error *error)
{
	struct gdi_writer writer = { 0 };
	uint64_t number = 0;
	char *credential;

	if (post_credential(sge->post, &credential, error))
		return 0;
	question_write(&writer, credential);
	number = writer.rc ? 0 : post_send(sge->post, &writer);
	if (!number)
		error_set(error, -ENOMEM, "out of memory");
	gdi_writer_free(&writer);
	free(credential);
	return number;
}

/* The answer */

/*
 * Return whether the holder was one of our processes on this host and no longer exists. Its name
 * contains the process id.
 */
static bool process_is_gone(const struct sge *sge, const struct holder *holder)
{
	const struct gdi_cell *cell = post_cell(sge->post);
	char *end;
	unsigned long pid;

	if (strncmp(holder->name, HOLDER_NAME, strlen(HOLDER_NAME)) != 0 ||
	    !gdi_hosts_equal(cell, holder->host, cell->host))
		return false;
	pid = strtoul(holder->name + strlen(HOLDER_NAME), &end, 10);
	if (pid == 0 || pid > INT32_MAX || *end)
		return false;
	return (pid_t)pid == getpid() ? !holder->us : kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static uint32_t patience_s(const struct holder *holder)
{
	return 2 * holder->d_time + SLACK_S;
}

/*
 * Judge whether the holder lives. `freshest` is the qmaster's clock, or a time that is not later.
 */
static void life_judge(const struct sge *sge, struct holder *holder, const struct holder *before, uint32_t freshest)
{
	uint64_t now = clock_monotonic_ns();
	bool same = before->known && before->taken && before->connection == holder->connection &&
		    strcmp(before->host, holder->host) == 0;
	bool heard_again = same && before->heard != holder->heard;

	holder->heard_ns = same && !heard_again ? before->heard_ns : now;
	if (holder->builtin || holder->us || heard_again)
		holder->life = HOLDER_LIVES;
	else if (process_is_gone(sge, holder) ||
		 (freshest > holder->heard && freshest - holder->heard > patience_s(holder)) ||
		 now - holder->heard_ns > patience_s(holder) * SECOND_NS)
		holder->life = HOLDER_DEAD;
	else
		holder->life = same ? before->life : HOLDER_UNSURE;
}

/* Copy a name chosen by a client, which is shown to users. */
static void text_take(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	utf8_clean(to);
}

/* Describe the holder. The built-in thread has no connection. */
static void holder_fill(const struct sge *sge, struct holder *holder, const struct gdi_element *element)
{
	const struct gdi_cell *cell = post_cell(sge->post);
	struct post_state post;

	post_state(sge->post, &post);
	holder->taken = true;
	holder->connection = gdi_u32(element, EV_commid);
	holder->builtin = holder->connection == 0 && strcmp(gdi_text(element, EV_commproc), "schedd") == 0;
	holder->us =
		holder->connection == post.connection && gdi_hosts_equal(cell, gdi_text(element, EV_host), cell->host);
	holder->d_time = gdi_u32(element, EV_d_time);
	if (holder->d_time > 600)
		holder->d_time = 600;
	holder->heard = gdi_u32(element, EV_last_heard_from);
	holder->idle = gdi_u32(element, EV_busy) == 0 && gdi_u32(element, EV_next_number) > 1;
	text_take(holder->host, sizeof(holder->host), gdi_text(element, EV_host));
	text_take(holder->name, sizeof(holder->name), gdi_text(element, EV_name));
}

static void clients_take(const struct sge *sge, struct holder *holder, struct gdi_list *clients)
{
	const struct gdi_cell *cell = post_cell(sge->post);
	const struct holder before = *holder;
	struct post_state post;
	struct gdi_element element;
	uint32_t freshest;

	post_state(sge->post, &post);
	/* on the qmaster's own host its clock is the same */
	freshest = gdi_hosts_equal(cell, cell->host, post.host) ? (uint32_t)clock_date() : 0;
	*holder = (struct holder){ .known = true, .manager = before.manager };
	while (gdi_next(clients, &element)) {
		if (gdi_u32(&element, EV_last_heard_from) > freshest)
			freshest = gdi_u32(&element, EV_last_heard_from);
		if (gdi_u32(&element, EV_id) == SCHEDULER_ID)
			holder_fill(sge, holder, &element);
	}
	if (holder->taken)
		life_judge(sge, holder, &before, freshest);
}

static int answer_take(const struct sge *sge, struct holder *holder, struct gdi_answer *answer, struct error *error)
{
	struct gdi_element permission;

	if (answer->status != GDI_OK && answer->quality <= GDI_ERROR)
		return error_set(error, -EACCES, "the qmaster does not report the active scheduler: %.200s",
				 answer->text);
	if (answer->target == GDI_DUMMY)
		holder->manager = gdi_next(&answer->data, &permission) && gdi_u32(&permission, PERM_manager) != 0;
	else
		clients_take(sge, holder, &answer->data);
	return 0;
}

int holder_take(const struct sge *sge, struct holder *holder, const unsigned char *bytes, size_t n, struct error *error)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_answer answer = { .more = true };
	int rc = gdi_take_header(&buffer, error);

	while (rc == 0 && answer.more) {
		rc = gdi_take_answer(&buffer, &answer, error);
		if (rc == 0)
			rc = answer_take(sge, holder, &answer, error);
	}
	return rc;
}

/* Conclusions */

bool holder_is_gone(const struct holder *holder)
{
	return holder->known && (!holder->taken || holder->us || holder->life == HOLDER_DEAD);
}

uint64_t holder_dead_ns(const struct holder *holder)
{
	if (!holder->taken || holder->builtin || holder->us || holder->life == HOLDER_DEAD)
		return UINT64_MAX;
	return holder->heard_ns + patience_s(holder) * SECOND_NS + 1;
}

void holder_describe(const struct holder *holder, char *text, size_t size)
{
	if (!holder->known)
		snprintf(text, size, "a scheduler that is not known yet");
	else if (!holder->taken)
		snprintf(text, size, "no scheduler");
	else if (holder->builtin)
		snprintf(text, size, "the built-in scheduler");
	else
		snprintf(text, size, "%s%s on %s", holder->life == HOLDER_DEAD ? "the dead " : "", holder->name,
			 holder->host);
}
