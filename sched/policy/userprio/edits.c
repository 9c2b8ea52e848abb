/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators change, between runs. It is in force at once, and in the next transaction of the
 * store. Where an edit is to be answered when it is stored, and was not, it is undone: nobody has
 * seen it then.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/utf8.h"
#include "sched/policy/userprio/userprio.h"
#include "sched/run/run.h"

#define NAME_BYTES 1024
#define DAY_S 86400

static struct userprio_policy *own(struct policy *p)
{
	return (struct userprio_policy *)p;
}

void userprio_edits_settle(struct userprio_policy *p, struct strings *strings)
{
	for (size_t i = 0; i < p->edits.n; i++)
		strings_drop(strings, p->edits.items[i].name);
	free(p->edits.items);
	p->edits = (struct userprio_edits){ 0 };
}

static int edit_note(struct userprio_policy *p, struct strings *strings, uint32_t customer, bool hidden)
{
	const struct accountant *a = &p->accountant;
	struct edited_customer *e = array_add(&p->edits.items, &p->edits.n, sizeof(*e));

	if (!e)
		return -ENOMEM;
	*e = (struct edited_customer){ strings_hold(strings, strings_text(strings, a->names[customer])), a->customers.items[customer], hidden,
				       a->stored[customer] };
	return 0;
}

/* One that was listed as gone is there again. */
static void name_comes_back(struct accountant *a, struct strings *strings, uint32_t name)
{
	for (size_t i = a->ngone_names; i-- > 0;)
		if (a->gone_names[i] == name) {
			a->gone_names[i] = a->gone_names[--a->ngone_names];
			strings_drop(strings, name);
			return;
		}
}

/* What a customer has in use did not change: nothing runs between an edit and this. */
void userprio_unedit(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);
	struct accountant *a = &p->accountant;

	for (size_t i = p->edits.n; i-- > 0;) {
		const struct edited_customer *e = &p->edits.items[i];
		uint32_t c = accountant_find(a, run->strings, strings_text(run->strings, e->name));

		if (c == CUSTOMER_NONE)
			continue;
		a->customers.items[c] = e->before;
		a->hidden[c] = e->hidden;
		if (e->stored && !a->stored[c])
			name_comes_back(a, run->strings, e->name);
		a->stored[c] = e->stored;
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

static int edit_all(struct userprio_policy *p, struct run *run, const struct customer_edit *edit, int64_t now, struct error *error)
{
	struct accountant *a = &p->accountant;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < a->customers.n; i++) {
		if (a->hidden[i])
			continue;
		rc = edit_note(p, run->strings, i, false);
		if (rc == 0)
			rc = customer_edit(&a->customers, i, edit, now, error);
	}
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

static int edit_delete(struct userprio_policy *p, struct run *run, const char *name, int64_t now)
{
	struct accountant *a = &p->accountant;
	uint32_t i = accountant_find(a, run->strings, name);
	int rc;

	if (i == CUSTOMER_NONE || a->hidden[i])
		return 0;
	rc = edit_note(p, run->strings, i, false);
	if (rc == 0)
		accountant_forget(a, run->strings, p->conf, i, now);
	return rc;
}

static int edit_one(struct userprio_policy *p, struct run *run, const char *name, const struct customer_edit *edit, int64_t now, struct error *error)
{
	struct accountant *a = &p->accountant;
	uint32_t before = accountant_find(a, run->strings, name), i;
	bool hidden = before == CUSTOMER_NONE || a->hidden[before];
	int rc;

	i = accountant_customer(a, run->strings, p->conf, name);
	if (i == CUSTOMER_NONE)
		return -ENOMEM;
	rc = edit_note(p, run->strings, i, hidden);
	if (rc == 0)
		rc = customer_edit(&a->customers, i, edit, now, error);
	accountant_choose_factors(a, run->strings, p->conf);
	if (rc != 0 && hidden)
		a->hidden[i] = true;
	return rc;
}

int userprio_edit(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit, int64_t now, struct error *error)
{
	struct userprio_policy *p = own(policy);
	int rc;

	if (edit->kind == EDIT_RESET_ALL)
		return edit_all(p, run, edit, now, error);
	if (!is_name(customer))
		return error_set(error, -EINVAL, "\"%.80s\": the full name of a submitter is expected, user@domain, without blanks, of up to %d bytes",
				 customer, NAME_BYTES);
	rc = edit->kind == EDIT_DELETE ? edit_delete(p, run, customer, now) : edit_one(p, run, customer, edit, now, error);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

/*
 * In a day's first cycle. Who is forgotten returns with the next use as somebody new, as after
 * EDIT_DELETE.
 */

static bool is_past(const struct customer *c, int64_t limit, double default_factor)
{
	for (size_t s = 0; s < SETTINGS; s++)
		if (c->leases[s].until != 0)
			return false;
	return c->last != 0 && c->last < limit && c->used == 0 && c->uncharged == 0.0 && c->weight_uncharged == 0.0 && c->rup <= RUP_LEAST &&
	       c->factor == default_factor && c->ceiling == CEILING_NONE && c->floor == 0;
}

void userprio_purge(struct userprio_policy *p, struct run *run, int64_t last)
{
	struct accountant *a = &p->accountant;
	int64_t now = run->now;

	if (!p->conf || p->conf->purge_after_days == 0 || now / DAY_S == last / DAY_S)
		return;
	for (uint32_t i = (uint32_t)a->ngroups; i < a->customers.n; i++) {
		const struct customer *c = &a->customers.items[i];
		const char *name = strings_text(run->strings, a->names[i]);

		if (!a->hidden[i] && is_past(c, now - (int64_t)p->conf->purge_after_days * DAY_S, condor_factor(p->conf, name, c->group)))
			accountant_forget(a, run->strings, p->conf, i, now);
	}
}
