/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A misspelt name means that the macro silently keeps its default. What nobody asks for and what
 * differs from a name of the table by a letter or two was probably meant to be that. So it is with
 * an attribute that the negotiation alone sets: misspelt it is undefined, and nobody is preempted.
 */
#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"
#include "conf/nearest.h"

enum {
	NAME_LEAST = 8,			/* bytes; shorter ones look like each other anyway */
	CHANGES_MOST = 2,
	MACROS_MOST = 10000,		/* that are looked at */
};

static bool is_alike(const char *name, const char *known)
{
	return strlen(name) >= NAME_LEAST && strlen(known) >= NAME_LEAST && nearest_changes(name, known) <= CHANGES_MOST;
}

static const struct macro_parameter *alike(const char *name)
{
	for (const struct macro_parameter *p = macro_parameters; p < macro_parameters + macro_parameters_count; p++)
		if (is_alike(name, p->name))
			return p;
	return NULL;
}

/* Does any macro's text ask for it? Then it is one of the site's own. */
static bool is_asked_for(const struct macros *m, const char *name)
{
	size_t n = strlen(name);

	for (const struct macro *other = m->items; other < m->items + m->n; other++)
		for (const char *at = other->text; (at = strstr(at, "$(")); at += 2)
			if (strncasecmp(at + 2, name, n) == 0 && strchr(":)", at[2 + n]))
				return true;
	return false;
}

void macros_suggest(const struct macros *m)
{
	for (size_t i = 0; i < m->n && i < MACROS_MOST; i++) {
		const struct macro *macro = &m->items[i];
		const char *dot = strchr(macro->name, '.'), *name = dot ? dot + 1 : macro->name;
		const struct macro_parameter *p = macro->used || !macro->place.file || macro_parameter_find(name) ? NULL : alike(name);

		if (p && !is_asked_for(m, macro->name))
			macros_report(m, WARNING, macro->place, "%.60s found, which is no macro that counts: is %s meant? It keeps its "
				      "value", macro->name,
				      p->name);
	}
}

/* What only the negotiation sets, and what looks like one of these and is another. */
static const char *const set_by_negotiation[] = {
	"RemoteUserPrio", "RemoteUserResourcesInUse", "RemoteGroupResourcesInUse", "RemoteGroupQuota", "RemoteNegotiatingGroup",
	"RemoteAutoregroup", "SubmitterUserPrio", "SubmittorPrio", "SubmitterUserResourcesInUse", "SubmitterGroup",
	"SubmitterGroupResourcesInUse", "SubmitterGroupQuota", "SubmitterNegotiatingGroup", "SubmitterAutoregroup",
	"EnteredCurrentState", "EnteredCurrentStatus", "RemoteGroup", "RemoteOwner", "RemoteUser",
};

#define SET_BY_NEGOTIATION (sizeof(set_by_negotiation) / sizeof(*set_by_negotiation))

static const char *attribute_alike(const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < SET_BY_NEGOTIATION; i++) {
		if (strcasecmp(name, set_by_negotiation[i]) == 0)
			return NULL;
		if (!found && is_alike(name, set_by_negotiation[i]))
			found = set_by_negotiation[i];
	}
	return found;
}

static int attributes_suggest_in(const struct macros *m, const char *parameter, const struct condor_expression *e)
{
	struct classad_names mine = { 0 }, theirs = { 0 };
	bool time = false;
	int rc = e->program ? classad_references(e->program, NULL, &mine, &theirs, &time) : 0;

	for (size_t i = 0; !rc && i < mine.n + theirs.n; i++) {
		const char *name = i < mine.n ? mine.items[i] : theirs.items[i - mine.n];
		const char *meant = i < mine.n || !classad_names_have(&mine, name) ? attribute_alike(name) : NULL;

		if (meant)
			macros_report(m, WARNING, macro_parameter_place(m, parameter), "%s: attribute %.60s found: is %s meant? Where no slot "
				      "and no job has it, it is undefined", parameter, name, meant);
	}
	classad_names_free(&mine);
	classad_names_free(&theirs);
	return rc;
}

int attributes_suggest(const struct macros *m)
{
	int rc = attributes_suggest_in(m, "PREEMPTION_REQUIREMENTS", &m->conf->preemption_requirements);

	return rc ? rc : attributes_suggest_in(m, "PREEMPTION_RANK", &m->conf->preemption_rank);
}
