/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/cell.h"
#include "conf/utf8.h"
#include "sched/cli/live_cell.h"
#include "sched/process/clock.h"
#include "sched/qmaster/gdi/client.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/registration.h"

#define PATIENCE_MS 10000
#define FAULTS_TOLD 4
#define OUR_NAME "fairlead."		/* what our registrations are called; the process's number follows */

/* Who asks, and will be the scheduler's user if it is started by him. */
static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "?";
}

/* The cell's files */

static bool cell_look(struct diagnosis *d, struct gdi_cell *cell, const char *directory)
{
	struct error error = { "" };
	struct symptom *s;
	int rc = gdi_cell_read(cell, directory, &error);

	if (cell->directory)
		snprintf(d->cell, sizeof(d->cell), "%s", cell->directory);
	if (rc == 0) {
		symptom_add(d, "cell", SYMPTOM_FINE, "%s: the qmaster is to be on %s, port %u; this host is %s", cell->directory, cell->qmaster, cell->port, cell->host);
		return true;
	}
	s = symptom_add(d, rc == -ENOTSUP ? "security" : "cell", SYMPTOM_FAULT, "%s", error.text);
	if (rc == -ENOENT)
		symptom_remedy(s, "fairlead doctor qmaster ROOT/CELL");
	if (rc == -EADDRNOTAVAIL && !getenv("SGE_QMASTER_PORT"))
		symptom_remedy(s, "export SGE_QMASTER_PORT=6444, with the port of the cell; or give sge_qmaster a line in /etc/services");
	return false;
}

static bool security_look(struct diagnosis *d, const struct gdi_cell *cell)
{
	struct error error = { "" };
	char *credential = gdi_credential(cell, &error);
	struct symptom *s;

	if (!credential) {
		s = symptom_add(d, "security", SYMPTOM_FAULT, "%s", error.text);
		if (cell->security == GDI_SECURITY_MUNGE)
			symptom_remedy(s, "systemctl start munge; /etc/munge/munge.key must be that of the qmaster's host");
		return false;
	}
	free(credential);
	if (cell->security == GDI_SECURITY_MUNGE)
		symptom_add(d, "security", SYMPTOM_FINE, "security_mode munge: munged has made a credential for %s", user_name());
	else
		symptom_add(d, "security", SYMPTOM_NOTE, "security_mode none: the qmaster believes whatever user a request names, so that whoever reaches its port can do anything to the cell");
	return true;
}

static bool connection_look(struct diagnosis *d, const struct gdi_cell *cell, struct gdi_client **client)
{
	struct error error = { "" };
	struct symptom *s;
	int rc = gdi_client_open(client, cell, PATIENCE_MS, &error);

	if (rc == 0) {
		symptom_add(d, "connection", SYMPTOM_FINE, "the qmaster on %s takes the connection", cell->qmaster);
		return true;
	}
	s = symptom_add(d, rc == -EHOSTUNREACH ? "name" : rc == -EACCES ? "names" : rc == -EPERM ? "port's owner" : "connection", SYMPTOM_FAULT, "%s", error.text);
	if (rc == -ECONNREFUSED)
		symptom_remedy(s, "on %s: %s/common/sgemaster start, or systemctl start gridengine-master", cell->qmaster, cell->directory);
	else if (rc == -EHOSTUNREACH)
		symptom_remedy(s, "getent hosts %s; it needs an address here, too", cell->qmaster);
	else if (rc == -EACCES)
		symptom_remedy(s, "on %s: getent hosts %s; both hosts must call each other alike, or %s/common/host_aliases must say so", cell->qmaster, cell->host,
			   cell->directory);
	else if (rc == -EPERM)
		symptom_remedy(s, "ss -ltnp 'sport = :%u'", cell->port);
	return false;
}

/* What the qmaster says */

struct told_of_cell {				/* in one packet; its answers are looked at one after the other */
	bool manager, admin;
	bool taken, builtin;
	uint32_t d_time, connection, heard, freshest;
	bool shifted;			/* it numbers its events in another way */
	char host[256], name[64], component[64];
};

static void question_write(struct gdi_writer *w, const char *credential)
{
	static const enum gdi_target lists[] = { GDI_ADMIN_HOSTS, GDI_EVENT_CLIENTS };

	gdi_write_header(w);
	gdi_task_begin(w, GDI_PERMCHECK, GDI_DUMMY);
	gdi_write_null(w);
	gdi_task_simple(w, credential, 1, true);
	for (uint32_t k = 0; k < 2; k++) {
		gdi_task_begin(w, GDI_GET, lists[k]);
		gdi_write_null(w);
		gdi_task_where(w);
		gdi_write_everywhere(w);
		gdi_write_wanted(w, NULL, 0);
		gdi_task_end(w, credential, 2 + k, k == 0);
	}
}

static void text_take(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	utf8_clean(to);
}

