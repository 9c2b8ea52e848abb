/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "execution" of a request: what is run, and how. Whether the command is there shows when it is to
 * run, since that is another directory's and another PATH's business.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define PATH_BYTES 2047		/* two of them and a name make a path that the kernel takes */
#define ADDRESSES_MOST 16
#define ADDRESS_BYTES 254

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

static bool is_context(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		if (!*name || strpbrk(name, "=,") || !json_is_string(value))
			return false;
	return json_is_object(object);
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

/* With $HOME in front, say. */
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

/* It becomes a word of a command line and a line of a letter: nothing that is more than an address. */
static bool is_address(const json_t *value)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@._+%=-";
	const char *text = json_string_value(value);

	return text && *text && *text != '-' && strlen(text) <= ADDRESS_BYTES && strspn(text, allowed) == strlen(text);
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
	bool (*are)(json_t *value);	/* of an object */
	const char *due;
} parts[] = {
	{ "command", is_command, NULL, "a list of strings is expected, the program first" },
	{ "script", is_text, NULL, "the text of a script is expected" },
	{ "shell", is_shell, NULL, "an absolute path is expected, of at most 2047 bytes" },
	{ "use_shell", is_flag, NULL, "true or false is expected" },
	{ "environment", NULL, is_environment, "an object of strings is expected" },
	{ "context", NULL, is_context, "an object of strings is expected, its names without = and commas" },
	{ "cwd", is_absolute, NULL, "an absolute path is expected, of at most 2047 bytes" },
	{ "umask", is_mask, NULL, "octal permissions are expected" },
	{ "join", is_flag, NULL, "true or false is expected" },
	{ "rerun", is_flag, NULL, "true or false is expected" },
	{ "notify", is_flag, NULL, "true or false is expected" },
	{ "mail_options", are_mail_options, NULL, "letters b, e, a and s are expected, or n alone" },
	{ "mail_list", are_addresses, NULL,
	  "1 to 16 addresses are expected, each of at most 254 letters, digits and @ . _ + % = -, the last not in front" },
	{ "stdin_path", is_path, NULL, "a path is expected, of at most 2047 bytes" },
	{ "stdout_path", is_path, NULL, "a path is expected, of at most 2047 bytes" },
	{ "stderr_path", is_path, NULL, "a path is expected, of at most 2047 bytes" },
};

static int check_part(const char *name, json_t *value, struct error *error)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].member, name) == 0)
			return (parts[i].is ? parts[i].is(value) : parts[i].are(value)) ? 0 :
			       error_set(error, -EINVAL, "execution: %s: %s", name, parts[i].due);
	return error_set(error, -EINVAL, "execution: \"%.60s\" can't be asked for", name);
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
			rc = check_part(name, value, error);
	if (rc == 0 && whole && !json_object_get(execution, "command"))
		rc = error_set(error, -EINVAL, "execution: command: missing");
	return rc;
}
