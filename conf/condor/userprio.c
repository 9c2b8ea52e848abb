/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/userprio: the last state of a pool's accountant. Data that cannot be read is a fault with its
 * position. Nothing is skipped silently.
 */
#include "conf/condor/macros.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"

void userprio_report(const struct userprio *userprio, enum severity severity, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(userprio->text.report, severity, userprio->text.path, userprio->text.number, "", format,
			     arguments);
	va_end(arguments);
}

/*
 * Find or add a name and store its number. Returns -EINVAL if the name is invalid, which is
 * reported.
 */
static int name_number(struct userprio *userprio, struct text_set *names, const char *kind, const char *name,
		       uint32_t *number)
{
	size_t n = strlen(name);

	if (n == 0 || n > USERPRIO_NAME_MOST || strpbrk(name, " \t")) {
		userprio_report(userprio, FAULT,
				"\"%.60s\" found as the name of a %s: 1 to %d bytes without blanks are "
				"allowed",
				name, kind, USERPRIO_NAME_MOST);
		return -EINVAL;
	}
	if (names->n == USERPRIO_MOST && text_set_find(names, name) == INDEX_NONE) {
		userprio_report(userprio, FAULT, "more than %d %ss found: this is more than the "
						 "maximum", USERPRIO_MOST, kind);
		return -EINVAL;
	}
	return text_set_add(names, name, number);
}

int userprio_customer(struct userprio *userprio, const char *name, struct condor_customer **customer)
{
	uint32_t number;
	int rc = name_number(userprio, &userprio->customer_names, "customer", name, &number);

	if (rc)
		return rc;
	if (number == userprio->ncustomers &&
	    !array_add(&userprio->customers, &userprio->ncustomers, sizeof(**customer)))
		return -ENOMEM;
	*customer = &userprio->customers[number];
	if ((*customer)->name)
		return 0;
	**customer = (struct condor_customer){
		.name = strdup(name), .weight_accumulated = -1, .ceiling = -1, .is_group = !strchr(name, '@')
	};
	return (*customer)->name ? 0 : -ENOMEM;
}

/* Find or add a slot. The address of the machine is removed: "slot1@host@<192.0.2.1:9618?...>". */
int userprio_resource(struct userprio *userprio, const char *name, struct condor_resource **resource)
{
	const char *address = strstr(name, "@<");
	uint32_t number;
	int rc = name_number(userprio, &userprio->slot_names, "slot", name, &number);

	if (rc)
		return rc;
	if (number == userprio->nresources &&
	    !array_add(&userprio->resources, &userprio->nresources, sizeof(**resource)))
		return -ENOMEM;
	*resource = &userprio->resources[number];
	if ((*resource)->slot)
		return 0;
	**resource = (struct condor_resource){ .slot = strndup(name, address ? (size_t)(address - name) : strlen(name)),
					       .weight = 1 };
	return (*resource)->slot ? 0 : -ENOMEM;
}

/* Remove deleted customers and set absent attributes to the accountant's defaults. */
static void customers_finish(struct userprio *userprio)
{
	struct condor_conf *conf = userprio->conf;

	for (size_t i = 0; i < userprio->ncustomers; i++) {
		struct condor_customer *customer = &userprio->customers[i];

		if (!customer->name)
			continue;
		if (customer->weight_accumulated < 0)
			customer->weight_accumulated = customer->accumulated;
		customer->floor = customer->floor < 0 ? 0 : customer->floor;
		customer->ceiling = customer->ceiling < 0 ? -1 : customer->ceiling;
		userprio->customers[conf->ncustomers++] = *customer;
	}
	conf->customers = userprio->customers;
}

static int resource_compare(const void *a, const void *b)
{
	const struct condor_resource *x = a, *y = b;
	int order = strcmp(x->slot, y->slot);

	return order ? order : (x->since > y->since) - (x->since < y->since);
}

static void resource_free(struct condor_resource *resource)
{
	free(resource->slot);
	free(resource->customer);
	*resource = (struct condor_resource){ 0 };
}

/*
 * Sort the slots and drop duplicates. A machine that has changed its address leaves its slots under
 * the old address.
 */
static void resources_finish(struct userprio *userprio)
{
	struct condor_conf *conf = userprio->conf;
	size_t n = 0;

	userprio->text.number = 0;
	for (size_t i = 0; i < userprio->nresources; i++) {
		if (userprio->resources[i].slot && !userprio->resources[i].customer) {
			userprio_report(userprio, FAULT, "slot \"%.60s\" found without a RemoteUser",
					userprio->resources[i].slot);
			resource_free(&userprio->resources[i]);
		}
		if (userprio->resources[i].slot)
			userprio->resources[n++] = userprio->resources[i];
	}
	if (n > 1)
		qsort(userprio->resources, n, sizeof(*userprio->resources), resource_compare);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(userprio->resources[i].slot, userprio->resources[i + 1].slot) == 0) {
			userprio_report(
				userprio, WARNING,
				"slot \"%.60s\" found twice: the match that began last counts, %.60s's, not %.60s's",
				userprio->resources[i].slot, userprio->resources[i + 1].customer,
				userprio->resources[i].customer);
			resource_free(&userprio->resources[i]);
			continue;
		}
		userprio->resources[conf->nresources++] = userprio->resources[i];
	}
	conf->resources = userprio->resources;
}

static int state_read(struct userprio *userprio)
{
	bool is_cut = userprio->text.end > userprio->text.bytes && userprio->text.end[-1] != '\n';
	char *line;

	userprio->text.as_it_is = true;
	line = text_line(&userprio->text);
	if (!line)
		return 0;
	return log_is_one(line) ? log_read(userprio, line, is_cut) : long_read(userprio, line);
}

int userprio_read(struct reader *reader)
{
	struct userprio userprio = { .conf = &reader->cell->condor };
	char *path = path_join(reader->dir, NULL, "userprio");
	int rc = path ? text_open(&userprio.text, path, reader->report) : -ENOMEM;

	if (!rc) {
		rc = state_read(&userprio);
		customers_finish(&userprio);
		resources_finish(&userprio);
		text_close(&userprio.text);
	}
	text_set_free(&userprio.customer_names);
	text_set_free(&userprio.slot_names);
	free(path);
	return rc == -ENOMEM ? rc : 0;		/* the report has all other errors */
}
