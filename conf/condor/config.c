/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of condor_config, line by line: NAME = value, NAME @=tag to @tag, and the statements if,
 * elif, else, endif, include, use, error and warning. Files named in LOCAL_CONFIG_DIR and
 * LOCAL_CONFIG_FILE are read after it. Commands are never run. Source: HTCondor's manual,
 * "Introduction to Configuration".
 */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"
#include "conf/text.h"

char *macros_path(const struct macros *macros, const char *name)
{
	char *copy, *path;

	if (*name == '/' || macros->npaths == 0)
		return *name == '/' ? strdup(name) : path_join(macros->dir, NULL, name);
	copy = strdup(macros->at.file ? macros->at.file : macros->paths[0]);
	path = copy ? path_join(dirname(copy), NULL, name) : NULL;
	free(copy);
	return path;
}

/* Cut "KEYWORD [...] : value". Returns NULL for another statement. */
static char *statement_cut(char *line, const char *keyword, char **value)
{
	size_t n = strlen(keyword);
	char *rest, *operator;

	line += *line == '@';
	rest = line + n;
	if (strncasecmp(line, keyword, n) || !*rest || !strchr(" \t:", *rest))
		return NULL;
	operator = rest + strcspn(rest, "=:");
	if (*operator != ':')
		return NULL;
	*value = operator + 1 + strspn(operator + 1, " \t");
	while (operator > rest && strchr(" \t", operator[-1]))
		operator--;
	*operator = '\0';
	return rest + strspn(rest, " \t");
}

static void command_refuse(const struct macros *macros, const char *command)
{
	macros_report(macros, WARNING, macros->at,
		      "\"%.60s\" found: commands are not run here, and their output is not read", command);
}

/*
 * Read an include statement. The options are "", "ifexist", "command" and "ifexist command into
 * FILE". With the last one FILE may exist and is read.
 */
static int include_read(struct macros *macros, char *options, char *value)
{
	bool may_be_absent = false, is_command = false;
	char *word, *cache = NULL, *path, *expanded;
	struct error error = { "" };
	int rc = macro_expand(macros, "NEGOTIATOR", value, &expanded, &error);

	if (rc == -EINVAL)
		macros_report(macros, FAULT, macros->at, "\"include : %.60s\" found: %s", value, error.text);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	while ((word = text_word(&options, " \t"))) {
		may_be_absent |= !strcasecmp(word, "ifexist");
		is_command |= !strcasecmp(word, "command");
		if (!strcasecmp(word, "into"))
			cache = text_word(&options, " \t");
	}
	if (is_command || (*expanded && expanded[strlen(expanded) - 1] == '|')) {
		command_refuse(macros, value);
		may_be_absent = true;
	}
	if (!is_command || cache) {
		path = macros_path(macros, cache ? cache : expanded);
		rc = !path ? -ENOMEM : strchr(path, '|') ? 0 : macros_file_read(macros, path, "include", may_be_absent);
		free(path);
	}
	free(expanded);
	return rc;
}

static int statement_read(struct macros *macros, char *line, bool *is_one)
{
	char *options, *value;

	*is_one = true;
	if ((options = statement_cut(line, "include", &value)))
		return include_read(macros, options, value);
	if ((options = statement_cut(line, "use", &value)))
		macros_report(macros, WARNING, macros->at,
			      "\"use %.40s : %.60s\" found: templates are not supported, and its macros are not set",
			      options, value);
	else if (statement_cut(line, "error", &value))
		macros_report(macros, FAULT, macros->at, "error : %.160s", value);
	else if (statement_cut(line, "warning", &value))
		macros_report(macros, WARNING, macros->at, "warning : %.160s", value);
	else
		*is_one = false;
	return 0;
}

/* Join the lines of NAME @=tag up to @tag with newlines. Comment lines are omitted. */
static int lines_take(struct macros *macros, struct text *t, const char *tag, char **value)
{
	size_t n = 0, length;
	char *line, *larger;

	*value = calloc(1, 1);
	if (!*value)
		return -ENOMEM;
	t->as_it_is = true;
	while ((line = text_line(t))) {
		const char *text = line + strspn(line, " \t");

		if (*text == '@' && strcmp(text + 1, tag) == 0)
			break;
		length = strlen(line);
		/* macro_define() reports a text that is too long */
		if (*text == '#' || n + length > 2 * MACRO_TEXT_MOST)
			continue;
		larger = realloc(*value, n + length + 2);
		if (!larger)
			return -ENOMEM;
		*value = larger;
		n += (size_t)sprintf(larger + n, "%s%s", n > 0 ? "\n" : "", line);
	}
	t->as_it_is = false;
	if (!line)
		macros_report(macros, FAULT, macros->at, "\"@=%.60s\" found without a line @%.60s after it", tag,
			      tag);
	return 0;
}

