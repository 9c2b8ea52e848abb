/* SPDX-License-Identifier: Apache-2.0 */
/* Rule of a resource quota set: one limit line of sge_resource_quota(5). */
#ifndef CONF_GRIDENGINE_QUOTA_RULE_H
#define CONF_GRIDENGINE_QUOTA_RULE_H

#include "conf/gridengine/readers.h"
#include "conf/text.h"

extern const char *const quota_words[QUOTA_KINDS];	/* users, projects ... */

/*
 * Add a rule to the set. `text` is the part after "limit" of the line that text_line() returned
 * last. Faults are reported for that line. Returns 0 or -ENOMEM.
 */
int quota_rule_read(struct reader *reader, const struct text *t, struct quota_set *set, char *text);

void quota_rule_clear(struct quota_rule *rule);

#endif
