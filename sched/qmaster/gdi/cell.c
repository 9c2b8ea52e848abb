/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/cell.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "conf/base/number.h"
#include "conf/base/report.h"
#include "conf/text.h"

/* A file of the cell's directory `common`, read line by line. */
struct common_file {
	struct gdi_cell *cell;
	char *qmaster;			/* host in act_qmaster */
	const char *path;
	int line;
	struct error *error;
};
typedef int common_line(struct common_file *file, char *line);

static int wrong(const struct common_file *file, int rc, const char *what, const char *value)
{
	return error_set(file->error, rc, "%s:%d: '%.60s': %s", file->path, file->line, value, what);
}

/* Report the first fault that conf/text.c has found. */
static int fault(const struct report *report, int rc, const char *path, struct error *error)
{
	char place[sizeof(error->text) / 2];

	if (report->n == 0)
		return error_set(error, rc, "%s: %s", path, strerror(-rc));
	finding_place(&report->findings[0], place, sizeof(place));
	return error_set(error, rc, "%s: %s", place, report->findings[0].text);
}

static int common_read(struct gdi_cell *cell, const char *name, common_line *take, struct common_file *file)
{
	struct report report = { .source = NULL };
	struct text text;
	char path[4200];
	char *line;
	int rc;

	*file = (struct common_file){ .cell = cell, .path = path, .error = file->error };
	snprintf(path, sizeof(path), "%s/common/%s", cell->directory, name);
	rc = text_open(&text, path, &report);
	if (rc) {
		rc = fault(&report, rc, path, file->error);
		report_free(&report);
		return rc;
	}
	while (rc == 0 && (line = text_line(&text))) {
		file->line = text.number;
		rc = report.faults ? fault(&report, -EINVAL, path, file->error) : take(file, line);
	}
	text_close(&text);
	report_free(&report);
	return rc;
}

