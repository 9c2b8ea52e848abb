/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a request in the order in which its user has set them. The values are in a C
 * structure, which the forms of the members describe (sched/qmaster/members/members.h). The list
 * and the structure together are the JSON object of the store's column: reading and writing it
 * again yields the same text.
 */
#ifndef SCHED_QMASTER_MEMBERS_MEMBER_LIST_H
#define SCHED_QMASTER_MEMBERS_MEMBER_LIST_H

#include "sched/process/json.h"
#include "sched/qmaster/members/members.h"

struct text_list {
	const char *const *items;
	size_t n;
};

struct variable {
	const char *name, *value;	/* value NULL: the variable is removed; only in changes */
};

struct variables {			/* each name once, in the order of the request */
	const struct variable *items;
	size_t n;
};

enum said { SAID_NOTHING, SAID_NO, SAID_YES };	/* a flag that may be missing */

struct number_list {
	const uint32_t *items;
	size_t n;
};

struct listed_member {
	const struct event_member *form;	/* NULL: a member that this version does not know */
	const char *name;
	/*
	 * JSON value that the structure does not have exactly, and that is written unchanged: null,
	 * a value of an unknown member or of the wrong form, an integer in place of an expression,
	 * and the attributes of an ad. NULL: the structure has the value.
	 */
	const struct value *kept;
};

/* Zero-initialized. Memory belongs to the `struct taking` of the calls; texts are borrowed. */
struct member_list {
	struct listed_member *items;
	size_t n, capacity;
};

/* A structure: `at` is the place of the member whose form has the offset `begin`. */
struct member_base {
	void *at;
	size_t begin;
};

/* Return the place of a member in its structure. */
static inline void *member_place(struct member_base base, const struct event_member *form)
{
	return (char *)base.at + (form->offset - base.begin);
}

struct listed_member *member_list_find(const struct member_list *list, const char *name);
/* Return the JSON value that is written unchanged, or NULL if there is none. */
const struct value *member_list_kept(const struct member_list *list, const char *name);
/* Set a member, or append it. Returns 0 or -ENOMEM. */
int member_list_put(struct member_list *list, struct taking *taking, struct listed_member member);
void member_list_remove(struct member_list *list, const char *name);
/*
 * Read a value into the structure and set the member. Returns 0; 1 if the value is null or its form
 * is NULL, and is kept; -EINVAL with taking->error if it does not have its form, and is kept;
 * -ENOMEM. A text that does not have its form is in the structure nevertheless, for checks with
 * messages of their own.
 */
int member_list_take(struct member_list *list, struct taking *taking, struct member_base base,
		     const struct event_member *form, const struct value *value);
/* Copy the value of a member from one structure to another. */
void member_copy(struct member_base to, struct member_base from, const struct event_member *form);
/* Return a text in the structure; NULL if the form is not that of a text. */
const char *member_text_in(struct member_base base, const struct event_member *form);
/*
 * Write the members as "name":value, separated by commas, without the braces. Members whose names
 * are in `hidden`, which ends with NULL, are left out. `hidden` may be NULL.
 */
void member_list_write(struct out *out, const struct member_list *list, struct member_base base,
		       const char *const *hidden);

/* Write variables as an object. */
void variables_write(struct out *out, const struct variables *variables);

/* Forms of members that are not in events. */

/* To a const char *, from any string. */
int take_any_text(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct text_list, from an array of strings. */
int take_text_list(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct variables, from an object of strings and nulls. */
int take_variables(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct number_list, from an array of numbers in 1..4294967295. */
int take_number_list(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To an enum said, from a boolean. */
int take_said(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

#endif
