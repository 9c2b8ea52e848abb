/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of hosts, as the qmaster of a cell compares them: in any case; aliases of host_aliases
 * count as the name that they stand for; a name without a domain has default_domain, and with
 * ignore_fqdn nobody has a domain.
 */
#ifndef SCHED_QMASTER_GDI_HOSTNAMES_H
#define SCHED_QMASTER_GDI_HOSTNAMES_H

#include <stdbool.h>

#include "conf/error.h"
#include "conf/text_set.h"

#define GDI_HOSTNAME_MOST 255

struct gdi_hostnames {			/* zero-initialise */
	bool ignore_fqdn;
	char *default_domain;		/* NULL: none */
	struct text_set aliases;	/* in small letters */
	struct text_set names;
	uint32_t *stands_for;		/* of each alias: the number of its name */
	size_t capacity;		/* of stands_for */
};

void gdi_hostnames_free(struct gdi_hostnames *hostnames);

/* A line of host_aliases, which is cut up: a name, and its aliases. -ENOMEM. */
int gdi_hostnames_alias(struct gdi_hostnames *hostnames, char *line);
/* What an alias stands for; else the name itself. */
const char *gdi_hostnames_name(const struct gdi_hostnames *hostnames, const char *host);
bool gdi_hostnames_equal(const struct gdi_hostnames *hostnames, const char *a, const char *b);

/*
 * This host's official name: what its own name resolves to. From malloc(3); NULL with the reason.
 */
char *gdi_hostnames_own(struct error *error);

#endif
