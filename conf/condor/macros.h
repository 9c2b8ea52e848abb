/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an HTCondor pool's files become a struct condor_conf. condor_config first:
 *
 *     config.c        lines of a file: assignments, and what stands between them; files in files
 *     conditions.c    if, elif, else, endif
 *     local.c         what is there before the first line, and the files that are read last
 *     table.c         macros as they are written, by name
 *     compiled_in.c   values of macros that are not set
 *     expand.c        what $(...) comes to
 *     parameters.c    the table: every macro that counts, its type, default and range
 *     values.c        the types of that table
 *     groups.c        GROUP_NAMES and the macros of groups
 *     limits.c        macros of concurrency limits
 *     map.c           who may set factors
 *     suggest.c       names that look like one of them and are none
 *     expressions.c   calls and attributes that can't be what was meant
 *     check.c         what HTCondor takes, and what people regret
 *
 * then the accountant's state:
 *
 *     userprio.c      which of the two it is; customers and slots, by name
 *     attributes.c    their attributes, with types and ranges
 *     long.c          what condor_userprio -long prints
 *     log.c           the accountant's own log
 *
 * and what others ask for: condor.c (defaults, the end of it all), find.c (groups, factors,
 * limits).
 *
 * Functions return 0 or -ENOMEM unless they say otherwise; what is wrong goes to the report, and
 * the next thing is read.
 */
#ifndef CONF_CONDOR_MACROS_H
#define CONF_CONDOR_MACROS_H

#include "conf/condor.h"
#include "conf/error.h"
#include "conf/reader.h"
#include "conf/text.h"
#include "conf/text_set.h"

enum {
	MACRO_NAME_MOST = 255,			/* bytes */
	MACRO_TEXT_MOST = 1 << 20,		/* bytes of a value, as written and as expanded */
	MACRO_TEXTS_MOST = 64 << 20,		/* of all as written */
	MACRO_DEPTH_MOST = 32,			/* of macros in macros */
	MACRO_REFERENCES_MOST = 10000,		/* that one value may come to */
	MACRO_INCLUDE_DEPTH = 16,
	MACRO_FILES_MOST = 1000,		/* or files that include two each would multiply */
	MACRO_IF_DEPTH = 64,
};

struct macro_place {		/* where something stands, for messages */
	const char *file;	/* borrowed from macros.paths; NULL: nowhere */
	int line;
};

struct macro {
	char *name;			/* as first written */
	char *text;			/* as written, but for references to itself */
	struct macro_place place;	/* of the last one; nowhere: predefined */
	bool used;			/* something here has asked for it */
};

struct macro_condition {
	struct macro_place place;
	bool counts;			/* the lines from here on */
	bool has_counted;		/* some branch did */
	bool is_last;			/* behind else */
	bool around;			/* what is around all of it counts */
};

struct macros {				/* condor_config being read */
	struct condor_conf *conf;
	struct report *report;
	const char *dir;		/* the cell's */
	struct text_set names;		/* in lower case; a name's number is its macro's place */
	struct macro *items;
	size_t n;			/* of items */
	size_t bytes;			/* of their texts */
	char **paths;			/* of all files read */
	size_t npaths;
	const char *open[MACRO_INCLUDE_DEPTH];		/* those that include each other now */
	unsigned depth;
	struct macro_condition conditions[MACRO_IF_DEPTH];
	unsigned nconditions;
	struct macro_place at;		/* the line that is being read */
};

void __attribute__((format(printf, 4, 5)))
macros_report(const struct macros *macros, enum severity severity, struct macro_place place, const char *format, ...);

/* Statements (config.c, conditions.c, local.c) */

int macros_read(struct macros *macros);		/* DIR/condor_config; -ENOENT: there is none */
void macros_free(struct macros *macros);
/* One file, which `by`, the name of a statement or macro, names. */
int macros_file_read(struct macros *macros, const char *path, const char *by, bool may_be_absent);
/* A file's path as seen from the one that names it; allocated. */
char *macros_path(const struct macros *macros, const char *name);
int macros_predefine(struct macros *macros);
int macros_read_local(struct macros *macros);
/* Is it "if", "elif", "else" or "endif"? Then it is done. */
int condition_read(struct macros *macros, char *line, bool *is_one);
bool conditions_count(const struct macros *macros);	/* does the next line? */

/* Macros (table.c) */

int macro_define(struct macros *macros, const char *name, const char *text);
/* SUBSYSTEM.NAME, else NAME; NULL: neither. Names in any case. */
const struct macro *macro_find(const struct macros *macros, const char *subsystem, const char *name);
/* compiled_in.c: the text of a macro that is not set; "": it has none. */
const char *macro_compiled_in(const char *subsystem, const char *name);
bool macro_is_named(const char *name, size_t n, const char *other);	/* n bytes, any case */

/* Expansion (expand.c) */

/*
 * What a text comes to, as `subsystem` sees it; allocated. -EINVAL with what is wrong in `e`,
 * -ENOMEM; *expanded is NULL then.
 */
