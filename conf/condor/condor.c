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

int condor_defaults(struct condor_conf *conf)
{
	struct error error;
	int rc;

	*conf = (struct condor_conf){ 0 };
	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count; parameter++) {
		rc = parameter->fallback ? parameter->parse(parameter, (char *)conf + parameter->offset,
							    parameter->fallback, &error)
					 : 0;
		assert(rc == 0 || rc == -ENOMEM);
		if (rc)
			return rc;
	}
	conf->uid_domain = condor_host_name("");
	return conf->uid_domain ? group_root_add(conf) : -ENOMEM;
}

static void customers_free(struct condor_conf *conf)
{
	for (size_t i = 0; i < conf->ncustomers; i++)
		free(conf->customers[i].name);
	for (size_t i = 0; i < conf->nresources; i++) {
		free(conf->resources[i].slot);
		free(conf->resources[i].customer);
	}
	free(conf->customers);
	free(conf->resources);
}

void condor_free(struct condor_conf *conf)
{
	void *member;

	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count; parameter++) {
		member = (char *)conf + parameter->offset;
		if (parameter->parse == macro_text)
			free(*(char **)member);
		else if (parameter->parse == macro_names)
			condor_names_free(*(char ***)member);
		else if (parameter->parse == macro_expression)
			condor_expression_free(member);
	}
	for (size_t i = 0; i < conf->ngroups; i++) {
		free(conf->groups[i].name);
		free(conf->groups[i].quota_by);
		free(conf->groups[i].surplus_by);
		free(conf->groups[i].autoregroup_by);
	}
	for (size_t i = 0; i < conf->nlimits; i++)
		free(conf->limits[i].name);
	free(conf->groups);
	free(conf->limits);
	customers_free(conf);
	*conf = (struct condor_conf){ 0 };
}

/* Append DEFAULT_DOMAIN_NAME to the name of a host that has no domain. */
static int full_name_complete(struct macros *macros)
{
	char *domain, *name;
	int rc = macro_value(macros, "NEGOTIATOR", macro_parameter_macro(macros, "DEFAULT_DOMAIN_NAME"), &domain);

	if (rc || !domain)
		return rc;
	name = condor_host_name(domain);
	free(domain);
	macros->at = (struct macro_place){ 0 };
	rc = name ? macro_define(macros, "FULL_HOSTNAME", name) : -ENOMEM;
	free(name);
	return rc;
}

/*
 * Read all macros. The order matters: `follows` is needed for groups, and unused names are checked
 * last.
 */
static int macros_take(struct macros *macros, const struct cell *cell)
{
	int rc = full_name_complete(macros);

	if (!rc)
		rc = macro_parameters_read(macros);
	if (!rc && macros->conf->follows == FOLLOWS_MANUAL &&
	    !macro_parameter_macro(macros, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"))
		macros->conf->oversubscription = false;
	if (!rc)
		rc = groups_read(macros);
	if (!rc)
		rc = limits_read(macros);
	if (!rc)
		rc = map_read(macros);
	if (rc)
		return rc;
	macros_suggest(macros);
	rc = expressions_check(macros);
	return rc ? rc : macros_check(macros, cell);
}

int condor_read(struct reader *reader)
{
	struct macros macros = { .conf = &reader->cell->condor, .report = reader->report, .dir = reader->dir };
	int rc = condor_defaults(macros.conf);

	if (!rc)
		rc = macros_read(&macros);
	if (!rc)
		rc = macros_take(&macros, reader->cell);
	macros_free(&macros);
	return rc == 0 || rc == -ENOENT ? userprio_read(reader) : rc;
}
