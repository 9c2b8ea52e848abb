/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of jobs for HTCondor's negotiation, as events report and change them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/mirror/inside.h"

#define ALL_ATTRIBUTES (((1u << CONDOR_ATTRIBUTES) - 1) * CONDOR_REQUIREMENTS)
#define ACCOUNTING_GROUP "AccountingGroup"

static bool is_given(const struct condor_spec *spec, uint32_t members)
{
	return spec->given & members;
}

/* Return the text of a member that is set and not empty, otherwise NULL. */
static const char *said(const struct condor_spec *spec, uint32_t member, const char *text)
{
	return is_given(spec, member) && text && *text ? text : NULL;
}

/* Checks */

/* Check a member that is a text. Such texts are written into ads unchanged, in double quotes. */
static int check_text(const char *member, const char *text, const char *others, const char *allowed,
		      struct error *error)
{
	const char *p = text ? text : "";

	while (isalnum((unsigned char)*p) || (*p && strchr(others, *p)))
		p++;
	return *p ? error_set(error, -EINVAL, "%s: \"%.60s\": allowed is %s", member, text, allowed) : 0;
}

/* Check a part of a submitter's name. The name and its parts have no white space. */
static int check_name(const char *member, const char *name, struct error *error)
{
	const char *p = name ? name : "";

	while (*p && !isspace((unsigned char)*p))
		p++;
	return *p ? error_set(error, -EINVAL, "%s: \"%.60s\" contains white space", member, name) : 0;
}

static int check_names(const struct condor_spec *spec, struct error *error)
{
	int rc = check_name("accounting_group", said(spec, CONDOR_ACCOUNTING_GROUP, spec->accounting_group), error);

	if (rc == 0)
		rc = check_name("accounting_group_user",
				said(spec, CONDOR_ACCOUNTING_GROUP_USER, spec->accounting_group_user), error);
	if (rc == 0)
		rc = check_name("uid_domain", said(spec, CONDOR_UID_DOMAIN, spec->uid_domain), error);
	if (rc == 0 && said(spec, CONDOR_UID_DOMAIN, spec->uid_domain) && strchr(spec->uid_domain, '@'))
		rc = error_set(error, -EINVAL, "uid_domain: \"%.60s\" contains an @", spec->uid_domain);
	return rc;
}

static int check_texts(const struct condor_spec *spec, struct error *error)
{
	static const char limits[] = "a list of NAME[.SUB][:UNITS] separated by commas",
			  signals[] = "a signal's name or number";
	int rc = check_text("concurrency_limits", said(spec, CONDOR_CONCURRENCY_LIMITS, spec->concurrency_limits),
			    "_.:, ", limits, error);

	if (rc == 0)
		rc = check_text("kill_sig", said(spec, CONDOR_KILL_SIG, spec->kill_sig), "+-", signals, error);
	if (rc == 0)
		rc = check_text("remove_kill_sig", said(spec, CONDOR_REMOVE_KILL_SIG, spec->remove_kill_sig), "+-",
				signals, error);
	return rc == 0 ? check_text("hold_kill_sig", said(spec, CONDOR_HOLD_KILL_SIG, spec->hold_kill_sig), "+-",
				    signals, error)
		       : rc;
}

/* Check AccountingGroup, a string in double quotes. */
static int check_accounting_group(const struct condor_spec *spec, const char *expression, struct error *error)
{
	size_t n = strlen(expression);

	if (said(spec, CONDOR_ACCOUNTING_GROUP, spec->accounting_group) ||
	    said(spec, CONDOR_ACCOUNTING_GROUP_USER, spec->accounting_group_user))
		return error_set(error, -EINVAL,
				 "ad: " ACCOUNTING_GROUP ": cannot be used together with accounting_group");
	if (n < 3 || expression[0] != '"' || expression[n - 1] != '"' || strcspn(expression + 1, "\"\\ \t") != n - 2)
		return error_set(error, -EINVAL,
				 "ad: " ACCOUNTING_GROUP ": allowed is a string, \"group.user\", without white space");
	return 0;
}

