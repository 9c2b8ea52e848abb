/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/cell.h"
#include "conf/base/utf8.h"
#include "sched/cli/live_cell.h"
#include "sched/process/clock.h"
#include "sched/qmaster/gdi/client.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/registration.h"

#define PATIENCE_MS 10000
#define FAULTS_REPORTED 4
/* prefix of our registrations, followed by the process's number */
#define OUR_NAME "fairlead."

/* Return the calling user, who would also be the scheduler's user. */
static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "?";
}

/* The cell's files */

static bool cell_look(struct diagnosis *diagnosis, struct gdi_cell *cell, const char *directory)
{
	struct error error = { "" };
	struct symptom *symptom;
	int rc = gdi_cell_read(cell, directory, &error);

	if (cell->directory)
		snprintf(diagnosis->cell, sizeof(diagnosis->cell), "%s", cell->directory);
	if (rc == 0) {
		symptom_add(diagnosis, "cell", SYMPTOM_FINE, "%s: the qmaster is to be on %s, port %u; this host is %s",
			    cell->directory, cell->qmaster, cell->port, cell->host);
		return true;
	}
	symptom = symptom_add(diagnosis, rc == -ENOTSUP ? "security" : "cell", SYMPTOM_FAULT, "%s", error.text);
	if (rc == -ENOENT)
		symptom_remedy(symptom, "fairlead doctor qmaster ROOT/CELL");
	if (rc == -EADDRNOTAVAIL && !getenv("SGE_QMASTER_PORT"))
		symptom_remedy(
			symptom,
			"export SGE_QMASTER_PORT=6444, with the port of the cell; or give sge_qmaster a line in "
			"/etc/services");
	return false;
}

static bool security_look(struct diagnosis *diagnosis, const struct gdi_cell *cell)
{
	struct error error = { "" };
	struct symptom *symptom;
	char *credential;

	if (gdi_credential(cell, &credential, &error)) {
		symptom = symptom_add(diagnosis, "security", SYMPTOM_FAULT, "%s", error.text);
		if (cell->security == GDI_SECURITY_MUNGE)
			symptom_remedy(
				symptom,
				"systemctl start munge; /etc/munge/munge.key must be that of the qmaster's host");
		return false;
	}
	free(credential);
	if (cell->security == GDI_SECURITY_MUNGE)
		symptom_add(diagnosis, "security", SYMPTOM_FINE,
			    "security_mode munge: munged has made a credential for %s", user_name());
	else
		symptom_add(
			diagnosis, "security", SYMPTOM_NOTE,
			"security_mode none: the qmaster trusts the user name in each request, so any user who "
			"can connect to its port controls the cell");
	return true;
}

static bool connection_look(struct diagnosis *diagnosis, const struct gdi_cell *cell, struct gdi_client **client)
{
	struct error error = { "" };
	struct symptom *symptom;
	int rc = gdi_client_open(client, cell, PATIENCE_MS, &error);

	if (rc == 0) {
		symptom_add(diagnosis, "connection", SYMPTOM_FINE, "the qmaster on %s takes the connection",
			    cell->qmaster);
		return true;
	}
	symptom = symptom_add(diagnosis,
			      rc == -EHOSTUNREACH ? "name"
			      : rc == -EACCES	  ? "names"
			      : rc == -EPERM	  ? "port's owner"
						  : "connection",
			      SYMPTOM_FAULT, "%s", error.text);
	if (rc == -ECONNREFUSED)
		symptom_remedy(symptom, "on %s: %s/common/sgemaster start, or systemctl start gridengine-master",
			       cell->qmaster, cell->directory);
	else if (rc == -EHOSTUNREACH)
		symptom_remedy(symptom, "getent hosts %s; it needs an address here, too", cell->qmaster);
	else if (rc == -EACCES)
		symptom_remedy(
			symptom,
			"on %s: getent hosts %s; both hosts must use the same names for each other, or "
			"%s/common/host_aliases must map them",
			cell->qmaster, cell->host, cell->directory);
	else if (rc == -EPERM)
		symptom_remedy(symptom, "ss -ltnp 'sport = :%u'", cell->port);
	return false;
}