static bool name_is_one(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.-<>+$()", name[i]))
			return false;
	return n > 0;
}

static int assignment_read(struct macros *macros, struct text *text, char *line)
{
	size_t n = strcspn(line, " \t=:@");
	char *operator = line + n + strspn(line + n, " \t"), *value, *lines = NULL;
	bool is_long = strncmp(operator, "@=", 2) == 0;
	int rc = 0;

	if (*line == '[' && !strpbrk(line, "=:"))
		return 0;
	if (!name_is_one(line, n) || (!is_long && *operator != '=' && *operator != ':')) {
		if (conditions_count(macros))
			macros_report(macros, FAULT, macros->at,
				      "\"%.60s\" found: NAME = value is allowed, include : FILE, if and endif", line);
		return 0;
	}
	value = operator + 1 + is_long;
	value += strspn(value, " \t");
	if (*operator == ':' && conditions_count(macros))
		macros_report(macros, WARNING, macros->at,
			      "\"%.60s\" found: it is read as if the colon were a =", line);
	line[n] = '\0';
	if (is_long)
		rc = lines_take(macros, text, value, &lines);
	if (!rc && conditions_count(macros))
		rc = macro_define(macros, line, is_long ? lines : value);
	free(lines);
	return rc;
}

static int line_read(struct macros *macros, struct text *text, char *line)
{
	bool is_one;
	int rc = condition_read(macros, line, &is_one);

	if (!rc && !is_one && conditions_count(macros))
		rc = statement_read(macros, line, &is_one);
	return rc || is_one ? rc : assignment_read(macros, text, line);
}

static int lines_read(struct macros *macros, const char *path, struct text *text)
{
	struct macro_place before = macros->at;
	unsigned around = macros->nconditions;
	char *line;
	int rc = 0;

	while (!rc && (macros->at = (struct macro_place){ path, 0 }, line = text_line(text))) {
		macros->at.line = text->number;
		rc = line_read(macros, text, line);
	}
	for (; macros->nconditions > around; macros->nconditions--)
		macros_report(macros, FAULT, macros->conditions[macros->nconditions - 1].place,
			      "\"if\" found without an endif after it");
	macros->at = before;
	return rc;
}

/*
 * Return true if the file is being read already. Files are compared by device and inode, because
 * their names may differ.
 */
static bool file_is_open(const struct macros *macros, const char *path)
{
	struct stat a, b;

	if (stat(path, &a))
		return false;
	for (unsigned i = 0; i < macros->depth; i++)
		if (!stat(macros->open[i], &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

int macros_file_read(struct macros *macros, const char *path, const char *by, bool may_be_absent)
{
	bool is_first = macros->npaths == 0;
	char **kept;
	struct text text;
	int rc;

	if (macros->depth == MACRO_INCLUDE_DEPTH || macros->npaths == MACRO_FILES_MOST || file_is_open(macros, path)) {
		macros_report(macros, FAULT, macros->at,
			      "%s: \"%.200s\" found: a file that includes itself, or more than %d in each other or %d "
			      "in all, are not allowed",
			      by, path, MACRO_INCLUDE_DEPTH, MACRO_FILES_MOST);
		return 0;
	}
	kept = array_add(&macros->paths, &macros->npaths, sizeof(*kept));
	if (!kept || !(*kept = strdup(path)))
		return -ENOMEM;
	rc = text_open(&text, *kept, macros->report);
	if (rc == -ENOENT && is_first)
		return rc;
	macros->conf->is_there = true;
	/* text_open() has reported other errors */
	if (rc && !is_first && !(rc == -ENOENT && may_be_absent))
		macros_report(macros, FAULT, macros->at, "%s: \"%.200s\" found: %s", by, path,
			      rc == -ENOENT ? "there is no such file" : "it cannot be read");
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	text.comment_lines = true;
	macros->open[macros->depth++] = *kept;
	rc = is_first ? macros_predefine(macros) : 0;
	if (!rc)
		rc = lines_read(macros, *kept, &text);
	macros->depth--;
	text_close(&text);
	return rc;
}

int macros_read(struct macros *macros)
{
	char *path = path_join(macros->dir, NULL, "condor_config");
	int rc = path ? macros_file_read(macros, path, "", true) : -ENOMEM;

	free(path);
	return rc ? rc : macros_read_local(macros);
}

void macros_free(struct macros *macros)
{
	for (size_t i = 0; i < macros->n; i++) {
		free(macros->items[i].name);
		free(macros->items[i].text);
	}
	for (size_t i = 0; i < macros->npaths; i++)
		free(macros->paths[i]);
	free(macros->items);
	free(macros->paths);
	text_set_free(&macros->names);
}