/* Check that `ad` has no attribute with a member of its own. */
static int check_ad(const struct condor_spec *spec, struct error *error)
{
	static const struct { const char *name, *member;
	} own[] = {
		{ "AcctGroup", "accounting_group" },
		{ "AcctGroupUser", "accounting_group_user" },
		{ "NiceUser", "nice_user" },
		{ "Requirements", "requirements" },
		{ "Rank", "rank" },
		{ "ConcurrencyLimits", "concurrency_limits" },
		{ "KillSig", "kill_sig" },
		{ "RemoveKillSig", "remove_kill_sig" },
		{ "HoldKillSig", "hold_kill_sig" },
		{ "JobMaxVacateTime", "job_max_vacate_time" },
		{ "MaxJobRetirementTime", "max_job_retirement_time" },
		{ "JobPrio", "job_prio" },
		{ "PreJobPrio1", "pre_job_prio1" },
		{ "PreJobPrio2", "pre_job_prio2" },
		{ "PostJobPrio1", "post_job_prio1" },
		{ "PostJobPrio2", "post_job_prio2" },
		{ "ClusterId", "cluster" },
		{ "ProcId", "proc" },
	};

	for (size_t i = 0; i < spec->ad.n; i++) {
		const char *name = spec->ad.items[i].name;

		for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
			if (strcasecmp(name, own[k].name) == 0)
				return error_set(error, -EINVAL, "ad: %s: use the member \"%s\" instead", own[k].name,
						 own[k].member);
		if (strcasecmp(name, ACCOUNTING_GROUP) == 0 &&
		    check_accounting_group(spec, spec->ad.items[i].expression, error))
			return -EINVAL;
	}
	return 0;
}

int condor_check(const struct condor_spec *spec, struct error *error)
{
	int rc = spec->given ? check_names(spec, error) : 0;

	if (rc == 0 && spec->given)
		rc = check_texts(spec, error);
	return rc == 0 && is_given(spec, CONDOR_AD) ? check_ad(spec, error) : rc;
}

/* Submitter */

static const char *accounting_group_of(const struct condor_spec *spec)
{
	for (size_t i = 0; is_given(spec, CONDOR_AD) && i < spec->ad.n; i++)
		if (strcasecmp(spec->ad.items[i].name, ACCOUNTING_GROUP) == 0)
			return spec->ad.items[i].expression;
	return NULL;
}

/*
 * Choose the event's text or a copy of the old one. Looking up other strings may move the old text.
 */
static int name_choose(const struct mirror *mirror, bool given, const char *text, uint32_t old, const char **name,
		       char **copy)
{
	*name = given ? text : NULL;
	if (given || old == NONE)		/* most jobs have none */
		return 0;
	*name = *copy = strdup(strings_text(mirror->strings, old));
	return *copy ? 0 : -ENOMEM;
}

static const char *nice_group(const struct mirror *mirror)
{
	return mirror->cell->condor.nice_user_group ? mirror->cell->condor.nice_user_group : "nice-user";
}

/* Split "group.sub.user", in double quotes. A name without a dot is an alias of the owner. */
static int names_cut(const char *whole, struct accounting_names *names)
{
	char *text = names->copies[0] = strndup(whole + 1, strlen(whole) - 2), *dot = text ? strrchr(text, '.') : NULL;

	names->user = dot ? dot + 1 : text;
	names->group = dot ? text : NULL;
	if (dot)
		*dot = '\0';
	return text ? 0 : -ENOMEM;
}

int accounting_names_of(const struct mirror *mirror, const struct condor_spec *spec, const struct class_key *old,
			struct accounting_names *names)
{
	static const struct class_key none = { .accounting_group = NONE,
					       .accounting_group_user = NONE,
					       .uid_domain = NONE };
	const char *whole = spec->given ? accounting_group_of(spec) : NULL;

	old = old ? old : &none;
	*names = (struct accounting_names){ 0 };
	if (name_choose(mirror, whole || is_given(spec, CONDOR_ACCOUNTING_GROUP), spec->accounting_group,
			old->accounting_group, &names->group, &names->copies[0]) ||
	    name_choose(mirror, whole || is_given(spec, CONDOR_ACCOUNTING_GROUP_USER), spec->accounting_group_user,
			old->accounting_group_user, &names->user, &names->copies[1]) ||
	    name_choose(mirror, is_given(spec, CONDOR_UID_DOMAIN), spec->uid_domain, old->uid_domain, &names->domain,
			&names->copies[2]))
		return -ENOMEM;
	if (whole)
		return names_cut(whole, names);
	if (!is_given(spec, CONDOR_NICE_USER))
		return 0;
	if (spec->nice_user && !(names->group && *names->group))
		names->group = nice_group(mirror);
	else if (!spec->nice_user && names->group == names->copies[0] && names->group &&
		 strcmp(names->group, nice_group(mirror)) == 0)
		names->group = NULL;
	return 0;
}

void accounting_names_free(struct accounting_names *names)
{
	for (size_t i = 0; i < sizeof(names->copies) / sizeof(*names->copies); i++)
		free(names->copies[i]);
}

/* Ad */

bool condor_changes_ad(const struct condor_spec *spec)
{
	return is_given(spec, ALL_ATTRIBUTES | CONDOR_AD | CONDOR_NICE_USER);
}