/* Answers of the qmaster */

struct reported_of_cell {				/* answers of one packet, checked in sequence */
	bool manager, admin;
	bool taken, builtin;
	uint32_t d_time, connection, heard, freshest;
	bool shifted;			/* the qmaster's event numbers are shifted */
	char host[256], name[64], component[64];
};

static void question_write(struct gdi_writer *writer, const char *credential)
{
	static const enum gdi_target lists[] = { GDI_ADMIN_HOSTS, GDI_EVENT_CLIENTS };

	gdi_write_header(writer);
	gdi_task_begin(writer, GDI_PERMCHECK, GDI_DUMMY);
	gdi_write_null(writer);
	gdi_task_simple(writer, credential, 1, true);
	for (uint32_t k = 0; k < 2; k++) {
		gdi_task_begin(writer, GDI_GET, lists[k]);
		gdi_write_null(writer);
		gdi_task_where(writer);
		gdi_write_everywhere(writer);
		gdi_write_wanted(writer, NULL, 0);
		gdi_task_end(writer, credential, 2 + k, k == 0);
	}
}

static void text_take(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	utf8_clean(to);
}

/*
 * Return whether the qmaster was built with user mapping. It then has four more kinds of events,
 * and the last numbers are higher by four. The subscription of its own scheduler shows it.
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

static void client_take(struct reported_of_cell *reported, const struct gdi_element *client)
{
	uint32_t heard = gdi_u32(client, EV_last_heard_from);

	if (heard > reported->freshest)
		reported->freshest = heard;
	reported->shifted = reported->shifted || is_shifted(client);
	if (gdi_u32(client, EV_id) != GDI_CLIENT_SCHEDULER)
		return;
	reported->taken = true;
	reported->heard = heard;
	reported->d_time = gdi_u32(client, EV_d_time);
	reported->connection = gdi_u32(client, EV_commid);
	text_take(reported->host, sizeof(reported->host), gdi_text(client, EV_host));
	text_take(reported->name, sizeof(reported->name), gdi_text(client, EV_name));
	text_take(reported->component, sizeof(reported->component), gdi_text(client, EV_commproc));
	reported->builtin = reported->connection == 0 && strcmp(reported->component, "schedd") == 0;
}

static int answer_take(struct reported_of_cell *reported, struct gdi_answer *answer, const struct gdi_cell *cell,
		       struct error *error)
{
	struct gdi_element one;

	if (answer->status == GDI_VERSION)
		return error_set(error, -EPROTO, "it speaks another version of the protocol than 8.1.9: %s",
				 answer->text);
	if (answer->status != GDI_OK && answer->quality <= GDI_ERROR)
		return error_set(error, -EACCES, "the qmaster does not answer %s: %s", user_name(), answer->text);
	while (gdi_next(&answer->data, &one)) {
		if (answer->target == GDI_DUMMY)
			reported->manager = gdi_u32(&one, PERM_manager) != 0;
		else if (answer->target == GDI_ADMIN_HOSTS)
			reported->admin = reported->admin || gdi_hosts_equal(cell, gdi_text(&one, AH_name), cell->host);
		else
			client_take(reported, &one);
	}
	return 0;
}

static int ask(struct gdi_client *client, const struct gdi_cell *cell, struct reported_of_cell *reported,
	       struct error *error)
{
	struct gdi_writer writer = { .packet = 1 };
	struct gdi_answer answer = { .more = true };
	struct gdi_buffer buffer;
	char *credential;
	int rc = gdi_credential(cell, &credential, error);

	if (rc)
		return rc;
	question_write(&writer, credential);
	free(credential);
	rc = gdi_client_call(client, &writer, &buffer, error);
	gdi_writer_free(&writer);
	while (rc == 0 && answer.more) {
		rc = gdi_take_answer(&buffer, &answer, error);
		if (rc == 0)
			rc = answer_take(reported, &answer, cell, error);
	}
	return rc;
}

static bool version_look(struct diagnosis *diagnosis, int rc, const struct reported_of_cell *reported,
			 const struct error *error)
{
	if (rc == -EPROTO)
		symptom_add(diagnosis, "version", SYMPTOM_FAULT, "%s", error->text);
	else if (rc == -ETIMEDOUT)
		symptom_add(
			diagnosis, "version", SYMPTOM_FAULT,
			"no answer: a qmaster of another version drops unknown requests and reports this in its "
			"messages file: %s",
			error->text);
	else if (rc)
		symptom_add(diagnosis, "answer", SYMPTOM_FAULT, "%s", error->text);
	else if (reported->shifted)
		symptom_add(
			diagnosis, "version", SYMPTOM_FAULT,
			"this qmaster was built with user mapping, and numbers its events in another way than "
			"Debian's 8.1.9");
	else
		symptom_add(diagnosis, "version", SYMPTOM_FINE, "the qmaster speaks the protocol of 8.1.9");
	return rc == 0 && !reported->shifted;
}

static void permission_look(struct diagnosis *diagnosis, const struct gdi_cell *cell,
			    const struct reported_of_cell *reported)
{
	struct symptom *symptom;

	if (reported->manager)
		symptom_add(diagnosis, "user", SYMPTOM_FINE, "%s is a manager", user_name());
	else {
		symptom = symptom_add(
			diagnosis, "user", SYMPTOM_FAULT,
			"%s is not a manager: the qmaster would refuse the scheduler's registration and its orders",
			user_name());
		symptom_remedy(symptom, "qconf -am %s", user_name());
	}
	if (reported->admin)
		symptom_add(diagnosis, "host", SYMPTOM_FINE, "%s is an administrative host", cell->host);
	else {
		symptom = symptom_add(diagnosis, "host", SYMPTOM_FAULT,
				      "%s is not an administrative host: the qmaster would refuse orders from here",
				      cell->host);
		symptom_remedy(symptom, "qconf -ah %s", cell->host);
	}
}

/*
 * Read the whole configuration like the scheduler would. A faulty object is left out there and
 * affects no other object.
 */
