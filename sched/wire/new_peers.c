/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/new_peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FILTER_LINES (8 + 5 * NEW_PEERS_BANS)

static bool address_same(const struct address *a, const struct address *b)
{
	return a->version == b->version && a->high == b->high && a->low == b->low;
}

/* Get the address of the peer. Returns false if it is not an internet connection. */
static bool peer_look_up(int fd, struct address *address)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t size = sizeof(peer);
	uint32_t word[4];

	if (getpeername(fd, (struct sockaddr *)&peer, &size))
		return false;
	if (peer.ss_family == AF_INET) {
		*address = (struct address){ .version = 4,
					     .low = ntohl(((const struct sockaddr_in *)&peer)->sin_addr.s_addr) };
		return true;
	}
	if (peer.ss_family != AF_INET6)
		return false;
	memcpy(word, &((const struct sockaddr_in6 *)&peer)->sin6_addr, sizeof(word));
	if (word[0] == 0 && word[1] == 0 && word[2] == htonl(0xffff))
		*address = (struct address){ .version = 4, .low = ntohl(word[3]) };
	else
		*address = (struct address){ .version = 6, .high = ntohl(word[0]), .low = ntohl(word[1]) };
	return true;
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) ? 0 : cookie;
}

/* Banned addresses */

static bool ban_is_on(const struct ban *ban)
{
	return ban->pushed >= NEW_PEERS_PUSHED;
}

/*
 * Attach a packet filter to the listener that drops packets of banned addresses. Without bans it
 * accepts all packets. If the kernel does not permit filters to this user, connections of banned
 * addresses are still accepted, and closed by the other limits.
 */
static void filter_set(const struct new_peers *new_peers)
{
	const uint32_t version = (uint32_t)SKF_NET_OFF, v4 = (uint32_t)SKF_NET_OFF + 12,
		       high = (uint32_t)SKF_NET_OFF + 8;
	struct sock_filter line[FILTER_LINES];
	struct sock_fprog program = { .filter = line };
	unsigned n = 0, jump;

	line[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, version);
	line[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4);
	line[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0);
	jump = n++;
	line[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, v4);
	for (size_t k = 0; k < new_peers->nbans; k++) {
		if (!ban_is_on(&new_peers->bans[k]) || new_peers->bans[k].address.version != 4)
			continue;
		line[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, new_peers->bans[k].address.low, 0, 1);
		line[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	}
	line[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	line[jump] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, n - jump - 1);
	for (size_t k = 0; k < new_peers->nbans; k++) {
		if (!ban_is_on(&new_peers->bans[k]) || new_peers->bans[k].address.version != 6)
			continue;
		line[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, high);
		line[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, new_peers->bans[k].address.high, 0, 3);
		line[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, v4);
		line[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, new_peers->bans[k].address.low, 0, 1);
		line[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	}
	line[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	program.len = (unsigned short)n;
	if (new_peers->listener >= 0)
		setsockopt(new_peers->listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/*
 * Return the record of an address, or a new one. Returns NULL if all records are in use;
 * connections of the address are then closed, but the address is not banned.
 */
static struct ban *ban_of(struct new_peers *new_peers, const struct address *address, uint64_t now_ns)
{
	for (size_t k = 0; k < new_peers->nbans; k++)
		if (address_same(&new_peers->bans[k].address, address))
			return &new_peers->bans[k];
	if (new_peers->nbans == NEW_PEERS_BANS)
		return NULL;
	new_peers->bans[new_peers->nbans] = (struct ban){ .address = *address, .until_ns = now_ns + NEW_PEERS_BAN_NS };
	return &new_peers->bans[new_peers->nbans++];
}

static void address_count(struct new_peers *new_peers, const struct address *address, uint64_t now_ns)
{
	struct ban *ban = ban_of(new_peers, address, now_ns);

	if (!ban || ++ban->pushed != NEW_PEERS_PUSHED)
		return;
	ban->until_ns = now_ns + NEW_PEERS_BAN_NS;
	filter_set(new_peers);
}

void new_peers_tick(struct new_peers *new_peers, uint64_t now_ns)
{
	bool heard = false;
	size_t kept = 0;

	for (size_t k = 0; k < new_peers->nbans; k++) {
		if (new_peers->bans[k].until_ns > now_ns)
			new_peers->bans[kept++] = new_peers->bans[k];
		else
			heard |= ban_is_on(&new_peers->bans[k]);
	}
	new_peers->nbans = kept;
	if (heard)
		filter_set(new_peers);
}

/* Current unauthenticated connections */

static void new_peer_remove(struct new_peers *new_peers, size_t k)
{
	memmove(&new_peers->all[k], &new_peers->all[k + 1], (--new_peers->n - k) * sizeof(new_peers->all[0]));
}

/*
 * Close a connection by shutting down a duplicate of its descriptor, which ZeroMQ cannot close in
 * the meantime. ZeroMQ then sees the end of the connection and closes its own descriptor.
 */
static void new_peer_push_out(struct new_peers *new_peers, size_t k, uint64_t now_ns)
{
	struct new_peer out = new_peers->all[k];
	int fd = fcntl(out.fd, F_DUPFD_CLOEXEC, 3);

	new_peer_remove(new_peers, k);
	if (fd >= 0 && cookie_of(fd) == out.cookie && shutdown(fd, SHUT_RDWR) == 0)
		new_peers->pushed_out++;
	if (fd >= 0)
		close(fd);
	address_count(new_peers, &out.address, now_ns);
}

void new_peers_left(struct new_peers *new_peers, int fd)
{
	for (size_t k = new_peers->n; k-- > 0;)
		if (new_peers->all[k].fd == fd) {
			new_peer_remove(new_peers, k);
			return;
		}
}

void new_peers_accepted(struct new_peers *new_peers, int fd, uint64_t now_ns)
{
	struct new_peer peer = { .fd = fd, .cookie = cookie_of(fd) };
	size_t same = 0, oldest = NEW_PEERS_MOST;

	new_peers_left(new_peers, fd);
	if (!peer_look_up(fd, &peer.address))
		return;			/* the connection has ended */
	for (size_t k = new_peers->n; k-- > 0;)
		if (address_same(&new_peers->all[k].address, &peer.address)) {
			same++;
			oldest = k;
		}
	if (same >= NEW_PEERS_EACH)
		new_peer_push_out(new_peers, oldest, now_ns);
	else if (new_peers->n == NEW_PEERS_MOST)
		new_peer_push_out(new_peers, 0, now_ns);
	new_peers->all[new_peers->n++] = peer;
}
