/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line says of execution hosts. */
#include <stdlib.h>
#include <string.h>

#include "sched/daemon/hosts.h"

#define AWAY_MIN_S 2
#define AWAY_MAX_S 86400

static const char *away_take(struct hosts_options *o, const char *value)
{
	char *end;
	unsigned long seconds = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || seconds < AWAY_MIN_S || seconds > AWAY_MAX_S)
		return "a number of seconds is due, 2 to 86400";
	o->hub.away_s = (unsigned)seconds;
	return NULL;
}

static const char *from_hosts_take(struct hosts_options *o, const char *value)
{
	bool both = strcmp(value, "usage,load") == 0 || strcmp(value, "load,usage") == 0;

	o->usage = both || strcmp(value, "usage") == 0;
	o->load = both || strcmp(value, "load") == 0;
	return o->usage || o->load ? NULL : "usage, load or usage,load is due";
}

const char *hosts_option(struct hosts_options *o, enum hosts_option option, const char *value)
{
	switch (option) {
	case HOSTS_ENDPOINT:
		o->hub.endpoint = value;
		return strncmp(value, "tcp://", 6) == 0 ? NULL : "tcp://ADDRESS:PORT is due";
	case HOSTS_KEYS:
		o->hub.keys = value;
		return NULL;
	case HOSTS_FROM_HOSTS:
		return from_hosts_take(o, value);
	case HOSTS_AWAY:
		return away_take(o, value);
	case HOSTS_MUNGE:
		o->hub.munge = true;
		o->hub.munge_socket = value;
		return NULL;
	}
	return NULL;
}

const char *hosts_options_check(const struct hosts_options *o)
{
	if (o->hub.endpoint)
		return o->hub.keys ? NULL : "the keys are due, too: --keys DIR, made by fairlead keygen";
	if (o->hub.keys || o->hub.munge || o->hub.away_s || o->usage || o->load)
		return "due with --keys, --from-hosts, --host-away, --munge";
	return NULL;
}
