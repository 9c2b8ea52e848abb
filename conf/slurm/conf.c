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

enum { INCLUDE_FILES = 1000 };	/* or files that include two each would multiply */

/* Cuts "..." or a word off. */
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

/* Cuts the next pair off. 0 at the end, -EINVAL when it is no pair. */
static int pair_take(char **rest, struct slurm_pair *pair)
{
	char *key = *rest + strspn(*rest, " \t"), *end = key, *equals;

	if (!*key)
		return 0;
	while (isalnum((unsigned char)*end) || strchr("_.", *end) ? *end : 0)
		end++;
	equals = end + strspn(end, " \t");
	if (equals == end && *end && strchr("+-*/", *end))
		equals++;		/* Key+=value: of no parameter that counts here */
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

static int line_cut(struct slurm_files *f, char *text)
{
	struct slurm_pair *pair, next;
	char *rest = text, *from;
	int found;

	for (f->line.n = 0;;) {
		from = rest + strspn(rest, " \t");
		found = pair_take(&rest, &next);
		if (found == 0)
			return 0;
		if (found < 0) {
			slurm_report(f, FAULT, f->line.place, "\"%.60s\" found: Key=value is allowed, with a value that has blanks in \"quotes\"",
				     from);
			f->line.n = 0;
			return 0;
		}
		pair = array_add(&f->line.pairs, &f->line.n, sizeof(*pair));
		if (!pair)
			return -ENOMEM;
		*pair = next;
	}
}

static int line_read(struct slurm_files *f)
{
	static const struct { const char *key; int (*read)(struct slurm_files *f); } kinds[] = {
		{ "NodeName", slurm_node_read }, { "PartitionName", slurm_partition_read }, { "NodeSet", slurm_node_set_read },
	};
	size_t i;

	if (f->line.n == 0)
		return 0;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcasecmp(f->line.pairs[0].key, kinds[i].key))
			return kinds[i].read(f);
	return slurm_parameters_read(f);
}

static int file_read(struct slurm_files *f, char *path, struct slurm_place from);

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

/* "Include FILE" is the one line without an equals sign. */
static int include_read(struct slurm_files *f, char *name)
{
	struct slurm_place from = f->line.place;
	char *path;

	name[strcspn(name, " \t")] = '\0';
	if (f->depth == SLURM_INCLUDE_DEPTH || f->npaths == INCLUDE_FILES) {
		slurm_report(f, FAULT, from, "\"Include %.60s\" found: at most %d files deep and %d in all are allowed", name, SLURM_INCLUDE_DEPTH, INCLUDE_FILES);
		return 0;
	}
	path = include_path(from.file, name);
	return path ? file_read(f, path, from) : -ENOMEM;
}

static bool line_includes(const char *line)
{
	return !strncasecmp(line, "include", 7) && strchr(" \t", line[7]) && line[7] && line[8 + strspn(line + 8, " \t")] != '=';
}

static int lines_read(struct slurm_files *f, const char *path, struct text *t)
{
	int rc = 0;
	char *line;

	while (!rc && (line = text_line(t))) {
		f->line.place = (struct slurm_place){ path, t->number };
		if (line_includes(line)) {
			rc = include_read(f, line + 7 + strspn(line + 7, " \t"));
			continue;
		}
		rc = line_cut(f, line);
		if (!rc)
			rc = line_read(f);
	}
	return rc;
}

/* Files that are being read stand in each other's way: by what they are, since names may differ. */
static bool file_is_open(const struct slurm_files *f, const char *path)
{
	struct stat a, b;
	unsigned i;

	if (stat(path, &a))
		return false;
	for (i = 0; i < f->depth; i++)
		if (!stat(f->open[i], &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

/* Takes `path`. */
static int file_read(struct slurm_files *f, char *path, struct slurm_place from)
{
	char **kept = array_add(&f->paths, &f->npaths, sizeof(*kept));
	struct text t;
	int rc;

	if (!kept) {
		free(path);
		return -ENOMEM;
	}
	*kept = path;
	if (file_is_open(f, path)) {
		slurm_report(f, FAULT, from, "\"Include %.200s\" found: the file includes itself", path);
		return 0;
	}
	rc = text_open(&t, path, f->report);
	if (rc && from.file)
		slurm_report(f, FAULT, from, "\"Include %.200s\" found: %s", path, rc == -ENOENT ? "there is no such file" : "it can't be read");
	if (rc)
		return rc == -ENOMEM || (rc == -ENOENT && !from.file) ? rc : 0;
	f->open[f->depth++] = path;
	rc = lines_read(f, path, &t);
	f->depth--;
	text_close(&t);
	return rc;
}

static void files_free(struct slurm_files *f)
{
	size_t i;

	for (i = 0; i < f->nkinds; i++) {
		free(f->kinds[i].gres);
		free(f->kinds[i].features);
	}
	for (i = 0; i < f->nsets; i++) {
		free(f->sets[i].name);
		free(f->sets[i].nodes);
		free(f->sets[i].feature);
	}
	for (i = 0; f->partition_lines && i < f->conf->npartitions; i++) {
		free(f->partition_lines[i].nodes);
		free(f->partition_lines[i].billing);
	}
	for (i = 0; i < f->npaths; i++)
		free(f->paths[i]);
	node_spans_free(&f->spans);
	free(f->kind_default.gres), free(f->kind_default.features);
	free(f->line_default.nodes), free(f->line_default.billing), free(f->partition_default.qos);
	free(f->accounting_tres), free(f->weight_tres), free(f->licenses), free(f->flags), free(f->priority_type), free(f->storage_type),
	free(f->enforce), free(f->site_factor);
	free(f->kinds), free(f->sets), free(f->partition_lines), free(f->paths), free(f->line.pairs), free(f->kind_tres), free(f->before);
}

/* What takes several lines together. */
static int files_finish(struct slurm_files *f)
{
	int rc;

	slurm_flags_finish(f);
	rc = slurm_tres_finish(f);
	if (!rc)
		rc = slurm_nodes_finish(f);
	if (!rc)
		rc = slurm_partitions_finish(f);
	if (!rc && f->conf->present)
		slurm_check(f);
	return rc;
}

static int conf_read(struct reader *r)
{
	struct slurm_files f = { .conf = &r->cell->slurm, .report = r->report };
	char *path = path_join(r->dir, NULL, "slurm.conf");
	int rc;

	slurm_defaults(f.conf);
	rc = path ? file_read(&f, path, (struct slurm_place){ 0 }) : -ENOMEM;
	f.conf->present = rc != -ENOENT;
	if (rc != -ENOMEM)
		rc = files_finish(&f);
	files_free(&f);
	return rc;
}

int slurm_read(struct reader *r)
{
	int rc = conf_read(r);

	if (!rc)
		rc = slurm_associations_read(r);
	if (!rc)
		rc = slurm_sshare_read(r);
	if (!rc)
		rc = slurm_qos_read(r);
	return rc ? rc : slurm_tables_check(r);
}