static int text_keep(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int security_take(struct common_file *file, const char *value)
{
	if (strcasecmp(value, "none") != 0 && strcasecmp(value, "munge") != 0)
		return wrong(file, -ENOTSUP, "this security_mode is not supported; none and munge are", value);
	file->cell->security = strcasecmp(value, "munge") == 0 ? GDI_SECURITY_MUNGE : GDI_SECURITY_NONE;
	return 0;
}

static int bootstrap_line(struct common_file *file, char *line)
{
	char *value = text_value(line);
	struct gdi_cell *cell = file->cell;

	if (strcmp(line, "security_mode") == 0)
		return security_take(file, value);
	if (strcmp(line, "ignore_fqdn") == 0) {
		if (strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
			return wrong(file, -EINVAL, "ignore_fqdn must be true or false", value);
		cell->names.ignore_fqdn = strcasecmp(value, "true") == 0;
	}
	if (strcmp(line, "default_domain") == 0 && !text_is_none(value))
		return text_keep(&cell->names.default_domain, value);
	if (strcmp(line, "admin_user") == 0 && !text_is_none(value))
		return text_keep(&cell->admin_user, value);
	if (strcmp(line, "scheduler_threads") == 0) {
		if (number_u32(value, &cell->scheduler_threads))
			return wrong(file, -EINVAL, "scheduler_threads must be a number not below 0", value);
	}
	return 0;
}

static int aliases_line(struct common_file *file, char *line)
{
	return gdi_hostnames_alias(&file->cell->names, line);
}

static int act_qmaster_line(struct common_file *file, char *line)
{
	if (file->qmaster)
		return 0;
	if (strlen(line) > GDI_HOSTNAME_MOST || strpbrk(line, " \t<>&\"'/"))
		return wrong(file, -EINVAL, "this is not a valid host name", line);
	file->qmaster = strdup(gdi_hostnames_name(&file->cell->names, line));
	return file->qmaster ? 0 : -ENOMEM;
}

int gdi_cell_qmaster(const struct gdi_cell *cell, char **qmaster, struct error *error)
{
	struct common_file file = { .error = error };
	int rc = common_read((struct gdi_cell *)cell, "act_qmaster", act_qmaster_line, &file);

	if (rc == 0 && !file.qmaster)
		rc = error_set(error, -EINVAL, "%s/common/act_qmaster is empty: no qmaster has been started yet",
			       cell->directory);
	if (rc) {
		free(file.qmaster);
		file.qmaster = NULL;
	}
	*qmaster = file.qmaster;
	return rc;
}

/* Find ROOT/CELL. */
static int directory_find(struct gdi_cell *gdi_cell, const char *directory, struct error *error)
{
	const char *root = getenv("SGE_ROOT"), *cell = getenv("SGE_CELL");
	char path[4100];

	if (!directory && (!root || !*root))
		return error_set(error, -ENOENT,
				 "no cell is selected: SGE_ROOT is not set, and no directory ROOT/CELL was given");
	if (!directory)
		snprintf(path, sizeof(path), "%s/%s", root, cell && *cell ? cell : "default");
	gdi_cell->directory = strdup(directory ? directory : path);
	if (!gdi_cell->directory)
		return -ENOMEM;
	if (strlen(gdi_cell->directory) > 4000)
		return error_set(error, -ENOENT, "the name of the cell's directory is too long");
	return 0;
}

static bool has_bootstrap(const char *directory)
{
	char path[4200];

	return snprintf(path, sizeof(path), "%s/common/bootstrap", directory) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

bool gdi_cell_below(const char *root, char *path, size_t size)
{
	const char *cell = getenv("SGE_CELL");

	return !has_bootstrap(root) &&
	       snprintf(path, size, "%s/%s", root, cell && *cell ? cell : "default") < (int)size && has_bootstrap(path);
}

static int port_find(struct gdi_cell *cell, struct error *error)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	const char *given = getenv("SGE_QMASTER_PORT");
	struct addrinfo *found = NULL;
	uint32_t port = 0;

	if (given && *given && (number_u32(given, &port) || port < 1 || port > 65535))
		return error_set(error, -EADDRNOTAVAIL, "SGE_QMASTER_PORT is '%.20s': it must be from 1 to 65535",
				 given);
	if (port == 0) {
		if (getaddrinfo(NULL, "sge_qmaster", &hints, &found))
			return error_set(
				error, -EADDRNOTAVAIL,
				"no port of the qmaster: SGE_QMASTER_PORT is not set, and /etc/services has no "
				"sge_qmaster");
		port = ntohs(((struct sockaddr_in *)(void *)found->ai_addr)->sin_port);
		freeaddrinfo(found);
	}
	cell->port = (uint16_t)port;
	return 0;
}

static int host_find(struct gdi_cell *cell, struct error *error)
{
	char *own = gdi_hostnames_own(error);

	if (!own)
		return -EADDRNOTAVAIL;
	cell->host = strdup(gdi_hostnames_name(&cell->names, own));
	free(own);
	return cell->host ? 0 : -ENOMEM;
}

/*
 * Read bootstrap. Suggest the cell below the directory, because SGE_ROOT is often given instead of
 * SGE_ROOT/SGE_CELL.
 */
static int bootstrap_read(struct gdi_cell *cell, struct common_file *file)
{
	struct error first;
	char below[4200];
	int rc = common_read(cell, "bootstrap", bootstrap_line, file);

	if (rc != -ENOENT || !gdi_cell_below(cell->directory, below, sizeof(below)))
		return rc;
	first = *file->error;
	return error_set(file->error, rc, "%.200s; there is a cell in %.200s", first.text, below);
}

int gdi_cell_read(struct gdi_cell *cell, const char *directory, struct error *error)
{
	struct common_file file = { .error = error };
	struct error aliases = { "" };
	int rc;

	*cell = (struct gdi_cell){ .scheduler_threads = 1 };
	rc = directory_find(cell, directory, error);
	if (rc == 0)
		rc = bootstrap_read(cell, &file);
	if (rc == 0) {
		file.error = &aliases;
		rc = common_read(cell, "host_aliases", aliases_line, &file);
		/* A cell need not have this file. */
		rc = rc == -ENOENT ? 0 : error_set(error, rc, "%s", aliases.text);
	}
	if (rc == 0)
		rc = port_find(cell, error);
	if (rc == 0)
		rc = host_find(cell, error);
	if (rc == 0)
		rc = gdi_cell_qmaster(cell, &cell->qmaster, error);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

void gdi_cell_free(struct gdi_cell *cell)
{
	free(cell->directory);
	free(cell->qmaster);
	free(cell->host);
	free(cell->admin_user);
	free(cell->munge_socket);
	gdi_hostnames_free(&cell->names);
	*cell = (struct gdi_cell){ .directory = NULL };
}

bool gdi_hosts_equal(const struct gdi_cell *cell, const char *a, const char *b)
{
	return gdi_hostnames_equal(&cell->names, a, b);
}
