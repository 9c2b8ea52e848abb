/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define NUMBER_MAX (1ll << 53)

int session_begin(struct session *s)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char random[SESSION_DIGITS / 2];
	ssize_t n = getrandom(random, sizeof(random), 0);

	*s = (struct session){ 0 };
	if (n != (ssize_t)sizeof(random))
		return n < 0 ? -errno : -EIO;
	for (size_t i = 0; i < sizeof(random); i++) {
		s->own[2 * i] = hex[random[i] >> 4];
		s->own[2 * i + 1] = hex[random[i] & 15];
	}
	return 0;
}

const char *session_member(const json_t *message, const char *member)
{
	const char *text = json_string_value(json_object_get(message, member));

	return text && strlen(text) == SESSION_DIGITS && strspn(text, "0123456789abcdef") == SESSION_DIGITS ? text
													    : NULL;
}

int session_stamp(struct session *s, json_t *message)
{
	int failed = json_object_set_new(message, "from", json_string(s->own));

	if (*s->peer)
		failed |= json_object_set_new(message, "to", json_string(s->peer));
	failed |= json_object_set_new(message, "number", json_integer((json_int_t)++s->sent));
	failed |= json_object_set_new(message, "taken", json_integer((json_int_t)s->received));
	return failed ? -ENOMEM : 0;
}

/* Read a message number that is at least `least` (0 for `taken`) and less than NUMBER_MAX. */
static bool number_read(const json_t *message, const char *member, json_int_t least, uint64_t *number)
{
	const json_t *value = json_object_get(message, member);
	json_int_t n = json_integer_value(value);

	*number = (uint64_t)n;
	return json_is_integer(value) && n >= least && n < NUMBER_MAX;
}

enum session_verdict session_take(struct session *s, const json_t *message)
{
	const char *from = session_member(message, "from"), *to = session_member(message, "to");
	uint64_t number, taken;

	if (!from || !to || !number_read(message, "number", 1, &number) || !number_read(message, "taken", 0, &taken))
		return SESSION_MALFORMED;
	if (!*s->peer || strcmp(from, s->peer) != 0 || strcmp(to, s->own) != 0)
		return SESSION_FOREIGN;
	if (taken > s->sent)
		return SESSION_MALFORMED;
	if (number <= s->received)
		return SESSION_REPLAYED;
	s->received = number;
	if (taken > s->acknowledged)
		s->acknowledged = taken;
	return SESSION_TAKEN;
}

enum session_verdict session_meet(struct session *s, const json_t *message)
{
	const char *from = session_member(message, "from");
	uint64_t number;

	if (!from || !number_read(message, "number", 1, &number))
		return SESSION_MALFORMED;
	strcpy(s->peer, from);
	s->received = number;
	return SESSION_TAKEN;
}
