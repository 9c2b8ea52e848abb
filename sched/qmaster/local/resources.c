/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of requests in Grid Engine's form (conf/gridengine/resource_list.h): full names, each
 * complex once. Code that shows a list, or searches a limit in it, therefore finds the effective
 * value. Durations and sizes in other notations (conf/amount.h) are converted to Grid Engine's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/amount.h"
#include "conf/gridengine/resource_list.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static char *joined(const struct resource_list *list)
{
	size_t most = 1;
	char *text, *to;

	for (size_t i = 0; i < list->n; i++)
		most += resource_most(&list->items[i]) + 1;
	to = text = malloc(most);
	for (size_t i = 0; text && i < list->n; i++) {
		if (i > 0)
			*to++ = ',';
		to = resource_write(to, &list->items[i]);
	}
	if (text)
		*to = '\0';
	return text;
}

#define VALUE_BYTES 64			/* bytes of a rewritten number */

/* Rewrite a value in the notation of Grid Engine, if necessary: 90m as 5400, 1GB as 1G. */
static void value_settle(struct resource *resource, char written[VALUE_BYTES])
{
	size_t n = resource->value ? amount_size_length(resource->value) : 0;
	uint32_t seconds;
	double bytes;

	if (!resource->complex || n == 0 || n >= VALUE_BYTES)
		return;
	if (resource->complex->type == TYPE_MEMORY && resource->value[n] && amount_size(resource->value, &bytes) == 0)
		snprintf(written, VALUE_BYTES, "%.*s", (int)n, resource->value);
	else if (resource->complex->type == TYPE_TIME && amount_time(resource->value, &seconds) == 0 &&
		 amount_is_lenient(resource->value))
		snprintf(written, VALUE_BYTES, "%u", seconds);
	else
		return;
	resource->value = written;
}

static char *settled(struct resource_list *list)
{
	char (*values)[VALUE_BYTES] = calloc(list->n + 1, sizeof(*values)), *text;

	for (size_t i = 0; values && i < list->n; i++)
		value_settle(&list->items[i], values[i]);
	text = values ? joined(list) : NULL;
	free(values);
	return text;
}

/* Hosts */

/* Compare host names without their domains, ignoring case. */
static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && strncasecmp(a, b, n) == 0;
}

static bool host_is_known(const struct local *local, const struct cell *cell, const char *host)
{
	bool known = same_host(host, local->machine.host) || same_host(host, "localhost");

	for (size_t i = 0; i < cell->nhosts && !known; i++)
		known = same_host(host, cell->hosts[i].name);
	for (size_t i = 0; i < cell->nqueues && !known; i++)
		known = cell_queue_is_on(cell, &cell->queues[i], host);
	return known;
}

/*
 * Refuse a host, named without pattern or expression, that the cell does not have: the job could
 * wait for it forever.
 */
static int check_hosts(const struct local *local, const struct cell *cell, const struct resource_list *list,
		       struct error *error)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

	for (size_t i = 0; i < list->n; i++) {
		const struct resource *resource = &list->items[i];

		if (resource->complex && resource->complex->type == TYPE_HOST && resource->value && *resource->value &&
		    !resource->value[strspn(resource->value, letters)] && !host_is_known(local, cell, resource->value))
			return error_set(error, -EINVAL, "can't resolve hostname \"%.100s\"", resource->value);
	}
	return 0;
}

/* Set a text that belongs to the caller. */
static int text_set(struct job_request *request, struct taking *taking, const char *member, const char *text)
{
	char *copy = taking_array(taking, strlen(text) + 1, 1);

	return copy ? job_request_set_text(request, taking, member, strcpy(copy, text)) : -ENOMEM;
}

static int list_settle(const struct local *local, const struct cell *cell, struct job_request *request,
		       struct taking *taking, const char *member, struct error *error)
{
	const struct value *kept = member_list_kept(&request->members, member);
	const char *asked = kept ? value_text(kept) : job_request_text(request, member);
	struct resource_list list;
	char *text;
	int rc;

	if (!asked)
		return job_request_settle(request, taking, member, NULL);
	text = resource_list_read(&list, cell, asked) ? NULL : settled(&list);
	if (text && (rc = check_hosts(local, cell, &list, error)) != 0) {
		free(text);
		resource_list_free(&list);
		return rc;
	}
	rc = text ? text_set(request, taking, member, text) : -ENOMEM;
	free(text);
	resource_list_free(&list);
	return rc;
}

int resources_settle(const struct local *local, const struct cell *cell, struct job_request *request,
		     struct taking *taking, struct error *error)
{
	int rc = list_settle(local, cell, request, taking, "hard_resource_list", error);

	rc = rc ? rc : list_settle(local, cell, request, taking, "soft_resource_list", error);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}
