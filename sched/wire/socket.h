/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a ZeroMQ socket at either end of the wire. */
#ifndef WIRE_SOCKET_H
#define WIRE_SOCKET_H

#include <stddef.h>

#include "conf/base/error.h"
#include "sched/wire/keys.h"

struct socket_option {
	int name, value;	/* ZMQ_*, of type int */
};

/*
 * Set the options that both ends have, its secret key, then the given options. Both ends keep few
 * messages in queues, refuse long parts, use IPv6 if the machine has it, and drop unsent messages
 * when they close. Returns 0 or -errno.
 */
int socket_configure(void *socket, const struct key *secret, const struct socket_option *options, size_t n);

/* Keys with which a host connects to a scheduler. */
struct connection_keys {
	struct key server, public, secret;
};

/*
 * Read scheduler.pub and the secret of host `name`, and derive its public key. Returns -EINVAL if
 * the name is not a host name, -ENAMETOOLONG, or an error of key_read().
 */
int connection_keys_read(struct connection_keys *keys, const char *dir, const char *name, struct error *error);

#endif
