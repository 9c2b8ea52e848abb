/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/peer.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

static bool address_of(int (*get)(int, struct sockaddr *restrict, socklen_t *restrict), int fd,
		       struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);

	return get(fd, (struct sockaddr *)address, &size) == 0 && address->sin_family == AF_INET;
}

/*
 * Find the peer in /proc/net/tcp; see proc(5). Its end of the connection has an entry of its own,
 * whose local address is our remote address.
 */
bool gdi_peer_user(int fd, uid_t *uid)
{
	struct sockaddr_in own, peer;
	char line[300];
	bool found = false;
	FILE *file;

	if (!address_of(getsockname, fd, &own) || !address_of(getpeername, fd, &peer))
		return false;
	file = fopen("/proc/thread-self/net/tcp", "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		unsigned local, local_port, remote, remote_port, user;

		found = sscanf(line, "%*d: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %u", &local, &local_port, &remote,
			       &remote_port, &user) == 5 &&
			local == peer.sin_addr.s_addr && local_port == ntohs(peer.sin_port) &&
			remote == own.sin_addr.s_addr && remote_port == ntohs(own.sin_port);
		if (found)
			*uid = user;
	}
	fclose(file);
	return found;
}
