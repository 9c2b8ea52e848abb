/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that the accountant stores for a customer and for a slot in use. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/base/number.h"

#define EXACT 9007199254740992.0	/* 2^53: whole numbers up to it are exact */
#define MUCH 1e100			/* products with times stay finite */

#define REAL(key, member, least, ...) \
	{ .name = key, .type = ATTRIBUTE_REAL, .offset = offsetof(struct condor_customer, member),	\
	  .low = least, .high = MUCH, __VA_ARGS__ }
#define WHOLE(key, member, least, ...) \
	{ .name = key, .type = ATTRIBUTE_WHOLE, .offset = offsetof(struct condor_customer, member),	\
	  .low = least, .high = EXACT, __VA_ARGS__ }

static const struct userprio_attribute of_customer[] = {
	REAL("Priority", rup, 0),
	REAL("PriorityFactor", factor, 0),
	WHOLE("ResourcesUsed", used, 0),
	REAL("WeightedResourcesUsed", weight_used, 0),
	REAL("HierWeightedResourcesUsed", tree_used, 0),
	REAL("UnchargedTime", uncharged, -MUCH),
	REAL("WeightedUnchargedTime", weight_uncharged, -MUCH),
	REAL("AccumulatedUsage", accumulated, 0),
	/* if absent, it equals AccumulatedUsage */
	REAL("WeightedAccumulatedUsage", weight_accumulated, 0, .absent = -1),
	WHOLE("BeginUsageTime", begin, 0),
	WHOLE("LastUsageTime", last, 0),
	WHOLE("Ceiling", ceiling, -EXACT, .absent = -1),
	WHOLE("Floor", floor, -EXACT),
	WHOLE("PriorityFactorLeaseExpiration", leases[0].until, 0),
	REAL("PriorityFactorPreLeaseValue", leases[0].before, -MUCH),
	WHOLE("CeilingLeaseExpiration", leases[1].until, 0),
	REAL("CeilingPreLeaseValue", leases[1].before, -MUCH),
	WHOLE("FloorLeaseExpiration", leases[2].until, 0),
	REAL("FloorPreLeaseValue", leases[2].before, -MUCH),
	{ .name = "IsAccountingGroup", .type = ATTRIBUTE_TRUTH, .offset = offsetof(struct condor_customer, is_group) },
	{ 0 },
};

static const struct userprio_attribute of_resource[] = {
	{ .name = "RemoteUser", .type = ATTRIBUTE_TEXT, .offset = offsetof(struct condor_resource, customer) },
	{ .name = "SlotWeight", .type = ATTRIBUTE_REAL, .offset = offsetof(struct condor_resource, weight),
		.high = MUCH, .absent = 1 },
	{ .name = "StartTime", .type = ATTRIBUTE_WHOLE, .offset = offsetof(struct condor_resource, since),
		.high = EXACT },
	{ 0 },
};

const struct userprio_attribute last_update_attribute = {
	.name = "LastUpdateTime", .type = ATTRIBUTE_WHOLE, .offset = offsetof(struct condor_conf, last_update),
	.high = EXACT,
};

static const struct userprio_attribute *attribute_find(const struct userprio_attribute *attribute, const char *name)
{
	for (; attribute->name; attribute++)
		if (strcasecmp(attribute->name, name) == 0)
			return attribute;
	return NULL;
}

const struct userprio_attribute *customer_attribute(const char *name)
{
	return attribute_find(of_customer, name);
}

const struct userprio_attribute *resource_attribute(const char *name)
{
	return attribute_find(of_resource, name);
}

char *attribute_text(const char *value, int *rc)
{
	size_t n = strlen(value);
	char *text, *out;

	*rc = -EINVAL;
	if (n < 2 || *value != '"' || value[n - 1] != '"')
		return NULL;
	text = out = malloc(n);
	*rc = text ? 0 : -ENOMEM;
	for (const char *c = value + 1; text && c < value + n - 1; c++)
		*out++ = *c == '\\' && c + 1 < value + n - 1 ? *++c : *c;
	if (text)
		*out = '\0';
	return text;
}

static void number_put(const struct userprio_attribute *attribute, void *member, double number)
{
	if (attribute->type == ATTRIBUTE_REAL)
		*(double *)member = number;
	else if (attribute->type == ATTRIBUTE_WHOLE)
		*(int64_t *)member = (int64_t)number;
	else if (attribute->type == ATTRIBUTE_TRUTH)
		*(bool *)member = number != 0;
}

static int text_put(char **member, const char *value, struct error *error)
{
	int rc;
	char *text = attribute_text(value, &rc);

	if (!text)
		return rc == -EINVAL ? error_set(error, rc, "a text in \"quotes\" is allowed") : rc;
	free(*member);
	*member = text;
	return 0;
}

int attribute_set(const struct userprio_attribute *attribute, void *object, const char *value, struct error *error)
{
	void *member = (char *)object + attribute->offset;
	double number;

	if (attribute->type == ATTRIBUTE_TEXT)
		return text_put(member, value, error);
	if (attribute->type == ATTRIBUTE_TRUTH)
		return number_bool(value, member) ? error_set(error, -EINVAL, "true or false is allowed") : 0;
	if (number_double(value, &number) || number < attribute->low || number > attribute->high ||
	    (attribute->type == ATTRIBUTE_WHOLE && number != trunc(number)))
		return error_set(error, -EINVAL, "a %snumber from %.16g to %.16g is allowed",
				 attribute->type == ATTRIBUTE_WHOLE ? "whole " : "", attribute->low, attribute->high);
	number_put(attribute, member, number);
	return 0;
}

void attribute_unset(const struct userprio_attribute *attribute, void *object)
{
	char **text = (void *)((char *)object + attribute->offset);

	if (attribute->type != ATTRIBUTE_TEXT) {
		number_put(attribute, text, attribute->absent);
		return;
	}
	free(*text);
	*text = NULL;
}
