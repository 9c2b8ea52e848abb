/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A misspelt name means that the macro silently keeps its default. What nobody asks for and what
 * differs from a name of the table by a letter or two was probably meant to be that. So it is with
 * an attribute that the negotiation alone sets: misspelt it is undefined, and nobody is preempted.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"

enum {
	NAME_MOST = 64,			/* of the table's names and what may look like one, bytes */
	NAME_LEAST = 8,			/* shorter ones look like each other anyway */
	CHANGES_MOST = 2,		/* letters more, less, others, or two of them exchanged */
	MACROS_MOST = 10000,		/* that are looked at */
};

/* How many changes lead from one to the other. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][NAME_MOST + 1], *two = rows[0], *before = rows[1], *row = rows[2], *spare, best;

	for (size_t j = 0; j <= m; j++)
		before[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			best = before[j - 1] + (toupper((unsigned char)a[i - 1]) != toupper((unsigned char)b[j - 1]));
			best = before[j] + 1 < best ? before[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			if (i > 1 && j > 1 && toupper((unsigned char)a[i - 1]) == toupper((unsigned char)b[j - 2]) &&
			    toupper((unsigned char)a[i - 2]) == toupper((unsigned char)b[j - 1]) && two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			row[j] = best;
		}
		spare = two, two = before, before = row, row = spare;
	}
	return before[m];
}

static bool is_alike(const char *name, const char *known)
{
	size_t n = strlen(name), m = strlen(known);

	return n >= NAME_LEAST && n <= NAME_MOST && m >= NAME_LEAST && m <= NAME_MOST && m <= n + CHANGES_MOST && n <= m + CHANGES_MOST &&
	       distance(name, n, known, m) <= CHANGES_MOST;
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
