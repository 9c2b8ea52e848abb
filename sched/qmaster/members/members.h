/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values into the C values that the mirror wants, by table: one line per member says its name,
 * its type, its range and where it goes.
 *
 *     static const struct event_member host_members[] = {           sorted by name
 *             { "available", take_bool, offsetof(struct event, available), REQUIRED },
 *             { "host", take_name, offsetof(struct event, host), REQUIRED },
 *     };
 *     members_take(&taking, host_members, 2, REQUIRED, object, &event);
 *
 * A member that is absent or null leaves its place as it is; one that is not in the table is
 * ignored, and its name kept for whoever wants to tell. Strings are those of the values; arrays lie
 * in
 * `taking`, until taking_clear().
 */
#ifndef SCHED_QMASTER_MEMBERS_MEMBERS_H
#define SCHED_QMASTER_MEMBERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/members/values.h"

#define TIME_MAX_S 9007199254740991		/* 2^53 - 1: exact in every JSON reader */
#define NAME_BYTES 512				/* longest name of anything */
#define USAGE_MAX 1e30				/* so that no sum becomes infinite */

#define GIVEN_FAMILIES 3
/* a bit of a family of members, of which each may have 32 */
#define GIVEN_BIT(family, bit) ((uint64_t)(family) << 32 | (bit))

struct taking_block;

struct taking {			/* of one event */
	struct taking_block *blocks;	/* arrays, given back together */
	/* `bit`s of the members that were there, at all levels, by family */
	uint32_t given[GIVEN_FAMILIES];
	/* the first member, at any level, that no table has; NULL: there is none */
	const char *unknown;
	struct error error;	/* "granted: entry 2: slots: 0 is not in 1..4294967295" */
};

enum presence {
	OPTIONAL,
	REQUIRED,		/* but not in a partial object */
	KEY,			/* but where the caller knows it */
	ALWAYS,
};

struct event_member {
	const char *name;
	int (*take)(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
	size_t offset;
	enum presence due;
	int64_t min, max;	/* take_u32, take_i32, take_i64 */
	uint64_t bit;		/* GIVEN_BIT(), or one of the first family; 0: nobody asks */
};

/*
 * All members of an object to where the table says, relative to `to`. Those that are at least as
 * due as `due` must be there. 0, -EINVAL or -ENOMEM with t->error.
 */
int members_take(struct taking *taking, const struct event_member *table, size_t n, enum presence due,
		 const struct value *object, void *to);

void taking_clear(struct taking *taking);

int take_u32(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_i32(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_i64(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_bool(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* printable */
int take_text(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* and 1..NAME_BYTES long */
int take_name(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_name_or_none(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* queue@host; slot@machine, which may have more of @ */
int take_slot(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_instance(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_task_state(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_letters(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_pe_range(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* struct ranges, caller frees */
int take_ranges(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* into struct job_spec */
int take_error(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* lists.c */
/* struct ranges[HOLD_KINDS] */
int take_hold(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* into struct job_spec */
int take_hold_jid(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* struct task_names, from [[17,1],...] */
int take_task_names(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_hold_jid_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* struct grants */
int take_granted(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* double, 0..USAGE_MAX */
int take_amount(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* struct usage_values */
int take_usage(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* into struct object_usage */
int take_debited(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* the same */
int take_projects(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* struct load_reports */
int take_load(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* struct calendar_changes */
int take_state_changes(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* resume.c */
/* double, any */
int take_real(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* of a struct task_values, all of them take_real */
extern const struct event_member task_value_members[];
extern const size_t ntask_value_members;
/* const struct task_values * */
int take_task_values(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* struct request_allocated */
int take_allocated(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* into struct debited_event */
int take_debited_tasks(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* int32_t[3] */
int take_range_costs(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* into struct scheduler_event */
int take_removed(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* const struct association_values * */
int take_association_values(struct taking *taking, const struct event_member *member, const struct value *value,
			    void *to);

/* condor.c */
/* struct ad_attributes: an object of values, or {"expr": text} */
int take_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* const char *: a whole number, or an expression */
int take_expression(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* enum vacated_how, enum customer_edit_kind, and their names; NULL: it has none */
int take_how(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_edit(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
const char *vacated_how_name(uint32_t how);
const char *customer_edit_name(uint32_t kind);

/* An array of objects, each with the members of `table`, into records of `bytes`. */
int take_records(struct taking *taking, const struct value *value, const struct event_member *table, size_t n,
		 size_t bytes, void **records);
/*
 * An object whose members may have any name: `take` makes an item of `bytes` of each that is not
 * null.
 */
typedef int named_take(struct taking *taking, const struct value *value, void *item);
int take_named(struct taking *taking, const struct value *value, named_take *take, size_t bytes, void **items,
	       size_t *n);

/* Memory until taking_clear(); NULL with t->error when there is none. */
void *taking_array(struct taking *taking, size_t n, size_t bytes_each);

/* t->error = "prefix: what it was". Returns rc. */
int taking_inside(struct taking *taking, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * A number as text: the shortest of 15 to 17 digits that reads back as the same one. NULL: no
 * memory.
 */
char *taking_number(struct taking *taking, const struct value *value);

/* No control characters, all of it UTF-8. */
int taking_printable(struct taking *taking, const char *text);

/* "a string is expected, not an array". Returns -EINVAL. */
int taking_wrong_type(struct taking *taking, const char *due, const struct value *value);

#endif
