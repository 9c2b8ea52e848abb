/* SPDX-License-Identifier: Apache-2.0 */
/* Limits for connections that have not shown a key, with real connections and a clock of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/wire/new_peers.h"

#define S 1000000000ull

static struct new_peers peers;
static struct sockaddr_storage at;
static socklen_t at_size;

/* The nth address of this family: 127.0.0.n, or ::1. */
static struct sockaddr_storage address_of(int family, unsigned nth, socklen_t *size)
{
	struct sockaddr_storage address = { .ss_family = (sa_family_t)family };

	if (family == AF_INET) {
		((struct sockaddr_in *)&address)->sin_addr.s_addr = htonl(0x7f000000u + nth);
		*size = sizeof(struct sockaddr_in);
	} else {
		((struct sockaddr_in6 *)&address)->sin6_addr = in6addr_loopback;
		*size = sizeof(struct sockaddr_in6);
	}
	return address;
}

static int listener_setup(void **state, int family)
{
	struct sockaddr_storage address = address_of(family, 1, &at_size);

	peers = (struct new_peers){ .listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
	*state = NULL;
	at = address;
	if (peers.listener < 0 || bind(peers.listener, (struct sockaddr *)&at, at_size) || listen(peers.listener, 512))
		return -1;
	return getsockname(peers.listener, (struct sockaddr *)&at, &at_size);
}

static int v4_setup(void **state)
{
	return listener_setup(state, AF_INET);
}

static int listener_teardown(void **state)
{
	(void)state;
	close(peers.listener);
	return 0;
}

/* Begin a connection from this address. */
static int begin_from(unsigned nth)
{
	socklen_t size;
	struct sockaddr_storage from = address_of(at.ss_family, nth, &size);
	int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&from, size), 0);
	if (connect(fd, (struct sockaddr *)&at, at_size))
		assert_int_equal(errno, EINPROGRESS);
	return fd;
}

