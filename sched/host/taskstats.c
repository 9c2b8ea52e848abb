/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record counts one thread. Records of another kind count a process of several threads as a
 * whole. They have no CPU time of threads that ended earlier, and are ignored.
 */
#include "sched/host/taskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/host/proc.h"

/* first version of the record with the process of a thread (Linux 5.19) */
#define VERSION_LEAST 12
#define MESSAGE_BYTES 8192
#define CPUS "/sys/devices/system/cpu/possible"

struct netlink_message {
	struct nlmsghdr head;
	struct genlmsghdr generic;
	char attributes[MESSAGE_BYTES];
};

/* Attributes */

struct attribute {
	const char *data;
	size_t bytes;
};

/* Return the first attribute of this type. data NULL: there is none, or its length is wrong. */
static struct attribute attribute_find(struct attribute in, int type)
{
	struct nlattr head;

	while (in.bytes >= sizeof(head)) {
		size_t step;

		memcpy(&head, in.data, sizeof(head));
		if (head.nla_len < sizeof(head) || head.nla_len > in.bytes)
			break;
		if ((head.nla_type & NLA_TYPE_MASK) == type)
			return (struct attribute){ in.data + NLA_HDRLEN, head.nla_len - NLA_HDRLEN };
		step = NLA_ALIGN(head.nla_len);
		step = step < in.bytes ? step : in.bytes;
		in.data += step;
		in.bytes -= step;
	}
	return (struct attribute){ NULL, 0 };
}

static void attribute_put(struct netlink_message *message, uint16_t type, const char *text)
{
	struct nlattr head = { .nla_len = (uint16_t)(NLA_HDRLEN + strlen(text) + 1), .nla_type = type };

	memcpy(message->attributes, &head, sizeof(head));
	strcpy(message->attributes + NLA_HDRLEN, text);
	message->head.nlmsg_len = (uint32_t)(offsetof(struct netlink_message, attributes) + NLA_ALIGN(head.nla_len));
}

static struct attribute attributes_of(const struct netlink_message *message, size_t bytes)
{
	size_t before = offsetof(struct netlink_message, attributes);

	return (struct attribute){ message->attributes, bytes > before ? bytes - before : 0 };
}

/* Messages */

/* Read a message from the kernel. Returns its length, 0 if there is none, or -errno. */
static ssize_t message_read(const struct taskstats_socket *socket, struct netlink_message *message)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(from);
	ssize_t n;

	do
		n = recvfrom(socket->fd, message, sizeof(*message), MSG_DONTWAIT, (struct sockaddr *)&from, &size);
	while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid));
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
	if ((size_t)n < sizeof(message->head) || message->head.nlmsg_len < sizeof(message->head) ||
	    message->head.nlmsg_len > (size_t)n)
		return -EPROTO;
	return (ssize_t)message->head.nlmsg_len;
}

/*
 * Send a request. The kernel has answered when sendto() returns. Without `answer` it only
 * acknowledges.
 */
