/* SPDX-License-Identifier: Apache-2.0 */
/* A rule of a resource quota set: one limit line of sge_resource_quota(5). */
#ifndef CONF_GRIDENGINE_QUOTA_RULE_H
#define CONF_GRIDENGINE_QUOTA_RULE_H

#include "conf/gridengine/readers.h"
#include "conf/text.h"

extern const char *const quota_words[QUOTA_KINDS];	/* users, projects ... */

/*
 * Adds a rule to the set: what stands behind "limit" in the line last returned by text_line(),
 * where all faults are reported. 0 or -ENOMEM.
 */
int quota_rule_read(struct reader *reader, const struct text *t, struct quota_set *set, char *text);

void quota_rule_clear(struct quota_rule *rule);

#endif
