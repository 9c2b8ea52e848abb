/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "execution" of a request: the command and how it is run. Whether the command exists is not
 * checked here, because it depends on the directory and the PATH of the job.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/members/execution.h"

#define PATH_BYTES 2047		/* two of them and a name make a path that the kernel accepts */
#define ADDRESSES_MOST 16
#define ADDRESS_BYTES 254
#define SESSION_BYTES 255

static bool is_command(const struct value *array)
{
	if (value_size(array) == 0)
		return false;
	value_each(item, array)
		if (item->type != VALUE_STRING)
			return false;
	return *array[1].text;
}

static bool is_environment(const struct value *object)
{
	if (object->type != VALUE_OBJECT)
		return false;
	value_each(value, object)
		if (!*value->name || strchr(value->name, '=') || value->type != VALUE_STRING)
			return false;
	return true;
}

/* Check a context. A null value removes a variable; it is permitted only in changes. */
static bool is_context_with(const struct value *object, bool nulls)
{
	if (object->type != VALUE_OBJECT)
		return false;
	value_each(value, object)
		if (!*value->name || strpbrk(value->name, "=,") ||
		    !(value->type == VALUE_STRING || (nulls && value->type == VALUE_NULL)))
			return false;
	return true;
}

static bool is_context(const struct value *object)
{
	return is_context_with(object, false);
}

static bool are_context_changes(const struct value *object)
{
	return is_context_with(object, true);
}

static bool is_path(const struct value *value)
{
	const char *text = value_text(value);

	return text && *text && strlen(text) <= PATH_BYTES;
}

static bool is_absolute(const struct value *value)
{
	return is_path(value) && *value_text(value) == '/';
}

/* Check a shell, which may begin with $HOME. */
static bool is_shell(const struct value *value)
{
	return is_path(value) && strchr("/$", *value_text(value));
}

static bool is_mask(const struct value *value)
{
	const char *text = value_text(value);

	return text && *text && strspn(text, "01234567") == strlen(text) && strtoul(text, NULL, 8) <= 0777;
}

static bool are_mail_options(const struct value *value)
{
	const char *text = value_text(value);

	return text && *text && (strcmp(text, "n") == 0 || strspn(text, "beas") == strlen(text));
}

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@._+%=-";

/*
 * Check a mail address. It becomes a word of a command line and a line of a message, so only plain
 * characters are permitted.
 */
static bool is_address(const struct value *value)
{
	const char *text = value_text(value);

	return text && *text && *text != '-' && strlen(text) <= ADDRESS_BYTES && strspn(text, plain) == strlen(text);
}

bool execution_is_session(const char *text)
{
	return text && *text && strlen(text) <= SESSION_BYTES && strspn(text, plain) == strlen(text);
}

/* Check the name of a DRMAA session. */
static bool is_session(const struct value *value)
{
	return execution_is_session(value_text(value));
}

static bool are_addresses(const struct value *array)
{
	if (value_size(array) == 0 || value_size(array) > ADDRESSES_MOST)
		return false;
	value_each(item, array)
		if (!is_address(item))
			return false;
	return true;
}

static bool is_text(const struct value *value)
{
	return value->type == VALUE_STRING && value->n > 0;
}

static bool is_flag(const struct value *value)
{
	return value->type == VALUE_TRUE || value->type == VALUE_FALSE;
}

enum presence_of_part { PART_OPTIONAL, PART_FIXED, PART_OF_CHANGES, PART_OF_STORE };

#define PART(member, take) { #member, take, offsetof(struct execution, member), OPTIONAL, 1, UINT32_MAX, 0 }

