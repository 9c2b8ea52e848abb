/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/condor/macros.h"

char *condor_host_name(const char *domain)
{
	char host[256] = "", *name;

	gethostname(host, sizeof(host) - 1);
	name = calloc(1, strlen(host) + strlen(domain) + 2);
	if (name) {
		strcpy(name, host);
		if (*domain && !strchr(host, '.'))
			strcat(strcat(name, "."), domain);
	}
	return name;
}

int condor_defaults(struct condor_conf *c)
{
	struct error e;
	int rc;

	*c = (struct condor_conf){ 0 };
	for (const struct macro_parameter *p = macro_parameters; p < macro_parameters + macro_parameters_count; p++) {
		rc = p->fallback ? p->parse(p, (char *)c + p->offset, p->fallback, &e) : 0;
		assert(rc == 0 || rc == -ENOMEM);
		if (rc)
			return rc;
	}
	c->uid_domain = condor_host_name("");
	return c->uid_domain ? group_root_add(c) : -ENOMEM;
}

static void customers_free(struct condor_conf *c)
{
	for (size_t i = 0; i < c->ncustomers; i++)
		free(c->customers[i].name);
	for (size_t i = 0; i < c->nresources; i++) {
		free(c->resources[i].slot);
		free(c->resources[i].customer);
	}
	free(c->customers);
	free(c->resources);
}

void condor_free(struct condor_conf *c)
{
	void *member;

	for (const struct macro_parameter *p = macro_parameters; p < macro_parameters + macro_parameters_count; p++) {
		member = (char *)c + p->offset;
		if (p->parse == macro_text)
			free(*(char **)member);
		else if (p->parse == macro_names)
			condor_names_free(*(char ***)member);
		else if (p->parse == macro_expression)
			condor_expression_free(member);
	}
	for (size_t i = 0; i < c->ngroups; i++) {
		free(c->groups[i].name);
		free(c->groups[i].quota_by);
		free(c->groups[i].surplus_by);
		free(c->groups[i].autoregroup_by);
	}
	for (size_t i = 0; i < c->nlimits; i++)
		free(c->limits[i].name);
	free(c->groups);
	free(c->limits);
	customers_free(c);
	*c = (struct condor_conf){ 0 };
}

/* A host without a domain gets that of DEFAULT_DOMAIN_NAME. */
static int full_name_complete(struct macros *m)
{
	char *domain, *name;
	int rc = macro_value(m, "NEGOTIATOR", macro_parameter_macro(m, "DEFAULT_DOMAIN_NAME"), &domain);

	if (rc || !domain)
		return rc;
	name = condor_host_name(domain);
	free(domain);
	m->at = (struct macro_place){ 0 };
	rc = name ? macro_define(m, "FULL_HOSTNAME", name) : -ENOMEM;
	free(name);
	return rc;
}

/*
 * In this order: what `follows` says counts for groups, and a name that nobody wanted is looked at
 * last.
 */
static int macros_take(struct macros *m, const struct cell *cell)
{
	int rc = full_name_complete(m);

	if (!rc)
		rc = macro_parameters_read(m);
	if (!rc && m->conf->follows == FOLLOWS_MANUAL && !macro_parameter_macro(m, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"))
		m->conf->oversubscription = false;
	if (!rc)
		rc = groups_read(m);
	if (!rc)
		rc = limits_read(m);
	if (!rc)
		rc = map_read(m);
	if (rc)
		return rc;
	macros_suggest(m);
	rc = expressions_check(m);
	return rc ? rc : macros_check(m, cell);
}

int condor_read(struct reader *r)
{
	struct macros m = { .conf = &r->cell->condor, .report = r->report, .dir = r->dir };
	int rc = condor_defaults(m.conf);

	if (!rc)
		rc = macros_read(&m);
	if (!rc)
		rc = macros_take(&m, r->cell);
	macros_free(&m);
	return rc == 0 || rc == -ENOENT ? userprio_read(r) : rc;
}
