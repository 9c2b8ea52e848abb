/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/ads.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"

const char *const ad_attribute_names[CONDOR_ATTRIBUTES] = {
	"Requirements", "Rank", "ConcurrencyLimits", "KillSig", "RemoveKillSig", "HoldKillSig", "JobMaxVacateTime",
	"MaxJobRetirementTime",
};

static const char *const member_names[CONDOR_ATTRIBUTES] = {
	"requirements", "rank", "concurrency_limits", "kill_sig", "remove_kill_sig", "hold_kill_sig",
	"job_max_vacate_time", "max_job_retirement_time",
};

size_t ad_attribute_of(const char *name)
{
	size_t i = 0;

	while (i < CONDOR_ATTRIBUTES && strcasecmp(name, ad_attribute_names[i]) != 0)
		i++;
	return i;
}

bool ad_attribute_is_text(size_t attribute)
{
	return (CONDOR_REQUIREMENTS << attribute) &
	       (CONDOR_CONCURRENCY_LIMITS | CONDOR_KILL_SIG | CONDOR_REMOVE_KILL_SIG | CONDOR_HOLD_KILL_SIG);
}

void ads_create(struct ads *ads, struct strings *strings)
{
	*ads = (struct ads){ .strings = strings };
	pool_create(&ads->pool, sizeof(uint32_t));
}

void ads_destroy(struct ads *ads)
{
	pool_each(id, &ads->pool)
		classad_free(ads->items[id].ad);
	pool_destroy(&ads->pool);
	free(ads->items);
	free(ads->text);
	*ads = (struct ads){ 0 };
}

/* Texts */

/* Report an error in an attribute, under the name of its member. */
static int refuse(enum ad_owner owner, const char *name, const char *what, struct error *error)
{
	size_t i = owner == AD_OF_JOB ? ad_attribute_of(name) : CONDOR_ATTRIBUTES;

	return i < CONDOR_ATTRIBUTES ? error_set(error, -EINVAL, "%s: %s", member_names[i], what) :
				       error_set(error, -EINVAL, "ad: %.60s: %s", name, what);
}

static bool is_name(const char *name)
{
	const char *p = name;

	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p == '\0' && *name != '\0' && !isdigit((unsigned char)*name);
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct ad_attribute *)a)->name, ((const struct ad_attribute *)b)->name);
}

/* Return the start of the expression and set its length, without the spaces around it. */
static const char *trimmed(const char *text, size_t *length)
{
	text += strspn(text, " ");
	*length = strlen(text);
	while (*length > 0 && text[*length - 1] == ' ')
		--*length;
	return text;
}

static int check(enum ad_owner owner, const struct ad_attribute *items, size_t n, size_t *bytes, struct error *error)
{
	char what[80];

	*bytes = 1;
	if (n > AD_ATTRIBUTES_MOST)
		return error_set(error, -EINVAL, "ad: %zu attributes: allowed are %u", n, AD_ATTRIBUTES_MOST);
	for (size_t i = 0; i < n; i++) {
		const char *name = items[i].name, *odd = items[i].expression;
		size_t length;

		if (!is_name(name))
			return error_set(
				error, -EINVAL,
				"ad: \"%.40s\" is not an attribute name: allowed are letters, digits and _, "
				"no digit first",
				name);
		if (i > 0 && strcasecmp(items[i - 1].name, name) == 0)
			return refuse(owner, name, "duplicate attribute; upper and lower case are the same", error);
		while ((unsigned char)*odd >= ' ' && *odd != 0x7f)
			odd++;
		snprintf(what, sizeof(what), "byte 0x%02x is not a printable character", (unsigned char)*odd);
		if (*odd)
			return refuse(owner, name, what, error);
		trimmed(items[i].expression, &length);
		if (length == 0)
			return refuse(owner, name, "the value is empty; an expression is expected", error);
		*bytes += strlen(name) + length + strlen(" = \n");
		if (*bytes > AD_BYTES_MOST)
			return refuse(owner, name, "the ad exceeds 65536 bytes at this attribute", error);
	}
	return 0;
}

