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

static uint32_t slot_number(struct negotiator *negotiator, uint32_t slot)
{
	struct classad_value id;
	struct classad_pair pair = { .my = negotiator->slots[slot].ad };

	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, "SlotID", &negotiator->moments.room, &id);
	return id.type == CLASSAD_INT && id.integer > 0 && id.integer < UINT32_MAX ? (uint32_t)id.integer : 0;
}

bool cross_is_on(const struct negotiator *negotiator)
{
	return negotiator->conf->cross_slot_prios && (negotiator->interest.moments & 1u << MOMENT_OTHER_SLOTS);
}

int cross_fill(struct negotiator *negotiator)
{
	struct cross *cross = &negotiator->cross;
	struct text_set machines = { 0 };
	int rc;

	cross->n = 0;
	if (!cross_is_on(negotiator))
		return 0;
	rc = room_for(&cross->items, &cross->capacity, negotiator->nslots, sizeof(*cross->items));
	if (rc == 0)
		rc = room_for(&cross->machines, &cross->nmachines, negotiator->nslots, sizeof(*cross->machines));
	for (uint32_t i = 0; i < negotiator->nslots && rc == 0; i++) {
		const char *at = strchr(negotiator->slots[i].name, '@');

		rc = text_set_add(&machines, at ? at + 1 : negotiator->slots[i].name, &cross->machines[i]);
		cross->items[cross->n++] = (struct cross_slot){ cross->machines[i], slot_number(negotiator, i), i };
	}
	text_set_free(&machines);
	if (cross->n > 0)
		qsort(cross->items, cross->n, sizeof(*cross->items), by_machine);
	return rc;
}

/* Return the customer that has a slot of the same machine. CUSTOMER_NONE: none has it. */
static uint32_t customer_at(const struct negotiator *negotiator, uint32_t machine, uint32_t number)
{
	struct cross_slot key = { machine, number, 0 };
	const struct cross_slot *found =
		bsearch(&key, negotiator->cross.items, negotiator->cross.n, sizeof(key), by_machine);

	return found && slot_is_claimed(negotiator, found->slot) ? slot_customer(&negotiator->slots[found->slot])
								 : CUSTOMER_NONE;
}

static void set_one(struct negotiator *negotiator, struct classad *ad, const char *name, uint32_t customer,
		    const char *attribute)
{
	struct classad_value value = { .type = CLASSAD_STRING };

	if (customer == CUSTOMER_NONE || (attribute == attributes[3] && negotiator->conf->ngroups < 2)) {
		classad_unset(ad, name);
		return;
	}
	if (attribute == attributes[0] || attribute == attributes[3]) {
		value.text = attribute == attributes[0] ? negotiator->in->names[customer] :
			negotiator->conf->groups[customer_group(negotiator->customers, customer)].name;
		value.bytes = strlen(value.text);
	} else {
		value.type = CLASSAD_REAL;
		value.real = attribute == attributes[1] ? (float)customer_eup(&negotiator->customers->items[customer]) :
			negotiator->customers->items[customer].weight_used;
	}
	if (classad_set_value(ad, name, &value) < 0)
		negotiator->rc = -ENOMEM;
}

static void set_all(struct negotiator *negotiator, struct classad *ad, uint32_t slot, const struct classad_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const char *attribute;
		uint32_t number;

		if (cross_name(names->items[i], &number, &attribute))
			set_one(negotiator, ad, names->items[i],
				customer_at(negotiator, negotiator->cross.machines[slot], number), attribute);
	}
}

void cross_set(struct negotiator *negotiator, struct classad *ad, uint32_t slot)
{
	if (negotiator->cross.n == 0)
		return;
	for (int root = 0; root < ROOTS; root++)
		set_all(negotiator, ad, slot, &negotiator->interest.slots[root].own);
	set_all(negotiator, ad, slot, &negotiator->interest.jobs.others);
}

void cross_free(struct cross *cross)
{
	free(cross->items);
	free(cross->machines);
	*cross = (struct cross){ 0 };
}
