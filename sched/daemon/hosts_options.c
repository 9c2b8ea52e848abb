/* SPDX-License-Identifier: Apache-2.0 */
/* Options for execution hosts. */
#include <string.h>

#include "sched/daemon/hosts.h"

const char *hosts_endpoint_take(void *options, const char *value)
{
	struct hosts_options *o = options;

	o->hub.endpoint = value;
	return strncmp(value, "tcp://", 6) == 0 ? NULL : "tcp://ADDRESS:PORT is expected";
}

const char *hosts_from_hosts_take(void *options, const char *value)
{
	struct hosts_options *o = options;
	bool both = strcmp(value, "usage,load") == 0 || strcmp(value, "load,usage") == 0;

	o->usage = both || strcmp(value, "usage") == 0;
	o->load = both || strcmp(value, "load") == 0;
	return o->usage || o->load ? NULL : "usage, load or usage,load is expected";
}

const char *hosts_munge_take(void *options, const char *value)
{
	struct hosts_options *o = options;

	o->hub.munge = true;
	o->hub.munge_socket = value;
	return NULL;
}

const char *hosts_options_check(const struct hosts_options *options)
{
	if (options->hub.endpoint)
		return options->hub.keys ? NULL : "it needs the keys: --keys DIR, made by fairlead keygen";
	if (options->hub.keys || options->hub.munge || options->hub.away_s || options->usage || options->load)
		return "needed for --keys, --from-hosts, --host-away, --munge";
	return NULL;
}