static const struct execution_part {
	struct event_member form;
	bool (*is)(const struct value *value);
	const char *due;
	/* null removes it; never changed; only in changes; only in the store */
	enum presence_of_part of;
} parts[] = {
	{ PART(command, take_text_list), is_command, "a list of strings is expected, the program first", PART_FIXED },
	{ PART(script, take_any_text), is_text, "the text of a script is expected", PART_FIXED },
	{ PART(shell, take_any_text), is_shell, "an absolute path is expected, of at most 2047 bytes", PART_OPTIONAL },
	{ PART(use_shell, take_bool), is_flag, "true or false is expected", PART_OPTIONAL },
	{ PART(environment, take_variables), is_environment, "an object of strings is expected", PART_OPTIONAL },
	{ PART(context, take_variables), is_context,
	  "an object of strings is expected; names have no = and no commas", PART_OPTIONAL },
	{ PART(context_changes, take_variables), are_context_changes,
	  "an object of strings, or null to remove a variable, is expected; names have no = and no commas",
	  PART_OF_CHANGES },
	{ PART(cwd, take_any_text), is_absolute, "an absolute path is expected, of at most 2047 bytes", PART_OPTIONAL },
	{ PART(umask, take_any_text), is_mask, "octal permissions are expected", PART_OPTIONAL },
	{ PART(join, take_bool), is_flag, "true or false is expected", PART_OPTIONAL },
	{ PART(rerun, take_said), is_flag, "true or false is expected", PART_OPTIONAL },
	{ PART(notify, take_bool), is_flag, "true or false is expected", PART_OPTIONAL },
	{ PART(ends_on_error, take_bool), is_flag, "true or false is expected", PART_OPTIONAL },
	{ PART(session, take_any_text), is_session,
	  "a name is expected, of 1 to 255 letters, digits and @ . _ + % = -", PART_OPTIONAL },
	{ PART(mail_options, take_any_text), are_mail_options, "letters b, e, a and s are expected, or n alone",
	  PART_OPTIONAL },
	{ PART(mail_list, take_text_list), are_addresses,
	  "1 to 16 addresses are expected, each of at most 254 letters, digits and @ . _ + % = -, not beginning with -",
	  PART_OPTIONAL },
	{ PART(stdin_path, take_any_text), is_path, "a path is expected, of at most 2047 bytes", PART_OPTIONAL },
	{ PART(stdout_path, take_any_text), is_path, "a path is expected, of at most 2047 bytes", PART_OPTIONAL },
	{ PART(stderr_path, take_any_text), is_path, "a path is expected, of at most 2047 bytes", PART_OPTIONAL },
	{ PART(after_ok, take_number_list), NULL, "job numbers are expected", PART_OF_STORE },
};

static const struct execution_part *part_find(const char *name, enum execution_source source)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].form.name, name) == 0)
			return (parts[i].of == PART_OF_CHANGES && source != EXECUTION_CHANGES) ||
					       (parts[i].of == PART_OF_STORE && source != EXECUTION_STORED)
				       ? NULL
				       : &parts[i];
	return NULL;
}

static struct member_base base_of(const struct execution *execution)
{
	return (struct member_base){ (void *)execution, 0 };
}

/* Read a member. Returns 0, or -EINVAL with the fault, or -ENOMEM. */
static int part_take(struct execution *execution, struct taking *taking, const struct value *value,
		     enum execution_source source, struct error *error)
{
	const struct execution_part *part = part_find(value->name, source);
	bool is_right = part && (!part->is || part->is(value)),
	     removes = part && value->type == VALUE_NULL && source == EXECUTION_CHANGES && part->of == PART_OPTIONAL;
	int rc = member_list_take(&execution->members, taking, base_of(execution), is_right ? &part->form : NULL,
				  value);

	if (rc == -ENOMEM)
		return error_set(error, rc, "out of memory");
	if (!part)
		return error_set(error, -EINVAL, "execution: \"%.60s\" cannot be requested", value->name);
	return (is_right && rc == 0) || removes
		       ? 0
		       : error_set(error, -EINVAL, "execution: %s: %s", value->name, part->due);
}

int execution_read(struct execution *execution, struct taking *taking, const struct value *object,
		   enum execution_source source, struct error *error)
{
	int rc = 0;

