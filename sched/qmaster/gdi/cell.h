/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of a cell, as needed to reach its qmaster. It consists of bootstrap, act_qmaster
 * and host_aliases of $SGE_ROOT/$SGE_CELL/common, and of the port. Host names have the form in
 * which the qmaster compares them.
 */
#ifndef SCHED_QMASTER_GDI_CELL_H
#define SCHED_QMASTER_GDI_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/gdi/hostnames.h"

enum gdi_security { GDI_SECURITY_NONE, GDI_SECURITY_MUNGE };

struct gdi_cell {
	char *directory;		/* ROOT/CELL */
	char *qmaster;			/* host in act_qmaster, aliases resolved */
	/* Official name of this host, aliases resolved; reported to the qmaster. */
	char *host;
	uint16_t port;
	enum gdi_security security;
	char *munge_socket;		/* socket of munged; NULL: the default */
	char *admin_user;		/* NULL: root */
	uint32_t scheduler_threads;	/* number of scheduler threads when a qmaster starts */
	struct gdi_hostnames names;
};

/*
 * Read the configuration of a cell. `directory` is ROOT/CELL. NULL stands for $SGE_ROOT/$SGE_CELL,
 * with `default` if SGE_CELL is not set. The port is $SGE_QMASTER_PORT, or else the service
 * sge_qmaster. Call gdi_cell_free() in each case.
 *
 * -ENOENT: no such cell or file. -EINVAL: a file cannot be used (file:line). -ENOTSUP:
 * security_mode csp or another one that is not supported. -EADDRNOTAVAIL: no port, or no name of
 * this host. -ENOMEM, -EIO.
 */
int gdi_cell_read(struct gdi_cell *cell, const char *directory, struct error *error);
void gdi_cell_free(struct gdi_cell *cell);
/*
 * Return whether `root` is not a cell but contains one, in $SGE_CELL or in `default`. `path` is set
 * to that cell.
 */
bool gdi_cell_below(const char *root, char *path, size_t size);

/*
 * Read act_qmaster again, into a text from malloc(3). It names another host after a shadow master
 * has taken over. The cell is not changed. Returns errors of gdi_cell_read(); *qmaster is then
 * NULL.
 */
int gdi_cell_qmaster(const struct gdi_cell *cell, char **qmaster, struct error *error);

/* Return whether two names are the same host for this cell. */
bool gdi_hosts_equal(const struct gdi_cell *cell, const char *a, const char *b);

/*
 * Make the credential of a request, a text from malloc(3). It is "none:UID GID USER GROUP" or, with
 * MUNGE, a new credential that can be used once. munged has at most GDI_CREDENTIAL_MS to answer.
 * Returns -ETIMEDOUT or -EIO for MUNGE, -ENOENT if the user or the group has no valid name, or
 * -ENOMEM, with the reason; *credential is then NULL.
 */
#define GDI_CREDENTIAL_MS 2000
int gdi_credential(const struct gdi_cell *cell, char **credential, struct error *error);

#endif
