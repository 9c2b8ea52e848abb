/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the configuration outside condor_config: macros that are predefined, and files that are
 * read after it because LOCAL_CONFIG_DIR and LOCAL_CONFIG_FILE name them. If such a file changes
 * one of the two macros, the macro is read again.
 */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "conf/cell_source.h"
#include "conf/condor/macros.h"
#include "conf/lists.h"
#include "conf/text.h"

#define SEPARATORS ", \t\n"

static int number_define(struct macros *macros, const char *name, long number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%ld", number);
	return macro_define(macros, name, digits);
}

static int host_define(struct macros *macros)
{
	char *host = condor_host_name("");
	int rc = host ? macro_define(macros, "FULL_HOSTNAME", host) : -ENOMEM;

	if (!rc)
		host[strcspn(host, ".")] = '\0';
	if (!rc)
		rc = macro_define(macros, "HOSTNAME", host);
	free(host);
	return rc;
}

static int machine_define(struct macros *macros)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN),
	     mebibytes = sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024);
	struct utsname name;
	int rc = number_define(macros, "DETECTED_CPUS", processors);

	if (!rc)
		rc = number_define(macros, "DETECTED_CORES", processors);
	if (!rc)
		rc = number_define(macros, "DETECTED_CPUS_LIMIT", processors);
	if (!rc)
		rc = number_define(macros, "DETECTED_MEMORY", mebibytes);
	if (!rc && uname(&name) == 0)
		rc = macro_define(macros, "UNAME_ARCH", name.machine);
	return rc;
}

/*
 * Define the macros that exist before the first line. UID_DOMAIN is the ending of submitters' names
 * even if condor_config does not set it.
 */
int macros_predefine(struct macros *macros)
{
	static const struct { const char *name, *text;
	} texts[] = {
		{ "UID_DOMAIN", "$(FULL_HOSTNAME)" },
		{ "SUBSYSTEM", "NEGOTIATOR" },
		{ "DOLLAR", "$" },
		{ "OPSYS", "LINUX" },
		{ "ARCH", "X86_64" },
	};
	const struct passwd *condor = getpwnam("condor");
	int rc = host_define(macros);

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) && !rc; i++)
		rc = macro_define(macros, texts[i].name, texts[i].text);
	if (!rc && condor)
		rc = macro_define(macros, "TILDE", condor->pw_dir);
	if (!rc)
		rc = macro_define(macros, "CONFIG_ROOT", macros->dir);
	return rc ? rc : machine_define(macros);
}

/*
 * Return false for files that editors and package managers leave: LOCAL_CONFIG_DIR_EXCLUDE_REGEXP.
 */
static bool name_counts(const char *name)
{
	static const char *const ends[] = { "~", ".rpmsave", ".rpmnew", ".dpkg-old", ".dpkg-dist", ".dpkg-new" };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (n >= strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			return false;
	return *name != '.' && *name != '#';
}

static int entry_counts(const struct dirent *entry)
{
	return name_counts(entry->d_name);
}

static int entry_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* List the files in a directory. Returns -ENOENT if the directory does not exist. */
static int names_of_directory(const char *dir, struct strlist *names)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, entry_counts, entry_compare), rc = 0;
	char **name;

	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	for (int i = 0; i < n; i++) {
		name = rc ? NULL : array_add(&names->items, &names->n, sizeof(*name));
		if (!rc && (!name || !(*name = path_join(dir, NULL, entries[i]->d_name))))
			rc = -ENOMEM;
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* List the files of a directory among texts in memory, which are sorted by name. */
static int names_of_texts(const struct cell_source *source, const char *dir, struct strlist *names)
{
	const char *folder = cell_source_name(source, dir), *rest;
	size_t n = strlen(folder);
	char **name;

	for (const struct cell_file *file = source->given->items; file < source->given->items + source->given->n;
	     file++) {
		rest = file->name + n + 1;
		if (strncmp(file->name, folder, n) != 0 || file->name[n] != '/' || strchr(rest, '/') ||
		    !name_counts(rest))
			continue;
		name = array_add(&names->items, &names->n, sizeof(*name));
		if (!name || !(*name = path_join(dir, NULL, rest)))
			return -ENOMEM;
	}
	return names->n > 0 ? 0 : -ENOENT;
}

static int directory_read(struct macros *macros, const char *dir)
{
	const struct cell_source *source = macros->report->source;
	struct strlist names = { 0 };
	int rc = source && source->given ? names_of_texts(source, dir, &names) : names_of_directory(dir, &names);

	for (size_t i = 0; i < names.n && !rc; i++)
		rc = macros_file_read(macros, names.items[i], "LOCAL_CONFIG_DIR", false);
	strlist_free(&names);
	if (rc == -ENOENT)
		macros_report(macros, WARNING, macros->at,
			      "LOCAL_CONFIG_DIR: \"%.200s\" found: there is no such directory: it is ignored",
			      dir);
	return rc == -ENOENT ? 0 : rc;
}

/* Read a file only once. The list is processed again when one of its files has changed it. */
static int file_read(struct macros *macros, const char *path)
{
	const struct macro *required = macro_find(macros, "NEGOTIATOR", "REQUIRE_LOCAL_CONFIG_FILE");

	for (size_t i = 0; i < macros->npaths; i++)
		if (strcmp(macros->paths[i], path) == 0)
			return 0;
	return macros_file_read(macros, path, "LOCAL_CONFIG_FILE",
				required && *required->text && strchr("fFnN0", *required->text));
}

/* Call `read` for each word of a macro. Messages refer to the position of the macro. */
static int words_read(struct macros *macros, const struct macro *macro, const char *value,
		      int (*read)(struct macros *macros, const char *path))
{
	char *copy = strdup(value), *rest = copy, *word, *path;
	int rc = copy ? 0 : -ENOMEM;

	macros->at = macro->place;
	while (!rc && (word = text_word(&rest, SEPARATORS))) {
		path = macros_path(macros, word);
		rc = path ? read(macros, path) : -ENOMEM;
		free(path);
	}
	free(copy);
	return rc;
}

/*
 * Call `read` for each word of a macro if its value has changed. `*last` is the value that was read
 * last, NULL if there was none; owned.
 */
static int words_of(struct macros *macros, const char *name, int (*read)(struct macros *macros, const char *path),
		    char **last)
{
	const struct macro *macro = macro_find(macros, "NEGOTIATOR", name);
	char *value;
	int rc = macro_value(macros, "NEGOTIATOR", macro, &value);

	if (rc || !value || (*last && strcmp(*last, value) == 0)) {
		free(value);
		return rc;
	}
	free(*last);
	*last = value;
	if (value[strlen(value) - 1] != '|')
		return words_read(macros, macro, value, read);
	macros_report(macros, WARNING, macro->place,
		      "%s = %.60s found: commands are not run here, and their output is not read", name, value);
	return 0;
}

int macros_read_local(struct macros *macros)
{
	char *directories = NULL, *files = NULL;
	int rc = words_of(macros, "LOCAL_CONFIG_DIR", directory_read, &directories);

	for (int i = 0; i < 2 && !rc; i++)
		rc = words_of(macros, "LOCAL_CONFIG_FILE", file_read, &files);
	if (!rc)
		rc = words_of(macros, "LOCAL_CONFIG_DIR", directory_read, &directories);
	free(files);
	free(directories);
	return rc;
}
