/* SPDX-License-Identifier: Apache-2.0 */
/* sge_resource_quota(5): all sets in one file, each between braces that have lines of their own */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/number.h"
#include "conf/gridengine/quota_rule.h"
#include "conf/gridengine/readers.h"
#include "conf/text.h"

enum set_attribute { NAME, DESCRIPTION, ENABLED, LIMIT, ATTRIBUTES };

static const char *const attributes[ATTRIBUTES] = { "name", "description", "enabled", "limit" };

struct set_place {			/* where a set has its name */
	const char *name;	/* borrowed from the set; first, for array_sort() */
	int line;
};

struct rqs {			/* the file being read */
	struct reader *reader;
	struct text text;
	struct quota_set *set;	/* whose braces are open, or NULL */
	int begun;		/* its first line */
	int line[ATTRIBUTES];	/* where it has them, 0: not yet */
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

static void rqs_fault(struct rqs *q, int line, const char *text)
{
	report_add(q->text.report, FAULT, q->text.path, line, "%s", text);
}

static int set_begin(struct rqs *q)
{
	struct cell *cell = q->reader->cell;

	q->set = array_add(&cell->quotas, &cell->nquotas, sizeof(*q->set));
	q->begun = q->text.number;
	memset(q->line, 0, sizeof(q->line));
	return q->set ? 0 : -ENOMEM;
}

static int place_add(struct rqs *q)
{
	struct set_place *place = array_add(&q->places, &q->nplaces, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = (struct set_place){ q->set->name, q->line[NAME] };
	return 0;
}

static int set_end(struct rqs *q)
{
	struct cell *cell = q->reader->cell;
	int rc = 0;

	if (q->set->nrules == 0)
		rqs_fault(q, q->begun, "the set that begins here has no limit: at least one is needed");
	if (!q->line[ENABLED])
		report_add(q->text.report, WARNING, q->text.path, q->begun, "the set that begins here lacks \"enabled\": it has no effect");
	if (q->set->name) {
		rc = place_add(q);
	} else {
		if (!q->line[NAME])
			rqs_fault(q, q->begun, "required attribute \"name\" is missing in the set that begins here");
		set_clear(q->set);
		cell->nquotas--;
	}
	q->set = NULL;
	return rc;
}

static int name_read(struct rqs *q, const char *text)
{
	struct error e;

	if (name_check(text, &e)) {
		rqs_fault(q, q->text.number, e.text);
		return 0;
	}
	q->set->name = strdup(text);
	return q->set->name ? 0 : -ENOMEM;
}

static int attribute_read(struct rqs *q, enum set_attribute attribute, char *text)
{
	switch (attribute) {
	case NAME:
		return name_read(q, text);
	case LIMIT:
		return quota_rule_read(q->reader, &q->text, q->set, text);
	case ENABLED:
		if (number_bool(text, &q->set->enabled))
			report_add(q->text.report, FAULT, q->text.path, q->text.number,
				   "error parsing value \"%.60s\" of enabled: TRUE or FALSE is allowed", text);
		return 0;
	default:
		return 0;
	}
}

static int line_read(struct rqs *q, char *line)
{
	char *text = text_value(line);
	enum set_attribute a = 0;

	while (a < ATTRIBUTES && strcmp(line, attributes[a]))
		a++;
	if (a == ATTRIBUTES) {
		report_add(q->text.report, FAULT, q->text.path, q->text.number,
			   "\"%.60s\" found: name, description, enabled, limit and \"}\" are allowed", line);
		return 0;
	}
	if (a != LIMIT && q->line[a]) {
		report_add(q->text.report, FAULT, q->text.path, q->text.number,
			   "attribute \"%s\" appears more than once in the set (first in line %d)", line, q->line[a]);
		return 0;
	}
	q->line[a] = q->text.number;
	return attribute_read(q, a, text);
}

/* Its faults are found all the same. */
static int set_break(struct rqs *q)
{
	rqs_fault(q, q->begun, "the set that begins here has no \"}\"");
	return set_end(q);
}

static int brace_read(struct rqs *q, const char *line)
{
	int rc = 0;

	if (line[1])
		report_add(q->text.report, FAULT, q->text.path, q->text.number, "\"%.60s\" found behind a brace: it has a line of its own",
			   line + 1 + strspn(line + 1, " \t"));
	if (*line == '{') {
		if (q->set)
			rc = set_break(q);
		return rc ? rc : set_begin(q);
	}
	if (q->set)
		return set_end(q);
	rqs_fault(q, q->text.number, "\"}\" found without a set that it ends");
	return 0;
}

static int rqs_line(struct rqs *q, char *line)
{
	if (*line == '{' || *line == '}')
		return brace_read(q, line);
	if (q->set)
		return line_read(q, line);
	report_add(q->text.report, FAULT, q->text.path, q->text.number, "\"%.60s\" found outside of a set: \"{\" is allowed", line);
	return 0;
}

static void rqs_check_unique(struct rqs *q)
{
	const struct set_place *a, *b;
	size_t i;

	array_sort(q->places, q->nplaces, sizeof(*q->places));
	for (i = 1; i < q->nplaces; i++) {
		a = &q->places[i - 1];
		b = &q->places[i];
		if (!strcmp(a->name, b->name))
			report_add(q->text.report, FAULT, q->text.path, a->line > b->line ? a->line : b->line,
				   "there is a set \"%s\" already, in line %d", a->name, a->line < b->line ? a->line : b->line);
	}
}

static int rqs_read_file(struct reader *r, const char *path)
{
	struct rqs q = { .reader = r };
	int rc = text_open(&q.text, path, r->report);
	char *line;

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	while (!rc && (line = text_line(&q.text)))
		rc = rqs_line(&q, line);
	if (!rc && q.set)
		rc = set_break(&q);
	rqs_check_unique(&q);
	free(q.places);
	text_close(&q.text);
	return rc;
}

int rqs_read(struct reader *r)
{
	char *path = path_join(r->dir, NULL, "rqs");
	int rc = path ? rqs_read_file(r, path) : -ENOMEM;

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
