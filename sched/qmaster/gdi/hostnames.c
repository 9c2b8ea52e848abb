/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/hostnames.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "conf/base/columns.h"
#include "conf/text.h"

#define SEPARATORS " \t,"

void gdi_hostnames_free(struct gdi_hostnames *hostnames)
{
	free(hostnames->default_domain);
	text_set_free(&hostnames->aliases);
	text_set_free(&hostnames->names);
	free(hostnames->stands_for);
	*hostnames = (struct gdi_hostnames){ .capacity = 0 };
}

static void lower(char *to, size_t size, const char *text)
{
	size_t n = 0;

	for (; text[n] && n + 1 < size; n++)
		to[n] = (char)tolower((unsigned char)text[n]);
	to[n] = '\0';
}

static int alias_add(struct gdi_hostnames *hostnames, const char *alias, uint32_t name)
{
	char small[GDI_HOSTNAME_MOST + 1];
	uint32_t number;

	lower(small, sizeof(small), alias);
	if (array_reserve(&hostnames->capacity, hostnames->aliases.n + 1, COLUMN(hostnames->stands_for)))
		return -ENOMEM;
	if (text_set_add(&hostnames->aliases, small, &number))
		return -ENOMEM;
	hostnames->stands_for[number] = name;
	return 0;
}

int gdi_hostnames_alias(struct gdi_hostnames *hostnames, char *line)
{
	char *word = text_word(&line, SEPARATORS);
	uint32_t name;
	int rc = 0;

	if (!word)
		return 0;
	if (text_set_add(&hostnames->names, word, &name))
		return -ENOMEM;
	while (rc == 0 && (word = text_word(&line, SEPARATORS)))
		rc = alias_add(hostnames, word, name);
	return rc;
}

const char *gdi_hostnames_name(const struct gdi_hostnames *hostnames, const char *host)
{
	char small[GDI_HOSTNAME_MOST + 1];
	uint32_t number;

	if (hostnames->aliases.n == 0)
		return host;
	lower(small, sizeof(small), host);
	number = text_set_find(&hostnames->aliases, small);
	return number == INDEX_NONE ? host : hostnames->names.texts[hostnames->stands_for[number]];
}

/* Convert a name to the form in which it is compared. */
static void compared(const struct gdi_hostnames *hostnames, const char *host, char *to, size_t size)
{
	const char *name = gdi_hostnames_name(hostnames, host), *dot = strchr(name, '.');

	if (hostnames->ignore_fqdn)
		snprintf(to, size, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strnlen(name, size)), name);
	else if (hostnames->default_domain && !dot)
		snprintf(to, size, "%s.%s", name, hostnames->default_domain);
	else
		snprintf(to, size, "%s", name);
}

bool gdi_hostnames_equal(const struct gdi_hostnames *hostnames, const char *a, const char *b)
{
	char one[2 * GDI_HOSTNAME_MOST + 2], other[2 * GDI_HOSTNAME_MOST + 2];

	compared(hostnames, a, one, sizeof(one));
	compared(hostnames, b, other, sizeof(other));
	return strcasecmp(one, other) == 0;
}

char *gdi_hostnames_own(struct error *error)
{
	const struct addrinfo hints = { .ai_flags = AI_CANONNAME, .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	char host[GDI_HOSTNAME_MOST + 1] = "";
	struct addrinfo *found = NULL;
	char *name;
	int rc;

	gethostname(host, sizeof(host) - 1);
	rc = getaddrinfo(host, NULL, &hints, &found);
	if (rc) {
		error_set(error, -EADDRNOTAVAIL, "the name of this host, %s, has no address: %s", host,
			  gai_strerror(rc));
		return NULL;
	}
	name = strdup(found->ai_canonname ? found->ai_canonname : host);
	freeaddrinfo(found);
	if (!name)
		error_set(error, -ENOMEM, "out of memory for the name of this host");
	return name;
}
