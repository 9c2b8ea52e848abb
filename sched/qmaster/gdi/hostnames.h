/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host names in the form in which the qmaster of a cell compares them. Case does not matter. An
 * alias of host_aliases counts as the name for which it stands. A name without a domain has
 * default_domain. With ignore_fqdn, domains are ignored.
 */
#ifndef SCHED_QMASTER_GDI_HOSTNAMES_H
#define SCHED_QMASTER_GDI_HOSTNAMES_H

#include <stdbool.h>

#include "conf/base/error.h"
#include "conf/base/text_set.h"

#define GDI_HOSTNAME_MOST 255

struct gdi_hostnames {			/* zero-initialise */
	bool ignore_fqdn;
	char *default_domain;		/* NULL: none */
	struct text_set aliases;	/* in lower case */
	struct text_set names;
	uint32_t *stands_for;		/* for each alias: the number of its name */
	size_t capacity;		/* capacity of stands_for */
};

void gdi_hostnames_free(struct gdi_hostnames *hostnames);

/* Add a line of host_aliases: a name and its aliases. The line is modified. -ENOMEM. */
int gdi_hostnames_alias(struct gdi_hostnames *hostnames, char *line);
/* Return the name for which an alias stands, or the name itself. */
const char *gdi_hostnames_name(const struct gdi_hostnames *hostnames, const char *host);
bool gdi_hostnames_equal(const struct gdi_hostnames *hostnames, const char *a, const char *b);

/*
 * Return the official name of this host, to which its own name resolves, from malloc(3). NULL with
 * the reason.
 */
char *gdi_hostnames_own(struct error *error);

#endif