struct ad_making {
	struct ad_attribute *items;
	size_t n;
	char *quoted[CONDOR_ATTRIBUTES];
};

static void making_add(struct ad_making *making, const char *name, const char *expression)
{
	making->items[making->n++] = (struct ad_attribute){ name, expression };
}

/* Add the members that are set, and all attributes of `ad`. */
static int add_given(struct ad_making *making, const struct condor_spec *spec)
{
	for (size_t i = 0; i < CONDOR_ATTRIBUTES; i++) {
		const char *text = said(spec, CONDOR_REQUIREMENTS << i, spec->attributes[i]);

		if (text && ad_attribute_is_text(i)) {
			size_t n = strlen(text);
			char *p = making->quoted[i] = malloc(n + 3);

			if (!p)
				return -ENOMEM;
			*p = '"';
			stpcpy(mempcpy(p + 1, text, n), "\"");
			text = p;
		}
		if (text)
			making_add(making, ad_attribute_names[i], text);
	}
	for (size_t i = 0; is_given(spec, CONDOR_AD) && i < spec->ad.n; i++)
		if (strcasecmp(spec->ad.items[i].name, ACCOUNTING_GROUP) != 0)
			making_add(making, spec->ad.items[i].name, spec->ad.items[i].expression);
	return 0;
}

/* Add the old attributes that are not set now. */
static void add_old(struct ad_making *making, const struct condor_spec *spec, const struct ad_attribute *old, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t member = ad_attribute_of(old[i].name);

		if (member < CONDOR_ATTRIBUTES ? !is_given(spec, CONDOR_REQUIREMENTS << member)
					       : !is_given(spec, CONDOR_AD))
			making_add(making, old[i].name, old[i].expression);
	}
}

/* Add the retirement time of a nice user's job, which is 0 unless the job sets one. */
static void add_nice(struct ad_making *making, const struct condor_spec *spec)
{
	for (size_t i = 0; i < making->n; i++)
		if (strcasecmp(making->items[i].name, "MaxJobRetirementTime") == 0)
			return;
	if (is_given(spec, CONDOR_NICE_USER) && spec->nice_user)
		making_add(making, "MaxJobRetirementTime", "0");
}

const char *condor_ad(struct mirror *mirror, const struct condor_spec *spec, uint32_t old, int *rc, struct error *error)
{
	char *text = old == NONE ? NULL : strdup(strings_text(mirror->strings, old));
	struct ad_attribute *items = old == NONE ? NULL : malloc(AD_ATTRIBUTES_MOST * sizeof(*items));
	size_t n = text && items ? ad_text_cut(text, items) : 0;
	struct ad_making making = { .items = malloc(
					    (n + CONDOR_ATTRIBUTES + 1 + (is_given(spec, CONDOR_AD) ? spec->ad.n : 0)) *
					    sizeof(*making.items)) };
	const char *written = NULL;

	*rc = !making.items || (old != NONE && !(text && items)) || add_given(&making, spec)
		      ? error_set(error, -ENOMEM, "out of memory")
		      : 0;
	if (*rc == 0) {
		add_old(&making, spec, items, n);
		add_nice(&making, spec);
		written = ads_write(&mirror->ads, AD_OF_JOB, making.items, making.n, rc, error);
	}
	for (size_t i = 0; i < CONDOR_ATTRIBUTES; i++)
		free(making.quoted[i]);
	free(making.items);
	free(items);
	free(text);
	return written;
}

/* Sort keys among the jobs of a submitter */

bool condor_has_numbers(const struct condor_spec *spec)
{
	return spec->given >= CONDOR_JOB_PRIO;
}

void condor_set_numbers(struct condor_job *job, const struct condor_spec *spec)
{
	job->given |= spec->given & ~(uint32_t)(CONDOR_JOB_PRIO - 1);
	if (is_given(spec, CONDOR_JOB_PRIO))
		job->job_prio = spec->job_prio;
	if (is_given(spec, CONDOR_PRE_JOB_PRIO1))
		job->pre_job_prio1 = spec->pre_job_prio1;
	if (is_given(spec, CONDOR_PRE_JOB_PRIO2))
		job->pre_job_prio2 = spec->pre_job_prio2;
	if (is_given(spec, CONDOR_POST_JOB_PRIO1))
		job->post_job_prio1 = spec->post_job_prio1;
	if (is_given(spec, CONDOR_POST_JOB_PRIO2))
		job->post_job_prio2 = spec->post_job_prio2;
	if (is_given(spec, CONDOR_CLUSTER))
		job->cluster = spec->cluster;
	if (is_given(spec, CONDOR_PROC))
		job->proc = spec->proc;
}
