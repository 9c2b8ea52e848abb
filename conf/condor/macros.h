/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of an HTCondor pool's files to a struct condor_conf. First condor_config:
 *
 *     config.c        lines of a file: assignments and statements; files in files
 *     conditions.c    if, elif, else, endif
 *     local.c         predefined macros, and the files that are read last
 *     table.c         macros as they are written, by name
 *     compiled_in.c   values of macros that are not set
 *     expand.c        expansion of $(...)
 *     parameters.c    the table: every macro that is used, its type, default and range
 *     values.c        the types of that table
 *     groups.c        GROUP_NAMES and the macros of groups
 *     limits.c        macros of concurrency limits
 *     map.c           users that may set factors
 *     suggest.c       unknown names that resemble a known one
 *     expressions.c   calls and attributes that are never intended
 *     check.c         settings that HTCondor accepts and administrators regret
 *
 * then the accountant's state:
 *
 *     userprio.c      choice of the format; customers and slots, by name
 *     attributes.c    their attributes, with types and ranges
 *     long.c          output of condor_userprio -long
 *     log.c           the accountant's own log
 *
 * and functions for other directories: condor.c (defaults, reading everything), find.c (groups,
 * factors, limits).
 *
 * Functions return 0 or -ENOMEM unless their comment differs. Problems go to the report, and
 * reading continues.
 */
#ifndef CONF_CONDOR_MACROS_H
#define CONF_CONDOR_MACROS_H

#include "conf/condor.h"
#include "conf/base/error.h"
#include "conf/reader.h"
#include "conf/text.h"
#include "conf/base/text_set.h"

enum {
	MACRO_NAME_MOST = 255,			/* bytes */
	MACRO_TEXT_MOST = 1 << 20,		/* bytes of a value, as written and as expanded */
	MACRO_TEXTS_MOST = 64 << 20,		/* bytes of all values as written */
	MACRO_DEPTH_MOST = 32,			/* macros in macros */
	MACRO_REFERENCES_MOST = 10000,		/* references in the expansion of one value */
	MACRO_INCLUDE_DEPTH = 16,
	/* most files; limits a tree in which each file includes two others */
	MACRO_FILES_MOST = 1000,
	MACRO_IF_DEPTH = 64,
};

struct macro_place {		/* position in a file, for messages */
	const char *file;	/* borrowed from macros.paths; NULL: no position */
	int line;
};

struct macro {
	char *name;			/* name as first written */
	/* value as written, except that references to itself are replaced */
	char *text;
	struct macro_place place;	/* position of the last definition; none: predefined */
	bool used;			/* read by some part of Fairlead */
};

struct macro_condition {
	struct macro_place place;
	bool counts;			/* the lines from here on are active */
	bool has_counted;		/* some branch was active */
	bool is_last;			/* after else */
	bool around;			/* the lines around the whole condition are active */
};

struct macros {				/* condor_config while it is read */
	struct condor_conf *conf;
	struct report *report;
	const char *dir;		/* directory of the cell */
	/* in lower case; the number of a name is the index of its macro */
	struct text_set names;
	struct macro *items;
	size_t n;			/* number of items */
	size_t bytes;			/* size of their texts */
	char **paths;			/* paths of all files that were read */
	size_t npaths;
	/* files that are being read, each included by the one before */
	const char *open[MACRO_INCLUDE_DEPTH];
	unsigned depth;
	struct macro_condition conditions[MACRO_IF_DEPTH];
	unsigned nconditions;
	struct macro_place at;		/* line that is being read */
};

void __attribute__((format(printf, 4, 5)))
macros_report(const struct macros *macros, enum severity severity, struct macro_place place, const char *format, ...);

/* Statements (config.c, conditions.c, local.c) */

