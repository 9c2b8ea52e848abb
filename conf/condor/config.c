/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condor_config, line by line: NAME = value, NAME @=tag to @tag, and the statements: if and its
 * like, include, use, error, warning. What LOCAL_CONFIG_DIR and LOCAL_CONFIG_FILE name is read
 * behind it. No command is run. HTCondor's manual, "Introduction to Configuration".
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

char *macros_path(const struct macros *m, const char *name)
{
	char *copy, *path;

	if (*name == '/' || m->npaths == 0)
		return *name == '/' ? strdup(name) : path_join(m->dir, NULL, name);
	copy = strdup(m->at.file ? m->at.file : m->paths[0]);
	path = copy ? path_join(dirname(copy), NULL, name) : NULL;
	free(copy);
	return path;
}

/* Cuts "KEYWORD [...] : value"; NULL: it is something else. */
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

static void command_refuse(const struct macros *m, const char *command)
{
	macros_report(m, WARNING, m->at, "\"%.60s\" found: no command is run here, and what it would print is not read", command);
}

/*
 * "", "ifexist", "command", "ifexist command into FILE": the last names a file that may be there.
 */
static int include_read(struct macros *m, char *options, char *value)
{
	bool may_be_absent = false, is_command = false;
	char *word, *cache = NULL, *path, *expanded;
	struct error e = { "" };
	int rc = macro_expand(m, "NEGOTIATOR", value, &expanded, &e);

	if (rc == -EINVAL)
		macros_report(m, FAULT, m->at, "\"include : %.60s\" found: %s", value, e.text);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	while ((word = text_word(&options, " \t"))) {
		may_be_absent |= !strcasecmp(word, "ifexist");
		is_command |= !strcasecmp(word, "command");
		if (!strcasecmp(word, "into"))
			cache = text_word(&options, " \t");
	}
	if (is_command || (*expanded && expanded[strlen(expanded) - 1] == '|')) {
		command_refuse(m, value);
		may_be_absent = true;
	}
	if (!is_command || cache) {
		path = macros_path(m, cache ? cache : expanded);
		rc = !path ? -ENOMEM : strchr(path, '|') ? 0 : macros_file_read(m, path, "include", may_be_absent);
		free(path);
	}
	free(expanded);
	return rc;
}

static int statement_read(struct macros *m, char *line, bool *is_one)
{
	char *options, *value;

	*is_one = true;
	if ((options = statement_cut(line, "include", &value)))
		return include_read(m, options, value);
	if ((options = statement_cut(line, "use", &value)))
		macros_report(m, WARNING, m->at, "\"use %.40s : %.60s\" found: templates are not here, and what it would set is not "
			      "set", options, value);
	else if (statement_cut(line, "error", &value))
		macros_report(m, FAULT, m->at, "error : %.160s", value);
	else if (statement_cut(line, "warning", &value))
		macros_report(m, WARNING, m->at, "warning : %.160s", value);
	else
		*is_one = false;
	return 0;
}

/* The lines of NAME @=tag up to @tag, joined by newlines. Lines of comments are left out. */
static int lines_take(struct macros *m, struct text *t, const char *tag, char **value)
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
		if (*text == '#' || n + length > 2 * MACRO_TEXT_MOST)	/* macro_define() says so */
			continue;
		larger = realloc(*value, n + length + 2);
		if (!larger)
			return -ENOMEM;
		*value = larger;
		n += (size_t)sprintf(larger + n, "%s%s", n > 0 ? "\n" : "", line);
	}
	t->as_it_is = false;
	if (!line)
		macros_report(m, FAULT, m->at, "\"@=%.60s\" found, and no line with @%.60s behind it", tag, tag);
	return 0;
}

static bool name_is_one(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.-<>+$()", name[i]))
			return false;
	return n > 0;
}

