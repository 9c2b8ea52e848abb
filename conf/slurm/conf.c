/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.conf(5): lines of Key=value pairs, in one file or in several that include each other. */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"
#include "conf/text.h"

/* most files; limits a tree in which each file includes two others */
enum { INCLUDE_FILES = 1000 };

/* Cut off "..." or a word. */
static char *value_take(char **rest)
{
	char *value = *rest, *end;

	if (*value == '"') {
		end = strchr(++value, '"');
		if (!end)
			return NULL;
	} else {
		end = value + strcspn(value, " \t");
		if (end == value)
			return NULL;
	}
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return value;
}

/* Cut off the next pair. Returns 1, 0 at the end, or -EINVAL if it is not a pair. */
static int pair_take(char **rest, struct slurm_pair *pair)
{
	char *key = *rest + strspn(*rest, " \t"), *end = key, *equals;

	if (!*key)
		return 0;
	while (isalnum((unsigned char)*end) || strchr("_.", *end) ? *end : 0)
		end++;
	equals = end + strspn(end, " \t");
	if (equals == end && *end && strchr("+-*/", *end))
		/* Key+=value: no parameter that is used here has this form */
		equals++;
	if (end == key || *equals != '=')
		return -EINVAL;
	*rest = equals + 1 + strspn(equals + 1, " \t");
	pair->key = key;
	pair->value = value_take(rest);
	if (equals > end && strchr("+-*/", *end))
		pair->key = "";
	*end = '\0';
	return pair->value ? 1 : -EINVAL;
}

static int line_cut(struct slurm_files *files, char *text)
{
	struct slurm_pair *pair, next;
	char *rest = text, *from;
	int found;

	for (files->line.n = 0;;) {
		from = rest + strspn(rest, " \t");
		found = pair_take(&rest, &next);
		if (found == 0)
			return 0;
		if (found < 0) {
			slurm_report(
				files, FAULT, files->line.place,
				"\"%.60s\" found: Key=value is allowed, with a value that has blanks in \"quotes\"",
				from);
			files->line.n = 0;
			return 0;
		}
		pair = array_add(&files->line.pairs, &files->line.n, sizeof(*pair));
		if (!pair)
			return -ENOMEM;
		*pair = next;
	}
}

static int line_read(struct slurm_files *files)
{
	static const struct { const char *key; int (*read)(struct slurm_files *files);
	} kinds[] = {
		{ "NodeName", slurm_node_read },
		{ "PartitionName", slurm_partition_read },
		{ "NodeSet", slurm_node_set_read },
	};
	size_t i;

	if (files->line.n == 0)
		return 0;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcasecmp(files->line.pairs[0].key, kinds[i].key))
			return kinds[i].read(files);
	return slurm_parameters_read(files);
}

static int file_read(struct slurm_files *files, char *path, struct slurm_place from);

static char *include_path(const char *including, const char *name)
{
	char *copy, *path;

	if (*name == '/')
		return strdup(name);
	copy = strdup(including);
	path = copy ? path_join(dirname(copy), NULL, name) : NULL;
	free(copy);
	return path;
}

/* Read "Include FILE", the only line without an equals sign. */
static int include_read(struct slurm_files *files, char *name)
{
	struct slurm_place from = files->line.place;
	char *path;

	name[strcspn(name, " \t")] = '\0';
	if (files->depth == SLURM_INCLUDE_DEPTH || files->npaths == INCLUDE_FILES) {
		slurm_report(files, FAULT, from,
			     "\"Include %.60s\" found: at most %d files deep and %d in all are allowed", name,
			     SLURM_INCLUDE_DEPTH, INCLUDE_FILES);
		return 0;
	}
	path = include_path(from.file, name);
	return path ? file_read(files, path, from) : -ENOMEM;
}

static bool line_includes(const char *line)
{
	return !strncasecmp(line, "include", 7) && strchr(" \t", line[7]) && line[7] &&
	       line[8 + strspn(line + 8, " \t")] != '=';
}