/* Accept a connection and return its descriptor here. */
static int taken(void)
{
	struct pollfd waiting = { .fd = peers.listener, .events = POLLIN };
	int fd;

	assert_int_equal(poll(&waiting, 1, 120000), 1);
	fd = accept4(peers.listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

struct pair { int theirs, ours; };

/* Connect from this address at this time. */
static struct pair connect_from(unsigned nth, uint64_t now_ns)
{
	struct pair pair;

	pair.theirs = begin_from(nth);
	pair.ours = taken();
	new_peers_accepted(&peers, pair.ours, now_ns);
	return pair;
}

static void pair_close(struct pair pair)
{
	close(pair.theirs);
	close(pair.ours);
}

/* Return whether the peer sees the end of its connection. */
static bool is_ended(const struct pair *pair)
{
	char byte;

	return recv(pair->theirs, &byte, 1, MSG_DONTWAIT) == 0;
}

static void test_the_oldest_of_too_many_connections_of_an_address_is_closed(void **state)
{
	struct pair pairs[NEW_PEERS_EACH + 1], other = connect_from(2, 0);

	(void)state;
	for (unsigned k = 0; k < NEW_PEERS_EACH; k++)
		pairs[k] = connect_from(1, k);
	assert_int_equal(peers.pushed_out, 0);
	pairs[NEW_PEERS_EACH] = connect_from(1, NEW_PEERS_EACH);
	assert_int_equal(peers.pushed_out, 1);
	assert_true(is_ended(&pairs[0]));
	assert_false(is_ended(&pairs[1]) || is_ended(&pairs[NEW_PEERS_EACH]) || is_ended(&other));
	assert_int_equal(peers.n, NEW_PEERS_EACH + 1);
	/* One that has shown a key does not count. */
	new_peers_left(&peers, pairs[5].ours);
	new_peers_left(&peers, pairs[5].ours);
	assert_int_equal(peers.n, NEW_PEERS_EACH);
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pair_close(pairs[k]);
	pair_close(other);
}

static void test_the_oldest_of_all_is_closed_if_there_are_too_many_in_total(void **state)
{
	static struct pair pairs[NEW_PEERS_MOST + 1];

	(void)state;
	for (unsigned k = 0; k <= NEW_PEERS_MOST; k++)
		pairs[k] = connect_from(1 + k / 50, k);
	assert_int_equal(peers.pushed_out, 1);
	assert_int_equal(peers.n, NEW_PEERS_MOST);
	assert_true(is_ended(&pairs[0]));
	assert_false(is_ended(&pairs[1]));
	for (unsigned k = 0; k <= NEW_PEERS_MOST; k++)
		pair_close(pairs[k]);
}

/* ZeroMQ has closed its descriptor, and the number belongs to another connection. */
static void test_a_descriptor_that_was_used_again_is_left_alone(void **state)
{
	struct pair pairs[NEW_PEERS_EACH + 1], another;

	(void)state;
	for (unsigned k = 0; k < NEW_PEERS_EACH; k++)
		pairs[k] = connect_from(1, k);
	another = (struct pair){ begin_from(3), taken() };
	assert_true(dup2(another.ours, pairs[0].ours) >= 0);
	pairs[NEW_PEERS_EACH] = connect_from(1, 99);
	assert_int_equal(peers.pushed_out, 0);
	assert_false(is_ended(&another));
	assert_int_equal(peers.n, NEW_PEERS_EACH);
	/* A descriptor that is reported again replaces the one before. */
	new_peers_accepted(&peers, pairs[3].ours, 100);
	assert_int_equal(peers.n, NEW_PEERS_EACH);
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pair_close(pairs[k]);
	pair_close(another);
}

static void test_a_connection_that_has_ended_or_is_none_of_the_network_is_not_counted(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	new_peers_accepted(&peers, pair[0], 0);
	new_peers_accepted(&peers, -1, 0);
	assert_int_equal(peers.n, 0);
	close(pair[0]);
	close(pair[1]);
}

/* Skip the test if the kernel does not permit this user to filter packets, as some do. */
static void need_filters(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	struct sock_fprog program = { .len = 1, .filter = &all };

	if (setsockopt(peers.listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0)
		return;
	print_message("this user cannot filter packets: %s\n", strerror(errno));
	skip();
}

/* Push out connections of this address until it is banned. */
static void ban(unsigned nth, uint64_t now_ns)
{
	static struct pair pairs[NEW_PEERS_EACH + NEW_PEERS_PUSHED];

	for (unsigned k = 0; k < NEW_PEERS_EACH + NEW_PEERS_PUSHED; k++)
		pairs[k] = connect_from(nth, now_ns);
	assert_int_equal(peers.pushed_out, NEW_PEERS_PUSHED);
	for (unsigned k = 0; k < NEW_PEERS_EACH + NEW_PEERS_PUSHED; k++) {
		new_peers_left(&peers, pairs[k].ours);
		pair_close(pairs[k]);
	}
	assert_int_equal(peers.n, 0);
}

/* Packets over the loopback arrive in order, so the second connection proves that the first was dropped. */
static void test_a_banned_address_is_not_heard_until_its_time_is_over(void **state)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	struct pair heard;
	int unheard;

	(void)state;
	need_filters();
	ban(2, 10 * S);
	unheard = begin_from(2);
	heard.theirs = begin_from(3);
	heard.ours = taken();
	assert_int_equal(getpeername(heard.ours, (struct sockaddr *)&from, &size), 0);
	assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000003);
	assert_int_equal(accept(peers.listener, NULL, NULL), -1);
	close(unheard);
	new_peers_tick(&peers, 10 * S + NEW_PEERS_BAN_NS - 1);
	assert_int_equal(peers.nbans, 1);
	new_peers_tick(&peers, 10 * S + NEW_PEERS_BAN_NS);
	assert_int_equal(peers.nbans, 0);
	pair_close(heard);
	pair_close(connect_from(2, 20 * S));
}

static void test_a_few_closed_connections_are_forgotten_after_a_time(void **state)
{
	static struct pair pairs[NEW_PEERS_EACH + 1];

	(void)state;
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pairs[k] = connect_from(1, 0);
	assert_int_equal(peers.nbans, 1);
	new_peers_tick(&peers, NEW_PEERS_BAN_NS);
	assert_int_equal(peers.nbans, 0);
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pair_close(pairs[k]);
}

/* Further addresses are closed as before, but not banned. */
static void test_no_more_addresses_than_the_limit_are_banned(void **state)
{
	struct pair pairs[NEW_PEERS_EACH + 1];

	(void)state;
	for (unsigned k = 0; k < NEW_PEERS_BANS; k++)
		peers.bans[k] = (struct ban){ { 0, k + 1, 4 }, NEW_PEERS_PUSHED, S };
	peers.nbans = NEW_PEERS_BANS;
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pairs[k] = connect_from(1, 0);
	assert_int_equal(peers.pushed_out, 1);
	assert_int_equal(peers.nbans, NEW_PEERS_BANS);
	for (unsigned k = 0; k <= NEW_PEERS_EACH; k++)
		pair_close(pairs[k]);
}

static void test_an_address_of_ipv6_is_banned(void **state)
{
	int unheard;

	if (listener_setup(state, AF_INET6)) {
		print_message("this machine has no ::1\n");
		skip();
	}
	need_filters();
	ban(1, 0);
	assert_int_equal(peers.bans[0].address.version, 6);
	unheard = begin_from(1);
	assert_int_equal(accept(peers.listener, NULL, NULL), -1);
	close(unheard);
	new_peers_tick(&peers, NEW_PEERS_BAN_NS);
	pair_close(connect_from(1, 20 * S));
	listener_teardown(state);
}

#define V4(name) cmocka_unit_test_setup_teardown(name, v4_setup, listener_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		V4(test_the_oldest_of_too_many_connections_of_an_address_is_closed),
		V4(test_the_oldest_of_all_is_closed_if_there_are_too_many_in_total),
		V4(test_a_descriptor_that_was_used_again_is_left_alone),
		V4(test_a_connection_that_has_ended_or_is_none_of_the_network_is_not_counted),
		V4(test_a_banned_address_is_not_heard_until_its_time_is_over),
		V4(test_a_few_closed_connections_are_forgotten_after_a_time),
		V4(test_no_more_addresses_than_the_limit_are_banned),
		cmocka_unit_test(test_an_address_of_ipv6_is_banned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
