/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint(5): execution hosts save the jobs; the scheduler only needs to know that the
 * environment exists
 */
#include <stdlib.h>

#include "conf/fields.h"
#include "conf/gridengine/readers.h"

static const struct field table[] = {
	REQUIRED("ckpt_name", field_name, struct checkpoint, name, NULL),
	{ .name = "interface" }, { .name = "ckpt_command" }, { .name = "migr_command" }, { .name = "restart_command" },
	{ .name = "clean_command" }, { .name = "ckpt_dir" }, { .name = "signal" }, { .name = "when" },
	{ .name = "version" },
};

static int checkpoint_read(struct reader *reader, const char *path, void *item)
{
	struct fields fields;
	int rc = fields_read(&fields, table, sizeof(table) / sizeof(*table), path, item, reader->report);

	fields_close(&fields);
	return rc;
}

static void checkpoint_clear(void *item)
{
	free(((struct checkpoint *)item)->name);
}

const struct kind kind_checkpoints = {
	"ckpt", offsetof(struct cell, checkpoints), offsetof(struct cell, ncheckpoints), sizeof(struct checkpoint),
	checkpoint_read, checkpoint_clear,
};
