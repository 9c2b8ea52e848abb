/* SPDX-License-Identifier: Apache-2.0 */
/* sge_resource_quota(5): all sets are in one file, each between braces on lines of their own */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/gridengine/quota_rule.h"
#include "conf/gridengine/readers.h"
#include "conf/text.h"

enum set_attribute { NAME, DESCRIPTION, ENABLED, LIMIT, ATTRIBUTES };

static const char *const attributes[ATTRIBUTES] = { "name", "description", "enabled", "limit" };

struct set_place {			/* line of the name of a set */
	const char *name;	/* borrowed from the set; first member, for array_sort() */
	int line;
};

struct rqs {			/* file that is being read */
	struct reader *reader;
	struct text text;
	struct quota_set *set;	/* set whose braces are open, or NULL */
	int begun;		/* first line of the set */
	int line[ATTRIBUTES];	/* lines of its attributes, 0: not found yet */
	struct set_place *places;
	size_t nplaces;
};

static void set_clear(struct quota_set *set)
{
	size_t i;

	for (i = 0; i < set->nrules; i++)
		quota_rule_clear(&set->rules[i]);
	free(set->rules);
	free(set->name);
}

static void rqs_fault(struct rqs *rqs, int line, const char *text)
{
	report_add(rqs->text.report, FAULT, rqs->text.path, line, "%s", text);
}

static int set_begin(struct rqs *rqs)
{
	struct cell *cell = rqs->reader->cell;

	rqs->set = array_add(&cell->quotas, &cell->nquotas, sizeof(*rqs->set));
	rqs->begun = rqs->text.number;
	memset(rqs->line, 0, sizeof(rqs->line));
	return rqs->set ? 0 : -ENOMEM;
}

static int place_add(struct rqs *rqs)
{
	struct set_place *place = array_add(&rqs->places, &rqs->nplaces, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = (struct set_place){ rqs->set->name, rqs->line[NAME] };
	return 0;
}

static int set_end(struct rqs *rqs)
{
	struct cell *cell = rqs->reader->cell;
	int rc = 0;

	if (rqs->set->nrules == 0)
		rqs_fault(rqs, rqs->begun, "the set that begins here has no limit: at least one is needed");
	if (!rqs->line[ENABLED])
		report_add(rqs->text.report, WARNING, rqs->text.path, rqs->begun,
			   "the set that begins here has no \"enabled\": it has no effect");
	if (rqs->set->name) {
		rc = place_add(rqs);
	} else {
		if (!rqs->line[NAME])
			rqs_fault(rqs, rqs->begun,
				  "required attribute \"name\" is missing in the set that begins here");
		set_clear(rqs->set);
		cell->nquotas--;
	}
	rqs->set = NULL;
	return rc;
}

static int name_read(struct rqs *rqs, const char *text)
{
	struct error error;

	if (name_check(text, &error)) {
		rqs_fault(rqs, rqs->text.number, error.text);
		return 0;
	}
	rqs->set->name = strdup(text);
	return rqs->set->name ? 0 : -ENOMEM;
}

static int attribute_read(struct rqs *rqs, enum set_attribute attribute, char *text)
{
	switch (attribute) {
	case NAME:
		return name_read(rqs, text);
	case LIMIT:
		return quota_rule_read(rqs->reader, &rqs->text, rqs->set, text);
	case ENABLED:
		if (number_bool(text, &rqs->set->enabled))
			report_add(rqs->text.report, FAULT, rqs->text.path, rqs->text.number,
				   "error parsing value \"%.60s\" of enabled: TRUE or FALSE is allowed", text);
		return 0;
	default:
		return 0;
	}
}

static int line_read(struct rqs *rqs, char *line)
{
	char *text = text_value(line);
	enum set_attribute a = 0;

	while (a < ATTRIBUTES && strcmp(line, attributes[a]))
		a++;
	if (a == ATTRIBUTES) {
		report_add(rqs->text.report, FAULT, rqs->text.path, rqs->text.number,
			   "\"%.60s\" found: name, description, enabled, limit and \"}\" are allowed", line);
		return 0;
	}
	if (a != LIMIT && rqs->line[a]) {
		report_add(rqs->text.report, FAULT, rqs->text.path, rqs->text.number,
			   "attribute \"%s\" appears more than once in the set (first in line %d)", line, rqs->line[a]);
		return 0;
	}
	rqs->line[a] = rqs->text.number;
	return attribute_read(rqs, a, text);
}

/* End a set without a "}". Its other faults are still found. */
static int set_break(struct rqs *rqs)
{
	rqs_fault(rqs, rqs->begun, "the set that begins here has no \"}\"");
	return set_end(rqs);
}

static int brace_read(struct rqs *rqs, const char *line)
{
	int rc = 0;

	if (line[1])
		report_add(rqs->text.report, FAULT, rqs->text.path, rqs->text.number,
			   "\"%.60s\" found after a brace: a brace has a line of its own",
			   line + 1 + strspn(line + 1, " \t"));
	if (*line == '{') {
		if (rqs->set)
			rc = set_break(rqs);
		return rc ? rc : set_begin(rqs);
	}
	if (rqs->set)
		return set_end(rqs);
	rqs_fault(rqs, rqs->text.number, "\"}\" found without a set that it ends");
	return 0;
}

static int rqs_line(struct rqs *rqs, char *line)
{
	if (*line == '{' || *line == '}')
		return brace_read(rqs, line);
	if (rqs->set)
		return line_read(rqs, line);
	report_add(rqs->text.report, FAULT, rqs->text.path, rqs->text.number,
		   "\"%.60s\" found outside of a set: \"{\" is allowed", line);
	return 0;
}

static void rqs_check_unique(struct rqs *rqs)
{
	const struct set_place *a, *b;
	size_t i;

	array_sort(rqs->places, rqs->nplaces, sizeof(*rqs->places));
	for (i = 1; i < rqs->nplaces; i++) {
		a = &rqs->places[i - 1];
		b = &rqs->places[i];
		if (!strcmp(a->name, b->name))
			report_add(rqs->text.report, FAULT, rqs->text.path, a->line > b->line ? a->line : b->line,
				   "there is a set \"%s\" already, in line %d", a->name,
				   a->line < b->line ? a->line : b->line);
	}
}

static int rqs_read_file(struct reader *reader, const char *path)
{
	struct rqs rqs = { .reader = reader };
	int rc = text_open(&rqs.text, path, reader->report);
	char *line;

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	while (!rc && (line = text_line(&rqs.text)))
		rc = rqs_line(&rqs, line);
	if (!rc && rqs.set)
		rc = set_break(&rqs);
	rqs_check_unique(&rqs);
	free(rqs.places);
	text_close(&rqs.text);
	return rc;
}

int rqs_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "rqs");
	int rc = path ? rqs_read_file(reader, path) : -ENOMEM;

	free(path);
	return rc;
}

void rqs_free(struct cell *cell)
{
	size_t i;

	for (i = 0; i < cell->nquotas; i++)
		set_clear(&cell->quotas[i]);
	free(cell->quotas);
}