/* Read DIR/condor_config. Returns -ENOENT if it does not exist. */
int macros_read(struct macros *macros);
void macros_free(struct macros *macros);
/* Read a file. `by` is the name of the statement or macro that names the file. */
int macros_file_read(struct macros *macros, const char *path, const char *by, bool may_be_absent);
/* Resolve the path of a file relative to the file that names it. The caller frees it. */
char *macros_path(const struct macros *macros, const char *name);
int macros_predefine(struct macros *macros);
int macros_read_local(struct macros *macros);
/* Handle a line with "if", "elif", "else" or "endif". `*is_one` says whether it was one. */
int condition_read(struct macros *macros, char *line, bool *is_one);
/* Return true if the next line is active. */
bool conditions_count(const struct macros *macros);

/* Macros (table.c) */

int macro_define(struct macros *macros, const char *name, const char *text);
/* Find SUBSYSTEM.NAME, else NAME, else return NULL. Names are case-insensitive. */
const struct macro *macro_find(const struct macros *macros, const char *subsystem, const char *name);
/* Return the text of a macro that is not set, "" if it has none (compiled_in.c). */
const char *macro_compiled_in(const char *subsystem, const char *name);

/* Expansion (expand.c) */

/*
 * Expand a text for `subsystem` into allocated memory. Returns 0, -EINVAL with the reason in
 * `error`, or -ENOMEM. After an error `*expanded` is NULL.
 */
int macro_expand(const struct macros *macros, const char *subsystem, const char *text, char **expanded,
		 struct error *error);
/*
 * Store the value of a macro without surrounding blanks. It is NULL if the macro is not set, is
 * empty (which means the same), or cannot be expanded, which is reported.
 */
int macro_value(const struct macros *macros, const char *subsystem, const struct macro *macro, char **value);

/* Parameters (parameters.c, values.c) */

struct macro_parameter {
	const char *name;
	const char *old_name;		/* used if `name` is not set; NULL: none */
	const char *subsystem;		/* subsystem that uses it; NULL: NEGOTIATOR */
	/*
	 * Set the member to the value. Returns 0, 1 if the value is accepted and `error` has a
	 * consequence to report, -EINVAL with the allowed values in `error`, or -ENOMEM. NULL: the
	 * macro is known but not needed.
	 */
	int (*parse)(const struct macro_parameter *parameter, void *member, const char *value, struct error *error);
	size_t offset;			/* in struct condor_conf */
	const char *fallback;		/* NULL: the member stays 0 */
	/* HTCondor's program has this default, but $(NAME) is empty */
	bool has_no_macro;
	double low, high;		/* range of numbers, inclusive */
	const char *const *words;	/* NULL-terminated */
};

extern const struct macro_parameter macro_parameters[];
extern const size_t macro_parameters_count;

int macro_parameters_read(struct macros *macros);
/* Find a parameter by its name or old name. NULL: unknown. */
const struct macro_parameter *macro_parameter_find(const char *name);
/* Return the macro that sets a parameter, or NULL. */
const struct macro *macro_parameter_macro(const struct macros *macros, const char *name);
/* Return the position of that macro, or of the whole file if it is not set. */
struct macro_place macro_parameter_place(const struct macros *macros, const char *name);
/* Set a member of another object to the value of a macro. Problems go to the report. */
int macro_take(const struct macros *macros, const struct macro *macro, const struct macro_parameter *type, void *member,
	       bool *is_set);

/* Types, with the member that each function sets. */
int macro_real(const struct macro_parameter *parameter, void *member, const char *value,
	       struct error *error); /* double */
int macro_halflife(const struct macro_parameter *parameter, void *member, const char *value,
		   struct error *error); /* double */
int macro_group_factor(const struct macro_parameter *parameter, void *member, const char *value,
		       struct error *error); /* double */
int macro_factor(const struct macro_parameter *parameter, void *member, const char *value,
		 struct error *error); /* double */
int macro_count(const struct macro_parameter *parameter, void *member, const char *value,
		struct error *error); /* uint32_t */
int macro_whole(const struct macro_parameter *parameter, void *member, const char *value,
		struct error *error); /* int32_t */
int macro_bool(const struct macro_parameter *parameter, void *member, const char *value,
	       struct error *error); /* bool */