/*
 * A qmaster that was built with user mapping has four more kinds of events, and numbers the last
 * ones by four higher: its own scheduler's subscription shows it.
 */
static bool is_shifted(const struct gdi_element *client)
{
	struct gdi_list subscribed = gdi_list(client, EV_subscribed);
	struct gdi_element one;

	while (gdi_next(&subscribed, &one))
		if (gdi_u32(&one, EVS_id) > GDI_EV_ACK_TIMEOUT)
			return true;
	return false;
}

static void client_take(struct told_of_cell *a, const struct gdi_element *client)
{
	uint32_t heard = gdi_u32(client, EV_last_heard_from);

	if (heard > a->freshest)
		a->freshest = heard;
	a->shifted = a->shifted || is_shifted(client);
	if (gdi_u32(client, EV_id) != GDI_CLIENT_SCHEDULER)
		return;
	a->taken = true;
	a->heard = heard;
	a->d_time = gdi_u32(client, EV_d_time);
	a->connection = gdi_u32(client, EV_commid);
	text_take(a->host, sizeof(a->host), gdi_text(client, EV_host));
	text_take(a->name, sizeof(a->name), gdi_text(client, EV_name));
	text_take(a->component, sizeof(a->component), gdi_text(client, EV_commproc));
	a->builtin = a->connection == 0 && strcmp(a->component, "schedd") == 0;
}

static int answer_take(struct told_of_cell *a, struct gdi_answer *answer, const struct gdi_cell *cell, struct error *error)
{
	struct gdi_element one;

	if (answer->status == GDI_VERSION)
		return error_set(error, -EPROTO, "it speaks another version of the protocol than 8.1.9: %s", answer->text);
	if (answer->status != GDI_OK && answer->quality <= GDI_ERROR)
		return error_set(error, -EACCES, "the qmaster does not answer %s: %s", user_name(), answer->text);
	while (gdi_next(&answer->data, &one)) {
		if (answer->target == GDI_DUMMY)
			a->manager = gdi_u32(&one, PERM_manager) != 0;
		else if (answer->target == GDI_ADMIN_HOSTS)
			a->admin = a->admin || gdi_hosts_equal(cell, gdi_text(&one, AH_name), cell->host);
		else
			client_take(a, &one);
	}
	return 0;
}

static int ask(struct gdi_client *client, const struct gdi_cell *cell, struct told_of_cell *a, struct error *error)
{
	char *credential = gdi_credential(cell, error);
	struct gdi_writer w = { .packet = 1 };
	struct gdi_answer answer = { .more = true };
	struct gdi_buffer b;
	int rc;

	if (!credential)
		return -errno;
	question_write(&w, credential);
	free(credential);
	rc = gdi_client_call(client, &w, &b, error);
	gdi_writer_free(&w);
	while (rc == 0 && answer.more) {
		rc = gdi_take_answer(&b, &answer, error);
		if (rc == 0)
			rc = answer_take(a, &answer, cell, error);
	}
	return rc;
}

static bool version_look(struct diagnosis *d, int rc, const struct told_of_cell *a, const struct error *error)
{
	if (rc == -EPROTO)
		symptom_add(d, "version", SYMPTOM_FAULT, "%s", error->text);
	else if (rc == -ETIMEDOUT)
		symptom_add(d, "version", SYMPTOM_FAULT, "no answer: a qmaster of another version drops what it does not understand, and says so in its messages file: %s", error->text);
	else if (rc)
		symptom_add(d, "answer", SYMPTOM_FAULT, "%s", error->text);
	else if (a->shifted)
		symptom_add(d, "version", SYMPTOM_FAULT, "this qmaster was built with user mapping, and numbers its events in another way than Debian's 8.1.9");
	else
		symptom_add(d, "version", SYMPTOM_FINE, "the qmaster speaks the protocol of 8.1.9");
	return rc == 0 && !a->shifted;
}

static void permission_look(struct diagnosis *d, const struct gdi_cell *cell, const struct told_of_cell *a)
{
	struct symptom *s;

	if (a->manager)
		symptom_add(d, "user", SYMPTOM_FINE, "%s is a manager", user_name());
	else {
		s = symptom_add(d, "user", SYMPTOM_FAULT, "%s is no manager: the qmaster would refuse the scheduler's registration and its orders", user_name());
		symptom_remedy(s, "qconf -am %s", user_name());
	}
	if (a->admin)
		symptom_add(d, "host", SYMPTOM_FINE, "%s is an administrative host", cell->host);
	else {
		s = symptom_add(d, "host", SYMPTOM_FAULT, "%s is no administrative host: the qmaster would refuse orders from here", cell->host);
		symptom_remedy(s, "qconf -ah %s", cell->host);
	}
}

/*
 * Everything that is configured, as the scheduler would read it. What has a fault takes itself out
 * there, and nothing else.
 */
