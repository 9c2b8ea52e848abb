/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User priorities of algorithm userprio, edited as with condor_userprio(1).
 *
 * Operators may edit them. Other users may set factors if condor_config permits it. An edit is
 * effective at once. It is answered when it is stored and visible to readers, and undone with a
 * turn that could not be stored.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "tickets/customers.h"

static const struct edit_form {
	const char *name;		/* option without its dash */
	enum customer_edit_kind kind;
	const char *setting;		/* setting that may have a lease; NULL: none */
	/* %s: customer; %.*f: value with `decimals` decimals */
	const char *done;
	int decimals;
} forms[] = {
	{ "setfactor", EDIT_FACTOR, "factor", "The priority factor of %s was set to %.*f", 6 },
	{ "setprio", EDIT_PRIORITY, NULL, "The priority of %s was set to %.*f", 6 },
	{ "setceiling", EDIT_CEILING, "ceiling", "The ceiling of %s was set to %.*f", 0 },
	{ "setfloor", EDIT_FLOOR, "floor", "The floor of %s was set to %.*f", 0 },
	{ "setaccum", EDIT_ACCUMULATED, NULL, "The Accumulated Usage of %s was set to %.*f", 6 },
	{ "setbegin", EDIT_BEGIN, NULL, "The Begin Usage Time of %s was set to %.*f", 0 },
	{ "setlast", EDIT_LAST, NULL, "The Last Usage Time of %s was set to %.*f", 0 },
	{ "cancelfactorlease", EDIT_CANCEL_FACTOR_LEASE, NULL, "The factor lease of %s was cancelled", 0 },
	{ "cancelceilinglease", EDIT_CANCEL_CEILING_LEASE, NULL, "The ceiling lease of %s was cancelled", 0 },
	{ "cancelfloorlease", EDIT_CANCEL_FLOOR_LEASE, NULL, "The floor lease of %s was cancelled", 0 },
	{ "resetusage", EDIT_RESET_USAGE, NULL, "The accumulated usage of %s was reset", 0 },
	{ "resetall", EDIT_RESET_ALL, NULL, "The accumulated usage was reset for all users", 0 },
	{ "delete", EDIT_DELETE, NULL, "The accountant record named %s was deleted", 0 },
};

static const struct edit_form *form_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	return NULL;
}

/* Permission to set factors */

static bool word_is(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Return whether a word names the client: "name" or "name@UID_DOMAIN"; "*" names all users. */
static bool names_client(const char *word, size_t length, const struct client *client, const char *domain)
{
	size_t owner = strlen(client->owner);

	if (word_is(word, length, "*") || word_is(word, length, client->owner))
		return true;
	return length > owner + 1 && memcmp(word, client->owner, owner) == 0 && word[owner] == '@' &&
	       word_is(word + owner + 1, length - owner - 1, domain);
}

/* Return whether a list, which ends with the line, contains a prefix of the customer. */
static bool has_prefix(const char *list, const char *customer)
{
	static const char between[] = ", \t";

	for (list += strspn(list, between); *list && *list != '\n'; list += strspn(list, between)) {
		size_t n = strcspn(list, ", \t\n");

		if (strncmp(list, customer, n) == 0)
			return true;
		list += n;
	}
	return false;
}

/*
 * Search lines "METHOD NAME PREFIX[,PREFIX...]" of HTCondor's user maps. Clients of this socket are
 * identified by their uid, regardless of the method.
 */
static bool may_set_factor(const struct condor_conf *conf, const struct client *client, const char *customer)
{
	const char *line = conf->factor_authorization;

	while (line && *line) {
		const char *method = line + strspn(line, " \t"), *name = method + strcspn(method, " \t\n");
		size_t n;

		name += strspn(name, " \t");
		n = strcspn(name, " \t\n");
		if (*method != '#' && n > 0 &&
		    names_client(name, n, client, conf->uid_domain ? conf->uid_domain : "") &&
		    has_prefix(name + n, customer))
			return true;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return false;
}

static bool may_edit(struct local *local, const struct client *client, const struct edit_form *form,
		     const char *customer)
{
	return client_is_operator(client) ||
	       (form->kind == EDIT_FACTOR && may_set_factor(&sched_cell(local->sched)->condor, client, customer));
}

/* Request */

static int edit_take(const struct edit_form *form, const struct value *request, struct customer_edit *edit,
		     struct error *error)
{
	const struct value *value = value_member(request, "value"), *duration = value_member(request, "duration");

	*edit = (struct customer_edit){ .kind = form->kind };
	if (form->kind <= EDIT_LAST && !value_is(value, VALUE_INTEGER) && !value_is(value, VALUE_REAL))
		return error_set(error, -EINVAL, "value: a number is expected");
	if (form->kind > EDIT_LAST && value)
		return error_set(error, -EINVAL, "value: %s takes none", form->name);
	if (duration && (!form->setting || !value_is(duration, VALUE_INTEGER) || duration->integer < 1 ||
			 duration->integer > INT32_MAX))
		return error_set(error, -EINVAL,
				 "duration: seconds from 1 to %d, of a factor, a ceiling or a floor, are expected",
				 INT32_MAX);
	if (form->kind <= EDIT_LAST)
		edit->value = value_number(value);
	edit->duration = value_integer(duration);
	return 0;
}

/* Answer an edit. `also`: a side effect. */
static void say_done(struct client *client, const struct edit_form *form, const char *customer,
		     const struct customer_edit *edit, const char *also)
{
	char text[1200];

	if (edit->duration > 0)
		snprintf(text, sizeof(text), "Set %s lease of %.400s to %.*f for %" PRId64 " s", form->setting,
			 customer, form->decimals, edit->value, edit->duration);
	else if (form->kind <= EDIT_LAST)
		snprintf(text, sizeof(text), form->done, customer, form->decimals, edit->value);
	else
		snprintf(text, sizeof(text), form->done, customer);
	result_add(client, REPLY_DONE, 0, 0, "%s", text);
	if (*also)
		result_add(client, REPLY_DONE, 0, 0, "%s", also);
}

void request_userprio(struct local *local, struct client *client, const struct value *request)
{
	const struct edit_form *form = form_find(member_text(request, "edit"));
	const char *customer = member_text(request, "customer");
	struct customer_edit edit;
	struct error error = { "" };
	int rc;

	if (!form) {
		result_add(client, REPLY_INVALID, 0, 0,
			   "edit: an editing option of condor_userprio(1) is expected, without its dash");
		return;
	}
	if (form->kind == EDIT_RESET_ALL)
		customer = "";
	if (!customer) {
		result_add(client, REPLY_INVALID, 0, 0, "customer: the full name of a submitter is expected");
		return;
	}
	rc = edit_take(form, request, &edit, &error);
	if (rc == 0 && !may_edit(local, client, form, customer))
		rc = error_set(&error, -EPERM,
			       "%s - you do not have the necessary privileges to change user priorities",
			       client->owner);
	if (rc == 0)
		rc = sched_edit_customer(local->sched, clock_date(), customer, &edit, &error);
	if (rc == -ENOMEM)
		local_fail(local, &error);
	if (rc) {
		result_refuse(client, rc == -EPERM || rc == -ENOMEM ? rc : -EINVAL, NULL, 0, error.text);
		return;
	}
	local->turn.changed = local->turn.edited = true;
	if (local->intake->hurry) {	/* the next request sees the change */
		local->intake->hurry(local->intake->context);
		client->request.until_run = true;
	}
	say_done(client, form, customer, &edit, error.text);
}
