/* SPDX-License-Identifier: Apache-2.0 */
/* DIR/qos: output of `sacctmgr -P show qos`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/slurm/files.h"

enum { NAME, PRIORITY, USAGE_FACTOR, FLAGS, COLUMNS };
static const char *const columns[COLUMNS] = { "Name", "Priority", "UsageFactor", "Flags" };

static void value_fault(struct columns *c, size_t column, const char *allowed)
{
	report_add(c->text.report, FAULT, c->text.path, c->text.number, "error parsing value \"%.60s\" of %s: %s",
		   c->cells[column], columns[column], allowed);
}

static int row_read(struct columns *c, struct slurm_conf *conf)
{
	struct slurm_qos *qos;
	struct error error;
	uint64_t priority = 0;
	double factor = 1;

	if (!*c->cells[NAME] || strlen(c->cells[NAME]) > SLURM_NAME_MOST) {
		value_fault(c, NAME, "1 to 255 bytes are allowed");
		return 0;
	}
	if (*c->cells[PRIORITY] && slurm_number(c->cells[PRIORITY], UINT32_MAX - 1, &priority, &error))
		value_fault(c, PRIORITY, error.text);
	if (*c->cells[USAGE_FACTOR] &&
	    (number_double(c->cells[USAGE_FACTOR], &factor) || factor > FIELD_LIMIT || factor < -FIELD_LIMIT))
		value_fault(c, USAGE_FACTOR, "a number from -1e100 to 1e100 is allowed");
	qos = array_add(&conf->qos, &conf->nqos, sizeof(*qos));
	if (!qos)
		return -ENOMEM;
	*qos = (struct slurm_qos){ strdup(c->cells[NAME]), (uint32_t)priority, factor,
				   strcasestr(c->cells[FLAGS], "NoDecay") != NULL };
	return qos->name ? 0 : -ENOMEM;
}

static int names_index(struct columns *c, struct slurm_conf *conf)
{
	struct slurm_name *names = calloc(conf->nqos ? conf->nqos : 1, sizeof(*names));
	size_t i;

	if (!names)
		return -ENOMEM;
	conf->qos_names = names;
	for (i = 0; i < conf->nqos; i++)
		names[i] = (struct slurm_name){ conf->qos[i].name, (uint32_t)i };
	array_sort(names, conf->nqos, sizeof(*names));
	for (i = 1; i < conf->nqos; i++)
		if (!strcmp(names[i - 1].name, names[i].name))
			report_add(c->text.report, FAULT, c->text.path, 0,
				   "QOS \"%.60s\" appears twice: once is allowed", names[i].name);
	return 0;
}

int slurm_qos_read(struct reader *reader)
{
	struct slurm_conf *conf = &reader->cell->slurm;
	char *path = path_join(reader->dir, NULL, "qos");
	struct columns c = { 0 };
	int rc = path ? columns_open(&c, path, columns, COLUMNS, PRIORITY + 1, reader->report) : -ENOMEM;

	while (!rc && columns_next(&c))
		rc = row_read(&c, conf);
	if (!rc)
		rc = names_index(&c, conf);
	columns_close(&c);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
