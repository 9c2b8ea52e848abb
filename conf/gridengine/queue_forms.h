/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a queue, and what their values have to look like where it matters. */
#ifndef CONF_GRIDENGINE_QUEUE_FORMS_H
#define CONF_GRIDENGINE_QUEUE_FORMS_H

#include "conf/error.h"

enum { QUEUE_ATTRIBUTES = 64 };

/* A number below QUEUE_ATTRIBUTES, -1 for a name that is none. */
int queue_attribute(const char *name);

/* A default or an override. 0, -EINVAL with what is allowed in `e`. */
int queue_form_check(const char *attribute, const char *value, struct error *error);

#endif