static int lines_read(struct slurm_files *files, const char *path, struct text *text)
{
	int rc = 0;
	char *line;

	while (!rc && (line = text_line(text))) {
		files->line.place = (struct slurm_place){ path, text->number };
		if (line_includes(line)) {
			rc = include_read(files, line + 7 + strspn(line + 7, " \t"));
			continue;
		}
		rc = line_cut(files, line);
		if (!rc)
			rc = line_read(files);
	}
	return rc;
}

/*
 * Return true if the file is being read already. Files are compared by device and inode, because
 * their names may differ.
 */
static bool file_is_open(const struct slurm_files *files, const char *path)
{
	struct stat a, b;
	unsigned i;

	if (stat(path, &a))
		return false;
	for (i = 0; i < files->depth; i++)
		if (!stat(files->open[i], &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

/* Read a file. Takes ownership of `path`. */
static int file_read(struct slurm_files *files, char *path, struct slurm_place from)
{
	char **kept = array_add(&files->paths, &files->npaths, sizeof(*kept));
	struct text text;
	int rc;

	if (!kept) {
		free(path);
		return -ENOMEM;
	}
	*kept = path;
	if (file_is_open(files, path)) {
		slurm_report(files, FAULT, from, "\"Include %.200s\" found: the file includes itself", path);
		return 0;
	}
	rc = text_open(&text, path, files->report);
	if (rc && from.file)
		slurm_report(files, FAULT, from, "\"Include %.200s\" found: %s", path,
			     rc == -ENOENT ? "there is no such file" : "it cannot be read");
	if (rc)
		return rc == -ENOMEM || (rc == -ENOENT && !from.file) ? rc : 0;
	files->open[files->depth++] = path;
	rc = lines_read(files, path, &text);
	files->depth--;
	text_close(&text);
	return rc;
}

static void files_free(struct slurm_files *files)
{
	size_t i;

	for (i = 0; i < files->nkinds; i++) {
		free(files->kinds[i].gres);
		free(files->kinds[i].features);
	}
	for (i = 0; i < files->nsets; i++) {
		free(files->sets[i].name);
		free(files->sets[i].nodes);
		free(files->sets[i].feature);
	}
	for (i = 0; files->partition_lines && i < files->conf->npartitions; i++) {
		free(files->partition_lines[i].nodes);
		free(files->partition_lines[i].billing);
	}
	for (i = 0; i < files->npaths; i++)
		free(files->paths[i]);
	node_spans_free(&files->spans);
	free(files->kind_default.gres), free(files->kind_default.features);
	free(files->line_default.nodes), free(files->line_default.billing), free(files->partition_default.qos);
	free(files->accounting_tres), free(files->weight_tres), free(files->licenses), free(files->flags),
		free(files->priority_type), free(files->storage_type), free(files->enforce), free(files->site_factor);
	free(files->kinds), free(files->sets), free(files->partition_lines), free(files->paths),
		free(files->line.pairs), free(files->kind_tres), free(files->before);
}

/* Compute the values that depend on several lines. */
static int files_finish(struct slurm_files *files)
{
	int rc;

	slurm_flags_finish(files);
	rc = slurm_tres_finish(files);
	if (!rc)
		rc = slurm_nodes_finish(files);
	if (!rc)
		rc = slurm_partitions_finish(files);
	if (!rc && files->conf->present)
		slurm_check(files);
	return rc;
}

static int conf_read(struct reader *reader)
{
	struct slurm_files files = { .conf = &reader->cell->slurm, .report = reader->report };
	char *path = path_join(reader->dir, NULL, "slurm.conf");
	int rc;

	slurm_defaults(files.conf);
	rc = path ? file_read(&files, path, (struct slurm_place){ 0 }) : -ENOMEM;
	files.conf->present = rc != -ENOENT;
	if (rc != -ENOMEM)
		rc = files_finish(&files);
	files_free(&files);
	return rc;
}

int slurm_read(struct reader *reader)
{
	int rc = conf_read(reader);

	if (!rc)
		rc = slurm_associations_read(reader);
	if (!rc)
		rc = slurm_sshare_read(reader);
	if (!rc)
		rc = slurm_qos_read(reader);
	return rc ? rc : slurm_tables_check(reader);
}