static int request(const struct taskstats_socket *socket, struct netlink_message *message, uint16_t family,
		   struct attribute *answer)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t n;
	int rc;

	message->head.nlmsg_type = family;
	message->head.nlmsg_flags = NLM_F_REQUEST | (answer ? 0 : NLM_F_ACK);
	if (sendto(socket->fd, message, message->head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	do	/* records may arrive before the answer */
		n = message_read(socket, message);
	while (n > 0 && message->head.nlmsg_type != NLMSG_ERROR && !(answer && message->head.nlmsg_type == family));
	if (n <= 0)
		return n ? (int)n : -EPROTO;
	if (message->head.nlmsg_type == NLMSG_ERROR) {
		memcpy(&rc, (char *)message + NLMSG_HDRLEN, sizeof(rc));
		return answer && !rc ? -EPROTO : rc;
	}
	*answer = attributes_of(message, (size_t)n);
	return 0;
}

static int family_find(struct taskstats_socket *socket)
{
	struct netlink_message message = { .generic = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 } };
	struct attribute answer, id;
	int rc;

	attribute_put(&message, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	rc = request(socket, &message, GENL_ID_CTRL, &answer);
	if (rc)
		return rc;
	id = attribute_find(answer, CTRL_ATTR_FAMILY_ID);
	if (id.bytes < sizeof(socket->family))
		return -EPROTO;
	memcpy(&socket->family, id.data, sizeof(socket->family));
	return 0;
}

static int listen_to_all(const struct taskstats_socket *socket)
{
	struct netlink_message message = { .generic = { .cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION } };
	char cpus[1024];
	ssize_t n = proc_read(AT_FDCWD, CPUS, cpus, sizeof(cpus));

	if (n < 0)
		return (int)n;
	cpus[strcspn(cpus, "\n")] = '\0';
	attribute_put(&message, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
	return request(socket, &message, socket->family, NULL);
}

/* Records */

static uint64_t began_of(const struct taskstats_socket *socket, uint64_t elapsed_us)
{
	struct timespec now;
	uint64_t us;

	clock_gettime(CLOCK_BOOTTIME, &now);
	us = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
	us = us > elapsed_us ? us - elapsed_us : 0;
	return us / (1000000u / (uint64_t)socket->ticks_per_s) + 1;
}

/* Read a record. Returns false if the message is not the record of a thread, or is incomplete. */
static bool record_parse(const struct taskstats_socket *socket, struct attribute in, struct taskstats_record *record)
{
	struct attribute thread = attribute_find(in, TASKSTATS_TYPE_AGGR_PID),
			 stats = attribute_find(thread, TASKSTATS_TYPE_STATS);
	struct taskstats taskstats = { .version = 0 };

	if (!stats.data)
		return false;
	memcpy(&taskstats, stats.data, stats.bytes < sizeof(taskstats) ? stats.bytes : sizeof(taskstats));
	if (taskstats.version < VERSION_LEAST ||
	    stats.bytes < offsetof(struct taskstats, ac_tgid) + sizeof(taskstats.ac_tgid))
		return false;
	*record = (struct taskstats_record){
		.process = (pid_t)taskstats.ac_tgid,
		.parent = (pid_t)taskstats.ac_ppid,
		/* in nanoseconds; the other fields are counted in clock ticks, or are missing */
		.cpu_ns = taskstats.cpu_run_virtual_total ? taskstats.cpu_run_virtual_total
							  : 1000 * (taskstats.ac_utime + taskstats.ac_stime),
		.began = began_of(socket, taskstats.ac_etime),
		.last = (taskstats.ac_flag & AGROUP) != 0,
	};
	return true;
}

int taskstats_next(struct taskstats_socket *socket, struct taskstats_record *record)
{
	struct netlink_message message;
	ssize_t n;

	while ((n = message_read(socket, &message)) > 0)
		if (message.head.nlmsg_type == socket->family &&
		    record_parse(socket, attributes_of(&message, (size_t)n), record))
			return 1;
	return (int)n;
}

uint32_t taskstats_lost(struct taskstats_socket *socket)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 }, lost;
	socklen_t size = sizeof(memory);

	if (getsockopt(socket->fd, SOL_SOCKET, SO_MEMINFO, memory, &size))
		return 0;
	lost = memory[SK_MEMINFO_DROPS] - socket->drops;
	socket->drops = memory[SK_MEMINFO_DROPS];
	return lost;
}

/* Opening */

/*
 * Check that the end of a child gives a record, which must exist before its parent can have waited
 * for it.
 */
static int prove(struct taskstats_socket *socket)
{
	struct taskstats_record record;
	pid_t child = fork();
	int n;

	if (child == 0)
		_exit(0);
	if (child < 0)
		return -errno;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	while ((n = taskstats_next(socket, &record)) > 0 || n == -ENOBUFS)
		if (n > 0 && record.process == child && record.last && record.parent == getpid())
			return 0;
	return n ? n : -ENOMSG;
}

static int refused(struct taskstats_socket *socket, int rc, struct error *error)
{
	taskstats_close(socket);
	if (rc == -EPERM)
		return error_set(error, -ENOTSUP, "the request needs CAP_NET_ADMIN");
	if (rc == -ENOENT || rc == -EPROTONOSUPPORT)
		return error_set(error, -ENOTSUP, "this kernel is built without taskstats");
	if (rc == -EAFNOSUPPORT)
		return error_set(error, -ENOTSUP, "netlink sockets are forbidden, for example by "
						  "RestrictAddressFamilies=");
	if (rc == -EINVAL)
		return error_set(error, -ENOTSUP, "the kernel offers it only in the initial user and PID namespaces");
	if (rc == -ENOMSG)
		return error_set(
			error, -ENOTSUP,
			"a test process ended without a complete record: Linux 5.19 or newer is needed");
	return error_set(error, -ENOTSUP, "the kernel refuses the request: %s", strerror(-rc));
}

int taskstats_open(struct taskstats_socket *taskstats_socket, struct error *error)
{
	const int bytes = TASKSTATS_WAITING_BYTES / 2;	/* the kernel doubles it */
	int rc;

	*taskstats_socket = (struct taskstats_socket){ .ticks_per_s = sysconf(_SC_CLK_TCK) };
	taskstats_socket->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (taskstats_socket->fd < 0)
		return refused(taskstats_socket, -errno, error);
	if (setsockopt(taskstats_socket->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		return refused(taskstats_socket, -errno, error);
	rc = family_find(taskstats_socket);
	if (!rc)
		rc = listen_to_all(taskstats_socket);
	if (!rc)
		rc = prove(taskstats_socket);
	return rc ? refused(taskstats_socket, rc, error) : 0;
}

void taskstats_close(struct taskstats_socket *socket)
{
	if (socket->fd >= 0)
		close(socket->fd);
	socket->fd = -1;
}
