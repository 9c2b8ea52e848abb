/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes by operators, between runs. They are effective at once, and they are stored by the next
 * transaction. An edit whose answer waits until it is stored is undone if storing fails; no run has
 * used it then.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/utf8.h"
#include "sched/policy/userprio/userprio.h"
#include "sched/run/run.h"

#define NAME_BYTES 1024
#define DAY_S 86400

static struct userprio_policy *own(struct policy *policy)
{
	return (struct userprio_policy *)policy;
}

void userprio_edits_settle(struct userprio_policy *policy, struct strings *strings)
{
	for (size_t i = 0; i < policy->edits.n; i++)
		strings_drop(strings, policy->edits.items[i].name);
	free(policy->edits.items);
	policy->edits = (struct userprio_edits){ 0 };
}

static int edit_note(struct userprio_policy *policy, struct strings *strings, uint32_t customer, bool hidden)
{
	const struct accountant *accountant = &policy->accountant;
	struct edited_customer *edited_customer =
		array_add(&policy->edits.items, &policy->edits.n, sizeof(*edited_customer));

	if (!edited_customer)
		return -ENOMEM;
	*edited_customer =
		(struct edited_customer){ strings_hold(strings, strings_text(strings, accountant->names[customer])),
					  accountant->customers.items[customer], hidden, accountant->stored[customer] };
	return 0;
}

/* Remove a name from the list of deleted rows, because the customer exists again. */
static void gone_name_remove(struct accountant *accountant, struct strings *strings, uint32_t name)
{
	for (size_t i = accountant->ngone_names; i-- > 0;)
		if (accountant->gone_names[i] == name) {
			accountant->gone_names[i] = accountant->gone_names[--accountant->ngone_names];
			strings_drop(strings, name);
			return;
		}
}

/* Undo all edits. Slots in use are unchanged: no task starts between an edit and this call. */
void userprio_unedit(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);
	struct accountant *accountant = &p->accountant;

	for (size_t i = p->edits.n; i-- > 0;) {
		const struct edited_customer *customer = &p->edits.items[i];
		uint32_t c = accountant_find(accountant, run->strings, strings_text(run->strings, customer->name));

		if (c == CUSTOMER_NONE)
			continue;
		accountant->customers.items[c] = customer->before;
		accountant->hidden[c] = customer->hidden;
		if (customer->stored && !accountant->stored[c])
			gone_name_remove(accountant, run->strings, customer->name);
		accountant->stored[c] = customer->stored;
	}
	userprio_edits_settle(p, run->strings);
}

static bool is_name(const char *name)
{
	size_t n = strlen(name);

	for (const char *c = name; *c; c++)
		if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
			return false;
	return n > 0 && n <= NAME_BYTES && strchr(name, '@');
}

static int edit_all(struct userprio_policy *policy, struct run *run, const struct customer_edit *edit, int64_t now,
		    struct error *error)
{
	struct accountant *accountant = &policy->accountant;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < accountant->customers.n; i++) {
		if (accountant->hidden[i])
			continue;
		rc = edit_note(policy, run->strings, i, false);
		if (rc == 0)
			rc = customer_edit(&accountant->customers, i, edit, now, error);
	}
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

static int edit_delete(struct userprio_policy *policy, struct run *run, const char *name, int64_t now)
{
	struct accountant *accountant = &policy->accountant;
	uint32_t i = accountant_find(accountant, run->strings, name);
	int rc;

	if (i == CUSTOMER_NONE || accountant->hidden[i])
		return 0;
	rc = edit_note(policy, run->strings, i, false);
	if (rc == 0)
		accountant_forget(accountant, run->strings, policy->conf, i, now);
	return rc;
}

static int edit_one(struct userprio_policy *policy, struct run *run, const char *name, const struct customer_edit *edit,
		    int64_t now, struct error *error)
{
	struct accountant *accountant = &policy->accountant;
	uint32_t before = accountant_find(accountant, run->strings, name), i;
	bool hidden = before == CUSTOMER_NONE || accountant->hidden[before];
	int rc;

	i = accountant_customer(accountant, run->strings, policy->conf, name);
	if (i == CUSTOMER_NONE)
		return -ENOMEM;
	rc = edit_note(policy, run->strings, i, hidden);
	if (rc == 0)
		rc = customer_edit(&accountant->customers, i, edit, now, error);
	accountant_choose_factors(accountant, run->strings, policy->conf);
	if (rc != 0 && hidden)
		accountant->hidden[i] = true;
	return rc;
}

int userprio_edit(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit,
		  int64_t now, struct error *error)
{
	struct userprio_policy *p = own(policy);
	int rc;

	if (edit->kind == EDIT_RESET_ALL)
		return edit_all(p, run, edit, now, error);
	if (!is_name(customer))
		return error_set(
			error, -EINVAL,
			"\"%.80s\" is not the full name of a submitter: use user@domain without blanks, "
			"of up to %d bytes",
			customer, NAME_BYTES);
	rc = edit->kind == EDIT_DELETE ? edit_delete(p, run, customer, now)
				       : edit_one(p, run, customer, edit, now, error);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

/*
 * Return whether a customer may be purged in the first cycle of a day. It returns at its next use
 * as a new customer, as after EDIT_DELETE.
 */

static bool is_past(const struct customer *customer, int64_t limit, double default_factor)
{
	for (size_t s = 0; s < SETTINGS; s++)
		if (customer->leases[s].until != 0)
			return false;
	return customer->last != 0 && customer->last < limit && customer->used == 0 && customer->uncharged == 0.0 &&
	       customer->weight_uncharged == 0.0 && customer->rup <= RUP_LEAST && customer->factor == default_factor &&
	       customer->ceiling == CEILING_NONE && customer->floor == 0;
}

void userprio_purge(struct userprio_policy *policy, struct run *run, int64_t last)
{
	struct accountant *accountant = &policy->accountant;
	int64_t now = run->now;

	if (!policy->conf || policy->conf->purge_after_days == 0 || now / DAY_S == last / DAY_S)
		return;
	for (uint32_t i = (uint32_t)accountant->ngroups; i < accountant->customers.n; i++) {
		const struct customer *customer = &accountant->customers.items[i];
		const char *name = strings_text(run->strings, accountant->names[i]);

		if (!accountant->hidden[i] && is_past(customer, now - (int64_t)policy->conf->purge_after_days * DAY_S,
						      condor_factor(policy->conf, name, customer->group)))
			accountant_forget(accountant, run->strings, policy->conf, i, now);
	}
}
