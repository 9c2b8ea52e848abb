/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/cross.h"
#include "sched/negotiation/inside.h"

static const char *const attributes[] = { "RemoteUser", "RemoteUserPrio", "RemoteUserResourcesInUse", "RemoteGroup" };

bool cross_name(const char *name, uint32_t *number, const char **attribute)
{
	unsigned long value;
	char *end;

	if (strncasecmp(name, "Slot", 4) != 0 || !isdigit((unsigned char)name[4]) || strlen(name) > 64)
		return false;
	value = strtoul(name + 4, &end, 10);
	if (*end != '_' || value > UINT32_MAX)
		return false;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (strcasecmp(end + 1, attributes[i]) == 0) {
			if (number)
				*number = (uint32_t)value;
			if (attribute)
				*attribute = attributes[i];
			return true;
		}
	return false;
}

static int by_machine(const void *a, const void *b)
{
	const struct cross_slot *x = a, *y = b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static uint32_t slot_number(struct negotiator *n, uint32_t slot)
{
	struct classad_value id;
	struct classad_pair pair = { .my = n->slots[slot].ad };

	classad_room_reset(&n->moments.room);
	classad_attribute(&pair, "SlotID", &n->moments.room, &id);
	return id.type == CLASSAD_INT && id.integer > 0 && id.integer < UINT32_MAX ? (uint32_t)id.integer : 0;
}

bool cross_is_on(const struct negotiator *n)
{
	return n->conf->cross_slot_prios && (n->interest.moments & 1u << MOMENT_OTHER_SLOTS);
}

int cross_fill(struct negotiator *n)
{
	struct cross *c = &n->cross;
	struct text_set machines = { 0 };
	int rc;

	c->n = 0;
	if (!cross_is_on(n))
		return 0;
	rc = room_for(&c->items, &c->capacity, n->nslots, sizeof(*c->items));
	if (rc == 0)
		rc = room_for(&c->machines, &c->nmachines, n->nslots, sizeof(*c->machines));
	for (uint32_t i = 0; i < n->nslots && rc == 0; i++) {
		const char *at = strchr(n->slots[i].name, '@');

		rc = text_set_add(&machines, at ? at + 1 : n->slots[i].name, &c->machines[i]);
		c->items[c->n++] = (struct cross_slot){ c->machines[i], slot_number(n, i), i };
	}
	text_set_free(&machines);
	if (c->n > 0)
		qsort(c->items, c->n, sizeof(*c->items), by_machine);
	return rc;
}

/* Whose claim a slot of the same machine is; CUSTOMER_NONE: nobody's, or there is no such slot. */
static uint32_t customer_at(const struct negotiator *n, uint32_t machine, uint32_t number)
{
	struct cross_slot key = { machine, number, 0 };
	const struct cross_slot *found = bsearch(&key, n->cross.items, n->cross.n, sizeof(key), by_machine);

	return found && slot_is_claimed(n, found->slot) ? slot_customer(&n->slots[found->slot]) : CUSTOMER_NONE;
}

static void set_one(struct negotiator *n, struct classad *ad, const char *name, uint32_t customer, const char *attribute)
{
	struct classad_value value = { .type = CLASSAD_STRING };

	if (customer == CUSTOMER_NONE || (attribute == attributes[3] && n->conf->ngroups < 2)) {
		classad_unset(ad, name);
		return;
	}
	if (attribute == attributes[0] || attribute == attributes[3]) {
		value.text = attribute == attributes[0] ? n->in->names[customer] :
			n->conf->groups[customer_group(n->customers, customer)].name;
		value.bytes = strlen(value.text);
	} else {
		value.type = CLASSAD_REAL;
		value.real = attribute == attributes[1] ? (float)customer_eup(&n->customers->items[customer]) :
			n->customers->items[customer].weight_used;
	}
	if (classad_set_value(ad, name, &value) < 0)
		n->rc = -ENOMEM;
}

static void set_all(struct negotiator *n, struct classad *ad, uint32_t slot, const struct classad_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const char *attribute;
		uint32_t number;

		if (cross_name(names->items[i], &number, &attribute))
			set_one(n, ad, names->items[i], customer_at(n, n->cross.machines[slot], number), attribute);
	}
}

void cross_set(struct negotiator *n, struct classad *ad, uint32_t slot)
{
	if (n->cross.n == 0)
		return;
	for (int root = 0; root < ROOTS; root++)
		set_all(n, ad, slot, &n->interest.slots[root].own);
	set_all(n, ad, slot, &n->interest.jobs.others);
}

void cross_free(struct cross *c)
{
	free(c->items);
	free(c->machines);
	*c = (struct cross){ 0 };
}