	if (!value_is(object, VALUE_OBJECT))
		return error_set(error, -EINVAL, "execution: an object is expected");
	value_each(value, object) {
		struct error fault;
		int one = part_take(execution, taking, value, source, &fault);

		if (one && !rc)
			*error = fault;
		if (one == -ENOMEM)
			return error_set(error, one, "out of memory");
		rc = rc ? rc : one;
	}
	return rc;
}

int execution_check(const struct execution *execution, struct error *error)
{
	for (size_t i = 0; i < execution->members.n; i++) {
		const char *name = execution->members.items[i].name;

		if (execution->members.items[i].kept)
			return error_set(error, -EINVAL, "execution: \"%.60s\" cannot be requested", name);
	}
	return execution->command.n > 0 ? 0 : error_set(error, -EINVAL, "execution: command: missing");
}

void execution_write(struct out *out, const struct execution *execution, const char *const *hidden)
{
	member_list_write(out, &execution->members, base_of(execution), hidden);
}

/* Alterations */

static void member_reset(struct execution *execution, const char *name)
{
	const struct execution_part *part = part_find(name, EXECUTION_STORED);
	const struct execution none = { 0 };

	member_list_remove(&execution->members, name);
	if (part)
		member_copy(base_of(execution), base_of(&none), &part->form);
}

static int member_set(struct execution *execution, struct taking *taking, const struct execution *from,
		      const struct event_member *form)
{
	member_copy(base_of(execution), base_of(from), form);
	return member_list_put(&execution->members, taking, (struct listed_member){ form, form->name, NULL });
}

static size_t variable_find(const struct variable *items, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(items[i].name, name) != 0)
		i++;
	return i;
}

static int context_change(struct execution *execution, const struct variables *changes, struct taking *taking)
{
	const struct variables *old = &execution->context;
	struct variable *items = taking_array(taking, old->n + changes->n, sizeof(*items));
	struct execution changed = { .context.items = items };
	size_t n = old->n;

	if (!items)
		return -ENOMEM;
	if (n > 0)
		memcpy(items, old->items, n * sizeof(*items));
	for (size_t i = 0; i < changes->n; i++) {
		const struct variable *change = &changes->items[i];
		size_t at = variable_find(items, n, change->name);

		if (change->value) {
			items[at] = *change;
			n += at == n;
		} else if (at < n) {
			memmove(&items[at], &items[at + 1], (--n - at) * sizeof(*items));
		}
	}
	changed.context.n = n;
	return member_set(execution, taking, &changed, &part_find("context", EXECUTION_NEW)->form);
}

int execution_change(struct execution *execution, const struct execution *changes, struct taking *taking)
{
	bool changes_context = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < changes->members.n; i++) {
		const struct listed_member *member = &changes->members.items[i];

		if (value_is(member->kept, VALUE_NULL))
			member_reset(execution, member->name);
		else if (strcmp(member->name, "context_changes") == 0)
			changes_context = true;
		else
			rc = member_set(execution, taking, changes, member->form);
	}
	return rc == 0 && changes_context ? context_change(execution, &changes->context_changes, taking) : rc;
}

int execution_set(struct execution *execution, struct taking *taking, const struct execution *from, const char *name)
{
	return member_set(execution, taking, from, &part_find(name, EXECUTION_CHANGES)->form);
}

int execution_set_null(struct execution *execution, struct taking *taking, const char *name)
{
	static const struct value null_value = { .type = VALUE_NULL, .span = 1 };

	return member_list_put(&execution->members, taking,
			       (struct listed_member){ &part_find(name, EXECUTION_CHANGES)->form, name, &null_value });
}

int execution_set_after_ok(struct execution *execution, struct taking *taking, struct number_list jobs)
{
	const struct execution from = { .after_ok = jobs };

	if (jobs.n > 0)
		return member_set(execution, taking, &from, &part_find("after_ok", EXECUTION_STORED)->form);
	member_reset(execution, "after_ok");
	return 0;
}