static void configuration_look(struct diagnosis *d, struct gdi_client *client, const struct gdi_cell *cell)
{
	struct error error = { "" };
	struct report report = { .source = NULL };
	struct cell_files files;
	struct cell read;
	size_t left_out, told = 0;
	int rc = live_cell_read(client, cell, &files, &left_out, &error);

	if (rc) {
		symptom_add(d, "configuration", SYMPTOM_FAULT, "%s", error.text);
	} else {
		if (cell_load_files(&read, "", &files, &report))
			symptom_add(d, "configuration", SYMPTOM_FAULT, "no memory to read it");
		for (size_t i = 0; i < report.n && told < FAULTS_TOLD; i++) {
			char place[200];

			if (report.findings[i].severity != FAULT)
				continue;
			finding_place(&report.findings[i], place, sizeof(place));
			symptom_add(d, "configuration", SYMPTOM_NOTE, "%s: %s; it is left out, the rest of the cell is not", place + strspn(place, "/"),
				    report.findings[i].text);
			told++;
		}
		if (left_out)
			symptom_add(d, "configuration", SYMPTOM_NOTE, "%s; %zu in all are left out for such a reason", error.text, left_out);
		if (report.faults > told)
			symptom_add(d, "configuration", SYMPTOM_NOTE, "%zu faults in all", report.faults);
		if (report.faults == 0 && left_out == 0)
			symptom_add(d, "configuration", SYMPTOM_FINE, "%zu objects, all of them understood", files.n);
		cell_free(&read);
	}
	report_free(&report);
	cell_files_free(&files);
}

/* Whether it is certain that who has the place has died. */
static bool holder_is_dead(const struct told_of_cell *a, const struct gdi_cell *cell)
{
	uint32_t now = a->freshest, patience = 2 * (a->d_time < 600 ? a->d_time : 600) + 5;

	if (gdi_hosts_equal(cell, a->host, cell->host) && strncmp(a->name, OUR_NAME, strlen(OUR_NAME)) == 0) {
		long pid = strtol(a->name + strlen(OUR_NAME), NULL, 10);

		if (pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			return true;
	}
	if (gdi_hosts_equal(cell, cell->qmaster, cell->host))
		now = (uint32_t)clock_date();	/* its clock is ours */
	return now > a->heard && now - a->heard > patience;
}

static void place_look(struct diagnosis *d, const struct gdi_cell *cell, const struct told_of_cell *a)
{
	const char *attach = d->faults ? "first the faults above" : "fairlead attach";
	struct symptom *s;

	if (!a->taken) {
		symptom_add(d, "place", SYMPTOM_FINE, "nobody is the scheduler");
		symptom_add(d, "attach", SYMPTOM_NOTE, "%s: registers as the scheduler at once", attach);
	} else if (a->builtin) {
		symptom_add(d, "place", SYMPTOM_FINE, "the built-in scheduler has it");
		symptom_add(d, "attach", SYMPTOM_NOTE, "%s: stops the thread of the built-in scheduler, then registers; jobs go on meanwhile", attach);
	} else if (holder_is_dead(a, cell)) {
		symptom_add(d, "place", SYMPTOM_NOTE, "%s on %s had it, and has not been heard of for %" PRIu32 " s: it is dead; the qmaster forgets it later", a->name, a->host,
			    a->freshest > a->heard ? a->freshest - a->heard : (uint32_t)clock_date() - a->heard);
		symptom_add(d, "attach", SYMPTOM_NOTE, "%s: registers in its place at once", attach);
	} else {
		symptom_add(d, "place", SYMPTOM_FINE, "%s on %s has it (component %s, connection %" PRIu32 ", a delivery each %" PRIu32 " s) and lives", a->name, a->host,
			    a->component, a->connection, a->d_time);
		s = symptom_add(d, "attach", SYMPTOM_NOTE, "waits until that one has gone: two schedulers are never displaced by each other without --again");
		symptom_remedy(s, "on %s: fairlead hand-back", a->host);
	}
	if (cell->scheduler_threads) {
		s = symptom_add(d, "restart", SYMPTOM_NOTE, "scheduler_threads %" PRIu32 ": a qmaster that is started begins with its own scheduler", cell->scheduler_threads);
		symptom_remedy(s, "for permanent use: sed -i 's/^scheduler_threads.*/scheduler_threads 0/' %s/common/bootstrap", cell->directory);
	}
}

void diagnosis_make(struct diagnosis *d, const char *directory)
{
	struct gdi_cell cell;
	struct gdi_client *client = NULL;
	struct told_of_cell a = { .manager = false };
	struct error error = { "" };

	*d = (struct diagnosis){ .n = 0 };
	if (cell_look(d, &cell, directory) && security_look(d, &cell) && connection_look(d, &cell, &client) &&
	    version_look(d, ask(client, &cell, &a, &error), &a, &error)) {
		permission_look(d, &cell, &a);
		configuration_look(d, client, &cell);
		place_look(d, &cell, &a);
	}
	gdi_client_close(client);
	gdi_cell_free(&cell);
}