static void configuration_look(struct diagnosis *diagnosis, struct gdi_client *client, const struct gdi_cell *cell)
{
	struct error error = { "" };
	struct report report = { .source = NULL };
	struct cell_files files;
	struct cell read;
	size_t left_out, reported = 0;
	int rc = live_cell_read(client, cell, &files, &left_out, &error);

	if (rc) {
		symptom_add(diagnosis, "configuration", SYMPTOM_FAULT, "%s", error.text);
	} else {
		if (cell_load_files(&read, "", &files, &report))
			symptom_add(diagnosis, "configuration", SYMPTOM_FAULT, "no memory to read it");
		for (size_t i = 0; i < report.n && reported < FAULTS_REPORTED; i++) {
			char place[200];

			if (report.findings[i].severity != FAULT)
				continue;
			finding_place(&report.findings[i], place, sizeof(place));
			symptom_add(diagnosis, "configuration", SYMPTOM_NOTE,
				    "%s: %s; only this object is left out", place + strspn(place, "/"),
				    report.findings[i].text);
			reported++;
		}
		if (left_out)
			symptom_add(diagnosis, "configuration", SYMPTOM_NOTE,
				    "%s; %zu objects in total are left out for such reasons", error.text, left_out);
		if (report.faults > reported)
			symptom_add(diagnosis, "configuration", SYMPTOM_NOTE, "%zu faults in total", report.faults);
		if (report.faults == 0 && left_out == 0)
			symptom_add(diagnosis, "configuration", SYMPTOM_FINE, "%zu objects, all valid",
				    files.n);
		cell_free(&read);
	}
	report_free(&report);
	cell_files_free(&files);
}

