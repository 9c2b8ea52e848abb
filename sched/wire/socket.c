/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/socket.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/content.h"

#define QUEUE_MESSAGES 4		/* kept by ZeroMQ for each connection and direction */
/* longest part, with the bytes that CURVE adds; a longer one cuts the connection */
#define PART_BYTES (WIRE_BYTES + 4096)

static int options_set(void *socket, const struct socket_option *options, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (zmq_setsockopt(socket, options[i].name, &options[i].value, sizeof(options[i].value)))
			return -errno;
	return 0;
}

int socket_configure(void *socket, const struct key *secret, const struct socket_option *options, size_t n)
{
	const struct socket_option common[] = {
		{ ZMQ_LINGER, 0 },
		{ ZMQ_SNDHWM, QUEUE_MESSAGES },
		{ ZMQ_RCVHWM, QUEUE_MESSAGES },
		{ ZMQ_IPV6, access("/proc/net/if_inet6", R_OK) == 0 },
	};
	const int64_t longest = PART_BYTES;
	int rc = options_set(socket, common, sizeof(common) / sizeof(*common));

	if (rc == 0)
		rc = options_set(socket, options, n);
	if (rc == 0 && (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) ||
			zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret->text, KEY_CHARS + 1)))
		rc = -errno;
	return rc;
}

int connection_keys_read(struct connection_keys *keys, const char *dir, const char *name, struct error *error)
{
	char path[4096];
	int rc;

	if (!host_name_is_valid(name))
		return error_set(error, -EINVAL, "\"%.60s\" is not a valid host name", name);
	if (key_path(path, sizeof(path), dir, name, true))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", dir);
	rc = key_read(path, true, &keys->secret, error);
	if (rc)
		return rc;
	if (zmq_curve_public(keys->public.text, keys->secret.text))
		return error_set(error, -EINVAL, "%.120s: no key", path);
	(void)key_path(path, sizeof(path), dir, NULL, false);
	return key_read(path, false, &keys->server, error);
}
