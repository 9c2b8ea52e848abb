/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of JSON values to the C values of the mirror, by table. One line for each member has
 * its name, type, range and destination.
 *
 *     static const struct event_member host_members[] = {           sorted by name
 *             { "available", take_bool, offsetof(struct event, available), REQUIRED },
 *             { "host", take_name, offsetof(struct event, host), REQUIRED },
 *     };
 *     members_take(&taking, host_members, 2, REQUIRED, object, &event);
 *
 * A member that is absent or null leaves its destination unchanged. A member that is not in the
 * table is ignored; its name is kept so that a caller can report it. Strings belong to the values.
 * Arrays belong to `taking` until taking_clear().
 */
#ifndef SCHED_QMASTER_MEMBERS_MEMBERS_H
#define SCHED_QMASTER_MEMBERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/members/reply_reason.h"
#include "sched/qmaster/members/values.h"

#define TIME_MAX_S 9007199254740991		/* 2^53 - 1: exact in every JSON reader */
#define NAME_BYTES 512				/* longest name of any object */
#define USAGE_MAX 1e30				/* small enough that sums stay finite */

#define GIVEN_FAMILIES 3
/* Bit of a member in a family of up to 32 members. */
#define GIVEN_BIT(family, bit) ((uint64_t)(family) << 32 | (bit))

struct taking_block;

struct taking {			/* state of reading one event */
	struct taking_block *blocks;	/* arrays, freed together */
	/* The `bit`s of the members that were found at all levels, by family. */
	uint32_t given[GIVEN_FAMILIES];
	/* Name of the first member, at any level, that is in no table. NULL: none. */
	const char *unknown;
	struct error error;	/* "granted: entry 2: slots: 0 is not in 1..4294967295" */
	/* Kind of the refusal of a job, set by its checks. The object is in `blocks`. */
	struct refusal_reason refusal;
};

enum presence {
	OPTIONAL,
	REQUIRED,		/* required, except in a partial object */
	KEY,			/* required, unless the caller knows it */
	ALWAYS,
};

struct event_member {
	const char *name;
	int (*take)(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
	size_t offset;
	enum presence due;
	int64_t min, max;	/* for take_u32, take_i32, take_i64 */
	uint64_t bit;		/* GIVEN_BIT(), or a bit of the first family; 0: not recorded */
};

/*
 * Convert all members of an object according to the table, to offsets from `to`. Members whose
 * `due` is at least `due` are required. Returns 0, -EINVAL or -ENOMEM with taking->error.
 */
int members_take(struct taking *taking, const struct event_member *table, size_t n, enum presence due,
		 const struct value *object, void *to);

void taking_clear(struct taking *taking);

int take_u32(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_i32(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_i64(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_bool(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* Printable text. */
int take_text(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* Printable text of 1 to NAME_BYTES bytes. */
int take_name(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_name_or_none(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* take_instance: queue@host. take_slot: slot@machine; a slot may contain more "@". */
int take_slot(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_instance(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_task_state(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_letters(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_pe_range(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct ranges that the caller frees. */
int take_ranges(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* To a struct job_spec. */
int take_error(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* lists.c */
/* To struct ranges[HOLD_KINDS]. */
int take_hold(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct job_spec. */
int take_hold_jid(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct task_names, from [[17,1],...]. */
int take_task_names(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_hold_jid_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct grants. */
int take_granted(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a double in 0..USAGE_MAX. */
int take_amount(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct usage_values. */
int take_usage(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct object_usage. */
int take_debited(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct object_usage. */
int take_projects(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* To a struct load_reports. */
int take_load(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* To a struct calendar_changes. */
int take_state_changes(struct taking *taking, const struct event_member *member, const struct value *value, void *to);

/* resume.c */
/* To a double of any value. */
int take_real(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* Members of a struct task_values, all read with take_real(). */
extern const struct event_member task_value_members[];
extern const size_t ntask_value_members;
/* To a const struct task_values *. */
int take_task_values(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct request_allocated. */
int take_allocated(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct debited_event. */
int take_debited_tasks(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To int32_t[3]. */
int take_range_costs(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a struct scheduler_event. */
int take_removed(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a const struct association_values *. */
int take_association_values(struct taking *taking, const struct event_member *member, const struct value *value,
			    void *to);

/* condor.c */
/* To a struct ad_attributes, from an object of values or {"expr": text}. */
int take_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/* To a const char *, from a whole number or an expression. */
int take_expression(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
/*
 * Conversion to enum vacated_how and enum customer_edit_kind, and back to names. NULL: no such
 * value.
 */
int take_how(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
int take_edit(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
const char *vacated_how_name(uint32_t how);
const char *customer_edit_name(uint32_t kind);

/* Convert an array of objects with the members of `table` to records of `bytes` each. */
int take_records(struct taking *taking, const struct value *value, const struct event_member *table, size_t n,
		 size_t bytes, void **records);
/*
 * Convert an object whose members may have any name. `take` makes an item of `bytes` from each
 * member that is not null.
 */
typedef int named_take(struct taking *taking, const struct value *value, void *item);
int take_named(struct taking *taking, const struct value *value, named_take *take, size_t bytes, void **items,
	       size_t *n);

/* Allocate memory until taking_clear(). Returns NULL with taking->error if memory is exhausted. */
void *taking_array(struct taking *taking, size_t n, size_t bytes_each);

/* Put a prefix and ": " in front of taking->error. Returns rc. */
int taking_inside(struct taking *taking, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Convert a number to the shortest text of 15 to 17 digits that reads back as the same number.
 * NULL: no memory.
 */
char *taking_number(struct taking *taking, const struct value *value);

/* Check that a text is UTF-8 without control characters. */
int taking_printable(struct taking *taking, const char *text);

/* Set an error like "a string is expected, not an array". Returns -EINVAL. */
int taking_wrong_type(struct taking *taking, const char *due, const struct value *value);

#endif