static int assignment_read(struct macros *m, struct text *t, char *line)
{
	size_t n = strcspn(line, " \t=:@");
	char *operator = line + n + strspn(line + n, " \t"), *value, *lines = NULL;
	bool is_long = strncmp(operator, "@=", 2) == 0;
	int rc = 0;

	if (*line == '[' && !strpbrk(line, "=:"))
		return 0;
	if (!name_is_one(line, n) || (!is_long && *operator != '=' && *operator != ':')) {
		if (conditions_count(m))
			macros_report(m, FAULT, m->at, "\"%.60s\" found: NAME = value is allowed, include : FILE, if and endif", line);
		return 0;
	}
	value = operator + 1 + is_long;
	value += strspn(value, " \t");
	if (*operator == ':' && conditions_count(m))
		macros_report(m, WARNING, m->at, "\"%.60s\" found: it is read as if there were a = in the place of the colon", line);
	line[n] = '\0';
	if (is_long)
		rc = lines_take(m, t, value, &lines);
	if (!rc && conditions_count(m))
		rc = macro_define(m, line, is_long ? lines : value);
	free(lines);
	return rc;
}

static int line_read(struct macros *m, struct text *t, char *line)
{
	bool is_one;
	int rc = condition_read(m, line, &is_one);

	if (!rc && !is_one && conditions_count(m))
		rc = statement_read(m, line, &is_one);
	return rc || is_one ? rc : assignment_read(m, t, line);
}

static int lines_read(struct macros *m, const char *path, struct text *t)
{
	struct macro_place before = m->at;
	unsigned around = m->nconditions;
	char *line;
	int rc = 0;

	while (!rc && (m->at = (struct macro_place){ path, 0 }, line = text_line(t))) {
		m->at.line = t->number;
		rc = line_read(m, t, line);
	}
	for (; m->nconditions > around; m->nconditions--)
		macros_report(m, FAULT, m->conditions[m->nconditions - 1].place, "\"if\" found, and no endif behind it");
	m->at = before;
	return rc;
}

/* Files that are being read stand in each other's way: by what they are, since names may differ. */
static bool file_is_open(const struct macros *m, const char *path)
{
	struct stat a, b;

	if (stat(path, &a))
		return false;
	for (unsigned i = 0; i < m->depth; i++)
		if (!stat(m->open[i], &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

int macros_file_read(struct macros *m, const char *path, const char *by, bool may_be_absent)
{
	bool is_first = m->npaths == 0;
	char **kept;
	struct text t;
	int rc;

	if (m->depth == MACRO_INCLUDE_DEPTH || m->npaths == MACRO_FILES_MOST || file_is_open(m, path)) {
		macros_report(m, FAULT, m->at, "%s: \"%.200s\" found: a file that includes itself, or more than %d in each other or %d "
			      "in all, are not allowed", by, path, MACRO_INCLUDE_DEPTH, MACRO_FILES_MOST);
		return 0;
	}
	kept = array_add(&m->paths, &m->npaths, sizeof(*kept));
	if (!kept || !(*kept = strdup(path)))
		return -ENOMEM;
	rc = text_open(&t, *kept, m->report);
	if (rc == -ENOENT && is_first)
		return rc;
	m->conf->is_there = true;
	if (rc && !is_first && !(rc == -ENOENT && may_be_absent))	/* else text_open() has said it */
		macros_report(m, FAULT, m->at, "%s: \"%.200s\" found: %s", by, path, rc == -ENOENT ? "there is no such file" : "it can't be read");
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	t.comment_lines = true;
	m->open[m->depth++] = *kept;
	rc = is_first ? macros_predefine(m) : 0;
	if (!rc)
		rc = lines_read(m, *kept, &t);
	m->depth--;
	text_close(&t);
	return rc;
}

int macros_read(struct macros *m)
{
	char *path = path_join(m->dir, NULL, "condor_config");
	int rc = path ? macros_file_read(m, path, "", true) : -ENOMEM;

	free(path);
	return rc ? rc : macros_read_local(m);
}

void macros_free(struct macros *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->items[i].name);
		free(m->items[i].text);
	}
	for (size_t i = 0; i < m->npaths; i++)
		free(m->paths[i]);
	free(m->items);
	free(m->paths);
	text_set_free(&m->names);
}
