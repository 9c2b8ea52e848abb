/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a queue, and the form of their values where it matters. */
#ifndef CONF_GRIDENGINE_QUEUE_FORMS_H
#define CONF_GRIDENGINE_QUEUE_FORMS_H

#include "conf/base/error.h"

enum { QUEUE_ATTRIBUTES = 64 };

/* Return the number of an attribute, below QUEUE_ATTRIBUTES, or -1 for an unknown name. */
int queue_attribute(const char *name);

/* Check a default or an override. Returns 0, or -EINVAL with the allowed values in `error`. */
int queue_form_check(const char *attribute, const char *value, struct error *error);

#endif
