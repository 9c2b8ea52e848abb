/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "execution" of a request: the command and how it is run. Whether the command exists is not
 * checked here, because it depends on the directory and the PATH of the job.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define PATH_BYTES 2047		/* two of them and a name make a path that the kernel accepts */
#define ADDRESSES_MOST 16
#define ADDRESS_BYTES 254
#define SESSION_BYTES 255

static bool is_command(const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
		if (!json_is_string(item))
			return false;
	return json_array_size(array) > 0 && *json_string_value(json_array_get(array, 0));
}

static bool is_environment(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		if (!*name || strchr(name, '=') || !json_is_string(value))
			return false;
	return json_is_object(object);
}

/* Check a context. A null value removes a variable; it is permitted only in changes. */
static bool is_context_with(json_t *object, bool nulls)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		if (!*name || strpbrk(name, "=,") || !(json_is_string(value) || (nulls && json_is_null(value))))
			return false;
	return json_is_object(object);
}

static bool is_context(json_t *object)
{
	return is_context_with(object, false);
}

static bool are_context_changes(json_t *object)
{
	return is_context_with(object, true);
}

static bool is_path(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && *text && strlen(text) <= PATH_BYTES;
}

static bool is_absolute(const json_t *value)
{
	return is_path(value) && *json_string_value(value) == '/';
}

/* Check a shell, which may begin with $HOME. */
static bool is_shell(const json_t *value)
{
	return is_path(value) && strchr("/$", *json_string_value(value));
}

static bool is_mask(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && *text && strspn(text, "01234567") == strlen(text) && strtoul(text, NULL, 8) <= 0777;
}

static bool are_mail_options(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && *text && (strcmp(text, "n") == 0 || strspn(text, "beas") == strlen(text));
}

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@._+%=-";

/*
 * Check a mail address. It becomes a word of a command line and a line of a message, so only plain
 * characters are permitted.
 */
static bool is_address(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && *text && *text != '-' && strlen(text) <= ADDRESS_BYTES && strspn(text, plain) == strlen(text);
}

bool execution_is_session(const char *text)
{
	return text && *text && strlen(text) <= SESSION_BYTES && strspn(text, plain) == strlen(text);
}

/* Check the name of a DRMAA session. */
static bool is_session(const json_t *value)
{
	return execution_is_session(json_string_value(value));
}

static bool are_addresses(const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
		if (!is_address(item))
			return false;
	return json_array_size(array) > 0 && json_array_size(array) <= ADDRESSES_MOST;
}

static bool is_text(const json_t *value)
{
	return json_string_length(value) > 0;
}

static bool is_flag(const json_t *value)
{
	return json_is_boolean(value);
}

static const struct {
	const char *member;
	bool (*is)(const json_t *value);
	bool (*are)(json_t *value);	/* check of an object */
	const char *due;
	/* may be missing, and null removes it; required; only in changes */
	enum { OPTIONAL, ALWAYS, ALTERED } of;
} parts[] = {
	{ "command", is_command, NULL, "a list of strings is expected, the program first", ALWAYS },
	{ "script", is_text, NULL, "the text of a script is expected", ALWAYS },
	{ "shell", is_shell, NULL, "an absolute path is expected, of at most 2047 bytes", OPTIONAL },
	{ "use_shell", is_flag, NULL, "true or false is expected", OPTIONAL },
	{ "environment", NULL, is_environment, "an object of strings is expected", OPTIONAL },
	{ "context", NULL, is_context, "an object of strings is expected; names have no = and no commas", OPTIONAL },
	{ "context_changes", NULL, are_context_changes,
	  "an object of strings, or null to remove a variable, is expected; names have no = and no commas", ALTERED },
	{ "cwd", is_absolute, NULL, "an absolute path is expected, of at most 2047 bytes", OPTIONAL },
	{ "umask", is_mask, NULL, "octal permissions are expected", OPTIONAL },
	{ "join", is_flag, NULL, "true or false is expected", OPTIONAL },
	{ "rerun", is_flag, NULL, "true or false is expected", OPTIONAL },
	{ "notify", is_flag, NULL, "true or false is expected", OPTIONAL },
	{ "ends_on_error", is_flag, NULL, "true or false is expected", OPTIONAL },
	{ "session", is_session, NULL, "a name is expected, of 1 to 255 letters, digits and @ . _ + % = -", OPTIONAL },
	{ "mail_options", are_mail_options, NULL, "letters b, e, a and s are expected, or n alone", OPTIONAL },
	{ "mail_list", are_addresses, NULL,
	  "1 to 16 addresses are expected, each of at most 254 letters, digits and @ . _ + % = -, not beginning with -",
	  OPTIONAL },
	{ "stdin_path", is_path, NULL, "a path is expected, of at most 2047 bytes", OPTIONAL },
	{ "stdout_path", is_path, NULL, "a path is expected, of at most 2047 bytes", OPTIONAL },
	{ "stderr_path", is_path, NULL, "a path is expected, of at most 2047 bytes", OPTIONAL },
};

static int check_part(const char *name, json_t *value, bool whole, struct error *error)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (strcmp(parts[i].member, name) != 0 || (whole && parts[i].of == ALTERED))
			continue;
		if ((parts[i].is ? parts[i].is(value) : parts[i].are(value)) ||
		    (!whole && parts[i].of == OPTIONAL && json_is_null(value)))
			return 0;
		return error_set(error, -EINVAL, "execution: %s: %s", name, parts[i].due);
	}
	return error_set(error, -EINVAL, "execution: \"%.60s\" cannot be requested", name);
}

int check_execution(json_t *execution, bool whole, struct error *error)
{
	const char *name;
	json_t *value;
	int rc = 0;

	if (!json_is_object(execution))
		return error_set(error, -EINVAL, "execution: an object is expected");
	json_object_foreach(execution, name, value)
		if (rc == 0)
			rc = check_part(name, value, whole, error);
	if (rc == 0 && whole && !json_object_get(execution, "command"))
		rc = error_set(error, -EINVAL, "execution: command: missing");
	return rc;
}

/* Alterations */

static int member_change(json_t *object, const char *name, json_t *value)
{
	if (!json_is_null(value))
		return json_object_set(object, name, value);
	json_object_del(object, name);		/* the member may be missing */
	return 0;
}

static int context_change(json_t *execution, json_t *changes)
{
	json_t *context = json_object_get(execution, "context"), *value;
	const char *name;
	int rc = 0;

	if (!context && ((context = json_object()) == NULL || json_object_set_new(execution, "context", context)))
		return -ENOMEM;
	json_object_foreach(changes, name, value)
		if (rc == 0 && member_change(context, name, value))
			rc = -ENOMEM;
	return rc;
}

int execution_change(json_t *execution, json_t *changes, struct error *error)
{
	json_t *context = json_object_get(changes, "context_changes"), *value;
	const char *name;
	int rc = 0;

	json_object_foreach(changes, name, value)
		if (rc == 0 && value != context && member_change(execution, name, value))
			rc = -ENOMEM;
	if (rc == 0 && context)
		rc = context_change(execution, context);
	return rc ? error_set(error, rc, "out of memory") : 0;
}