int macro_text(const struct macro_parameter *parameter, void *member, const char *value,
	       struct error *error); /* char * */
int macro_names(const struct macro_parameter *parameter, void *member, const char *value,
		struct error *error); /* char ** */
int macro_follows(const struct macro_parameter *parameter, void *member, const char *value,
		  struct error *error); /* enum condor_follows */
int macro_switch(const struct macro_parameter *parameter, void *member, const char *value,
		 struct error *error); /* bool, from two words */
/* struct condor_expression */
int macro_expression(const struct macro_parameter *parameter, void *member, const char *value, struct error *error);

void condor_expression_free(struct condor_expression *expression);
void condor_names_free(char **names);		/* NULL-terminated; NULL is a no-op */

/*
 * Return this host's name, followed by `domain` if it has no domain. Returns "" if the host has no
 * name, and NULL if memory is exhausted.
 */
char *condor_host_name(const char *domain);

/* Macros with a name in them, and checks after reading */

int groups_read(struct macros *macros);
int group_root_add(struct condor_conf *conf);
int limits_read(struct macros *macros);
int map_read(struct macros *macros);
void macros_suggest(const struct macros *macros);
/* Return true if at most two letters differ. */
bool macro_name_is_similar(const char *name, const char *known);
int expressions_check(const struct macros *macros);		/* returns 0 or -ENOMEM */
int macros_check(const struct macros *macros, const struct cell *cell);

/* The accountant's state (userprio.c, attributes.c, long.c, log.c) */

enum {
	USERPRIO_NAME_MOST = 1023,		/* bytes of the name of a customer or slot */
	USERPRIO_MOST = 1 << 20,		/* limit on customers, and on slots */
};

struct userprio {			/* DIR/userprio while it is read */
	struct condor_conf *conf;
	struct text text;
	/* The number of a name is its index in the arrays, which also have deleted objects. */
	struct text_set customer_names, slot_names;
	struct condor_customer *customers;
	size_t ncustomers;
	struct condor_resource *resources;
	size_t nresources;
};

struct userprio_attribute {
	const char *name;
	enum { ATTRIBUTE_REAL, ATTRIBUTE_WHOLE, ATTRIBUTE_TRUTH, ATTRIBUTE_TEXT } type;
	size_t offset;			/* in struct condor_customer or struct condor_resource */
	double low, high, absent;	/* range and default of numbers */
};

int userprio_read(struct reader *reader);
/*
 * Find a customer or slot by name and add it if it is new. Returns -EINVAL if the name is invalid,
 * which is reported. A deleted object has no name.
 */
int userprio_customer(struct userprio *userprio, const char *name, struct condor_customer **customer);
int userprio_resource(struct userprio *userprio, const char *name, struct condor_resource **resource);
void __attribute__((format(printf, 3, 4)))
userprio_report(const struct userprio *userprio, enum severity severity, const char *format, ...);

extern const struct userprio_attribute last_update_attribute;		/* in struct condor_conf */
/* NULL: the attribute is not used */
const struct userprio_attribute *customer_attribute(const char *name);
const struct userprio_attribute *resource_attribute(const char *name);
/*
 * Set an attribute from HTCondor's notation: a number, a truth value, or a text in quotes. Returns
 * 0, -EINVAL with the allowed values in `error`, or -ENOMEM.
 */
int attribute_set(const struct userprio_attribute *attribute, void *object, const char *value, struct error *error);
void attribute_unset(const struct userprio_attribute *attribute, void *object);
/*
 * Return a text without its quotes, allocated. Returns NULL if memory is exhausted, or with `*rc`
 * -EINVAL if it is not such a text.
 */
char *attribute_text(const char *value, int *rc);

int long_read(struct userprio *userprio, char *line);
int log_read(struct userprio *userprio, char *line, bool is_cut);
bool log_is_one(const char *line);		/* for the first line of a file */

/* Read DIR/condor_config and DIR/userprio into reader->cell->condor. */
int condor_read(struct reader *reader);

#endif
