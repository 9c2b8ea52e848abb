/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a cell's qmaster is found and spoken to: bootstrap, act_qmaster and host_aliases of
 * $SGE_ROOT/$SGE_CELL/common, the port, and names of hosts as the qmaster compares them.
 */
#ifndef SCHED_QMASTER_GDI_CELL_H
#define SCHED_QMASTER_GDI_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/gdi/hostnames.h"

enum gdi_security { GDI_SECURITY_NONE, GDI_SECURITY_MUNGE };

struct gdi_cell {
	char *directory;		/* ROOT/CELL */
	char *qmaster;			/* host of act_qmaster, aliases applied */
	char *host;			/* this one, as the qmaster is told: official name, aliases applied */
	uint16_t port;
	enum gdi_security security;
	char *munge_socket;		/* of munged; NULL: the default */
	char *admin_user;		/* NULL: root */
	uint32_t scheduler_threads;	/* that a qmaster starts with */
	struct gdi_hostnames names;
};

/*
 * `directory` is ROOT/CELL, NULL: $SGE_ROOT/$SGE_CELL, with `default` where SGE_CELL is not set.
 * The port is $SGE_QMASTER_PORT, else the service sge_qmaster. gdi_cell_free() must follow,
 * whatever comes back: -ENOENT (no such cell or file), -EINVAL (a file that can't be used:
 * file:line),
 * -ENOTSUP (security_mode csp and others that are not supported), -EADDRNOTAVAIL (no port, no name
 * of this host), -ENOMEM, -EIO.
 */
int gdi_cell_read(struct gdi_cell *cell, const char *directory, struct error *error);
void gdi_cell_free(struct gdi_cell *cell);
/* Whether `root` is no cell, but has one below: in $SGE_CELL, or in `default`. `path`: that one. */
bool gdi_cell_below(const char *root, char *path, size_t size);

/*
 * act_qmaster once more: where a shadow has taken over it names another host, from malloc(3). The
 * cell stays as it is. NULL with errno and the reason.
 */
char *gdi_cell_qmaster(const struct gdi_cell *cell, struct error *error);

/* Whether two names mean the same host to this cell. */
bool gdi_hosts_equal(const struct gdi_cell *cell, const char *a, const char *b);

/*
 * What a request says about who sends it, from malloc(3): the text "none:UID GID USER GROUP", or
 * with munge a fresh credential, which can be used once. munged is waited for GDI_CREDENTIAL_MS at
 * most.
 * NULL with errno and the reason.
 */
#define GDI_CREDENTIAL_MS 2000
char *gdi_credential(const struct gdi_cell *cell, struct error *error);

#endif