int macro_expand(const struct macros *macros, const char *subsystem, const char *text, char **expanded,
		 struct error *error);
/*
 * The value of a macro, without blanks around. NULL if it is not set, or empty, which is the same,
 * or can't be expanded: that goes to the report.
 */
int macro_value(const struct macros *macros, const char *subsystem, const struct macro *macro, char **value);

/* Parameters (parameters.c, values.c) */

struct macro_parameter {
	const char *name;
	const char *old_name;		/* counts where the other one is not set; NULL: none */
	const char *subsystem;		/* whose it is; NULL: NEGOTIATOR */
	/*
	 * Puts the value into its member. 1: it is taken, and `e` has what follows from it; -EINVAL
	 * with what is allowed in `e`; -ENOMEM. NULL: the macro is known, but nothing here needs
	 * it.
	 */
	int (*parse)(const struct macro_parameter *parameter, void *member, const char *value, struct error *error);
	size_t offset;			/* in struct condor_conf */
	const char *fallback;		/* NULL: the member stays 0 */
	/* HTCondor's program knows that default, and $(NAME) is empty all the same */
	bool has_no_macro;
	double low, high;		/* of numbers, both included */
	const char *const *words;	/* NULL-terminated */
};

extern const struct macro_parameter macro_parameters[];
extern const size_t macro_parameters_count;

int macro_parameters_read(struct macros *macros);
const struct macro_parameter *macro_parameter_find(const char *name);	/* or its old name; NULL: none */
/* The macro that sets a parameter; NULL: none. */
const struct macro *macro_parameter_macro(const struct macros *macros, const char *name);
/* The place of that; of the whole file if there is none. */
struct macro_place macro_parameter_place(const struct macros *macros, const char *name);
/* A value goes into a member of another object, and what is wrong with it to the report. */
int macro_take(const struct macros *macros, const struct macro *macro, const struct macro_parameter *type, void *member,
	       bool *is_set);

/* Types: the member that each of them fills. */
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
		  struct error *error); /* its enum */
int macro_switch(const struct macro_parameter *parameter, void *member, const char *value,
		 struct error *error); /* bool: two words */
/* struct condor_expression */
int macro_expression(const struct macro_parameter *parameter, void *member, const char *value, struct error *error);

void condor_expression_free(struct condor_expression *expression);
void condor_names_free(char **names);		/* NULL-terminated; NULL is a no-op */

/* This host's name, with `domain` behind it if it has none; "": there is none. NULL: no memory. */
char *condor_host_name(const char *domain);

/* What has a name in it, and what comes behind all of it */

int groups_read(struct macros *macros);
int group_root_add(struct condor_conf *conf);
int limits_read(struct macros *macros);
int map_read(struct macros *macros);
void macros_suggest(const struct macros *macros);
bool macro_name_is_alike(const char *name, const char *known);		/* a letter or two differ */
int expressions_check(const struct macros *macros);		/* -ENOMEM */
int macros_check(const struct macros *macros, const struct cell *cell);

/* The accountant's state (userprio.c, attributes.c, long.c, log.c) */

enum {
	USERPRIO_NAME_MOST = 1023,		/* bytes of a customer's or a slot's name */
	USERPRIO_MOST = 1 << 20,		/* customers; slots */
};

struct userprio {			/* DIR/userprio being read */
	struct condor_conf *conf;
	struct text text;
	/* a name's number is its place in these, which hold what is deleted, too */
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
	double low, high, absent;	/* of numbers */
};

int userprio_read(struct reader *reader);
/*
 * The one of that name, made if there is none: -EINVAL, which is in the report, if it can't be one.
 * A deleted one has no name.
 */
int userprio_customer(struct userprio *userprio, const char *name, struct condor_customer **customer);
int userprio_resource(struct userprio *userprio, const char *name, struct condor_resource **resource);
void __attribute__((format(printf, 3, 4)))
userprio_report(const struct userprio *userprio, enum severity severity, const char *format, ...);

extern const struct userprio_attribute last_update_attribute;		/* of struct condor_conf */
const struct userprio_attribute *customer_attribute(const char *name);	/* NULL: none that counts */
const struct userprio_attribute *resource_attribute(const char *name);
/*
 * As HTCondor writes it: a number, a truth, or a text in quotes. -EINVAL with what is allowed,
 * -ENOMEM.
 */
int attribute_set(const struct userprio_attribute *attribute, void *object, const char *value, struct error *error);
void attribute_unset(const struct userprio_attribute *attribute, void *object);
/* A text in quotes, without them; allocated. NULL: no memory, or with *rc -EINVAL no such text. */
char *attribute_text(const char *value, int *rc);

int long_read(struct userprio *userprio, char *line);
int log_read(struct userprio *userprio, char *line, bool is_cut);
bool log_is_one(const char *line);		/* the first line of a file */

/* All of it: DIR/condor_config and DIR/userprio into r->cell->condor. */
int condor_read(struct reader *reader);

#endif