const char *ads_write(struct ads *ads, enum ad_owner owner, struct ad_attribute *items, size_t n, int *rc,
		      struct error *error)
{
	size_t bytes, length;
	char *to;

	if (n > 1)
		qsort(items, n, sizeof(*items), by_name);
	*rc = check(owner, items, n, &bytes, error);
	if (*rc == 0 && bytes > ads->text_bytes && array_grow(&ads->text, 2 * bytes, 1))
		*rc = error_set(error, -ENOMEM, "out of memory");
	if (*rc)
		return NULL;
	ads->text_bytes = bytes > ads->text_bytes ? 2 * bytes : ads->text_bytes;
	to = ads->text;
	for (size_t i = 0; i < n; i++) {
		const char *expression = trimmed(items[i].expression, &length);

		to = stpcpy(stpcpy(to, items[i].name), " = ");
		to = mempcpy(to, expression, length);
		*to++ = '\n';
	}
	*to = '\0';
	return ads->text;
}

size_t ad_text_cut(char *text, struct ad_attribute *items)
{
	size_t n = 0;

	while (*text && n < AD_ATTRIBUTES_MOST) {
		char *end = strchr(text, '\n'), *equals = strstr(text, " = ");

		if (!end || !equals || equals > end)
			break;
		*end = *equals = '\0';
		items[n++] = (struct ad_attribute){ text, equals + 3 };
		text = end + 1;
	}
	return n;
}

/* Ads */

static int parse(enum ad_owner owner, const char *text, struct classad **ad, struct error *error)
{
	struct ad_attribute *items = malloc(AD_ATTRIBUTES_MOST * sizeof(*items));
	char *copy = strdup(text);
	size_t n = items && copy ? ad_text_cut(copy, items) : 0;
	struct error inner;
	int rc;

	*ad = classad_create();
	rc = *ad && items && copy ? 0 : error_set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = classad_set(*ad, items[i].name, items[i].expression, &inner);
		if (rc)
			rc = rc == -EINVAL ? refuse(owner, items[i].name, inner.text, error)
					   : error_set(error, rc, "out of memory");
	}
	if (rc) {
		classad_free(*ad);
		*ad = NULL;
	}
	free(copy);
	free(items);
	return rc;
}

static int reserve(struct ads *ads)
{
	if (pool_reserve(&ads->pool))
		return -ENOMEM;
	return array_reserve(&ads->capacity, ads->pool.capacity, COLUMN(ads->items));
}

int ads_hold(struct ads *ads, enum ad_owner owner, const char *text, uint32_t *id, struct error *error)
{
	uint32_t name = *text ? strings_find(ads->strings, text) : NONE;
	struct classad *ad;
	bool is_new;
	int rc;

	*id = name == NONE ? NONE : pool_find(&ads->pool, &name);
	if (*id != NONE || !*text) {
		if (*id != NONE)
			ads->pool.holders[*id]++;
		return 0;
	}
	rc = parse(owner, text, &ad, error);
	if (rc)
		return rc;
	name = reserve(ads) ? NONE : strings_hold(ads->strings, text);
	if (name == NONE) {
		classad_free(ad);
		return error_set(error, -ENOMEM, "out of memory");
	}
	*id = pool_hold(&ads->pool, &name, &is_new);	/* memory is reserved */
	ads->items[*id] = (struct ad_record){ ad, ++ads->made };
	return 0;
}

void ads_drop(struct ads *ads, uint32_t id)
{
	uint32_t name;

	if (id == NONE)
		return;
	name = *(const uint32_t *)pool_key(&ads->pool, id);
	if (!pool_drop(&ads->pool, id))
		return;
	classad_free(ads->items[id].ad);
	ads->items[id] = (struct ad_record){ 0 };
	strings_drop(ads->strings, name);
}
