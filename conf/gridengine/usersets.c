/* SPDX-License-Identifier: Apache-2.0 */
/* access_list(5): access lists and departments */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

static int type_set(struct userset *set, const char *word)
{
	if (!strcasecmp(word, "ACL"))
		set->is_acl = true;
	else if (!strcasecmp(word, "DEPT"))
		set->is_department = true;
	else
		return -EINVAL;
	return 0;
}

/* Set two members of the userset. The field's offset is that of the userset itself. */
static int field_type(const struct field *field, void *member, const char *text, struct error *error)
{
	struct strlist words = { 0 };
	int rc = strlist_parse(&words, text, error);
	size_t i;

	for (i = 0; i < words.n && !rc; i++)
		rc = type_set(member, words.items[i]);
	if (rc == -EINVAL || (!rc && words.n == 0))
		rc = error_set(error, -EINVAL, "error parsing value \"%.30s\" of %s: ACL, DEPT or both are allowed",
			       text, field->name);
	strlist_free(&words);
	return rc;
}

static const struct field table[] = {
	REQUIRED("name", field_name, struct userset, name, NULL),
	{ .name = "type", .parse = field_type, .fallback = "ACL", .required = true },
	REQUIRED("fshare", field_u32, struct userset, fshare, "0"),
	REQUIRED("oticket", field_u32, struct userset, oticket, "0"),
	REQUIRED("entries", field_names, struct userset, entries, "NONE"),
	{ .name = "version" },
};

static void members_check(struct reader *reader)
{
	const struct userset_member *member, *department = NULL;
	size_t i;
	char *path;

	for (i = 0; i < reader->cell->nmembers; i++) {
		member = &reader->cell->members[i];
		if (!member->set->is_department)
			continue;
		if (department && department->set != member->set && !strcmp(department->user, member->user)) {
			path = path_join(reader->dir, "usersets", member->set->name);
			report_add(
				reader->report, WARNING, path ? path : "usersets", 0,
				"user \"%s\" is already in department \"%s\", which is used: a user has one department",
				member->user, department->set->name);
			free(path);
		} else {
			department = member;
		}
	}
}

int members_index(struct reader *reader)
{
	struct cell *cell = reader->cell;
	struct userset_member *member;
	size_t i, j;

	for (i = 0; i < cell->nusersets; i++) {
		for (j = 0; j < cell->usersets[i].entries.n; j++) {
			member = array_add(&cell->members, &cell->nmembers, sizeof(*member));
			if (!member)
				return -ENOMEM;
			*member = (struct userset_member){ cell->usersets[i].entries.items[j], &cell->usersets[i] };
		}
	}
	if (cell->nmembers > 1)
		qsort(cell->members, cell->nmembers, sizeof(*member), member_compare);
	members_check(reader);
	return 0;
}

const struct kind kind_usersets = { KIND("usersets", usersets, struct userset), KIND_TABLE(table) };
