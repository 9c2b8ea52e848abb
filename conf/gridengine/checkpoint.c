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

const struct kind kind_checkpoints = { KIND("ckpt", checkpoints, struct checkpoint), KIND_TABLE(table) };