/* Return whether the registered scheduler has certainly died. */
static bool holder_is_dead(const struct reported_of_cell *reported, const struct gdi_cell *cell)
{
	uint32_t now = reported->freshest, patience = 2 * (reported->d_time < 600 ? reported->d_time : 600) + 5;

	if (gdi_hosts_equal(cell, reported->host, cell->host) &&
	    strncmp(reported->name, OUR_NAME, strlen(OUR_NAME)) == 0) {
		long pid = strtol(reported->name + strlen(OUR_NAME), NULL, 10);

		if (pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			return true;
	}
	if (gdi_hosts_equal(cell, cell->qmaster, cell->host))
		/* the qmaster runs on this host, so its clock is ours */
		now = (uint32_t)clock_date();
	return now > reported->heard && now - reported->heard > patience;
}

static void place_look(struct diagnosis *diagnosis, const struct gdi_cell *cell, const struct reported_of_cell *reported)
{
	const char *attach = diagnosis->faults ? "first the faults above" : "fairlead attach";
	struct symptom *symptom;

	if (!reported->taken) {
		symptom_add(diagnosis, "place", SYMPTOM_FINE, "no scheduler is registered");
		symptom_add(diagnosis, "attach", SYMPTOM_NOTE, "%s: registers as the scheduler at once", attach);
	} else if (reported->builtin) {
		symptom_add(diagnosis, "place", SYMPTOM_FINE, "the built-in scheduler has the role");
		symptom_add(diagnosis, "attach", SYMPTOM_NOTE,
			    "%s: stops the thread of the built-in scheduler, then registers; running jobs continue",
			    attach);
	} else if (holder_is_dead(reported, cell)) {
		symptom_add(diagnosis, "place", SYMPTOM_NOTE,
			    "%s on %s had the role, but has not reported for %" PRIu32
			    " s: it has died; the qmaster removes it later",
			    reported->name, reported->host,
			    reported->freshest > reported->heard ? reported->freshest - reported->heard
								 : (uint32_t)clock_date() - reported->heard);
		symptom_add(diagnosis, "attach", SYMPTOM_NOTE, "%s: registers instead of it at once", attach);
	} else {
		symptom_add(diagnosis, "place", SYMPTOM_FINE,
			    "%s on %s has the role (component %s, connection %" PRIu32 ", a delivery each %" PRIu32
			    " s) and is alive",
			    reported->name, reported->host, reported->component, reported->connection,
			    reported->d_time);
		symptom = symptom_add(
			diagnosis, "attach", SYMPTOM_NOTE,
			"waits until that scheduler has ended: without --again, two schedulers never displace "
			"each other");
		symptom_remedy(symptom, "on %s: fairlead hand-back", reported->host);
	}
	if (cell->scheduler_threads) {
		symptom = symptom_add(diagnosis, "restart", SYMPTOM_NOTE,
				      "scheduler_threads %" PRIu32
				      ": a qmaster that is started begins with its own scheduler",
				      cell->scheduler_threads);
		symptom_remedy(
			symptom,
			"for permanent use: sed -i 's/^scheduler_threads.*/scheduler_threads 0/' %s/common/bootstrap",
			cell->directory);
	}
}

void diagnosis_make(struct diagnosis *diagnosis, const char *directory)
{
	struct gdi_cell cell;
	struct gdi_client *client = NULL;
	struct reported_of_cell reported = { .manager = false };
	struct error error = { "" };

	*diagnosis = (struct diagnosis){ .n = 0 };
	if (cell_look(diagnosis, &cell, directory) && security_look(diagnosis, &cell) &&
	    connection_look(diagnosis, &cell, &client) &&
	    version_look(diagnosis, ask(client, &cell, &reported, &error), &reported, &error)) {
		permission_look(diagnosis, &cell, &reported);
		configuration_look(diagnosis, client, &cell);
		place_look(diagnosis, &cell, &reported);
	}
	gdi_client_close(client);
	gdi_cell_free(&cell);
}
