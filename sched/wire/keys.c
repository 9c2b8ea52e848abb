/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/keys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/trust.h"

#define FILE_BYTES 4096
#define PATH_BYTES 4096
#define HOSTS_MAX 65536
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define Z85 "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

bool endpoint_is_valid(const char *endpoint)
{
	const char *colon = strrchr(endpoint, ':');
	char *end;

	if (strncmp(endpoint, "tcp://", 6) != 0 || !colon || colon < endpoint + strlen("tcp://H"))
		return false;
	return colon[1] >= '1' && colon[1] <= '9' && strtoul(colon + 1, &end, 10) <= UINT16_MAX && !*end;
}

bool host_name_is_valid(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length <= HOST_NAME_CHARS && *name != '.' && *name != '-' &&
	       strspn(name, NAME_LETTERS) == length;
}

int key_path(char *path, size_t size, const char *dir, const char *host, bool secret)
{
	int n = snprintf(path, size, "%s/%s%s.%s", dir, host ? "hosts/" : "", host ? host : "scheduler",
			 secret ? "key" : "pub");

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Reading */

/* Find the only line that is neither empty nor a comment. */
static int key_parse(char *text, struct key *key)
{
	char *save, *found = NULL;

	for (char *line = strtok_r(text, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
		line += strspn(line, " \t");
		line[strcspn(line, " \t")] = '\0';
		if (!*line || (*line == '#' && strlen(line) != KEY_CHARS))
			continue;
		if (found)
			return -EINVAL;
		found = line;
	}
	if (!found || strlen(found) != KEY_CHARS || strspn(found, Z85) != KEY_CHARS)
		return -EINVAL;
	strcpy(key->text, found);
	return 0;
}

static int key_load(int fd, const char *path, struct key *key, struct error *error)
{
	char text[FILE_BYTES + 1];
	ssize_t n = read(fd, text, FILE_BYTES);
	int rc;

	if (n < 0)
		return error_set(error, -errno, "%s: %m", path);
	text[n] = '\0';
	rc = strlen(text) == (size_t)n ? key_parse(text, key) : -EINVAL;
	explicit_bzero(text, sizeof(text));
	return rc ? error_set(error, rc, "%s: one line with a key of 40 characters is expected", path) : 0;
}

int key_read(const char *path, bool secret, struct key *key, struct error *error)
{
	int fd = trust_open(path, O_RDONLY, 0, secret ? TRUST_READ : TRUST_WRITE, error), rc;

	if (fd < 0)
		return fd;
	rc = key_load(fd, path, key, error);
	close(fd);
	return rc;
}

/* Keys of all hosts */

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct host_key *)a)->key.text, ((const struct host_key *)b)->key.text);
}

const struct host_key *host_keys_find(const struct host_keys *keys, const char *text)
{
	struct host_key wanted;

	if (strlen(text) != KEY_CHARS)
		return NULL;
	strcpy(wanted.key.text, text);
	return keys->n ? bsearch(&wanted, keys->items, keys->n, sizeof(wanted), by_key) : NULL;
}

void host_keys_free(struct host_keys *keys)
{
	free(keys->items);
	*keys = (struct host_keys){ 0 };
}

/* Get the host name from a file name NAME.pub. Returns false for other files. */
static bool name_take(const char *file, char name[HOST_NAME_CHARS + 1])
{
	size_t length = strlen(file);

	if (length < 5 || length - 4 > HOST_NAME_CHARS || strcmp(file + length - 4, ".pub") != 0)
		return false;
	memcpy(name, file, length - 4);
	name[length - 4] = '\0';
	return host_name_is_valid(name);
}

static int host_key_add(struct host_keys *keys, const char *dir, const char *name, struct error *error)
{
	char path[PATH_BYTES];
	struct host_key *items;
	int rc;

	if (keys->n == HOSTS_MAX)
		return error_set(error, -E2BIG, "%s/hosts: more than %d keys", dir, HOSTS_MAX);
	items = realloc(keys->items, (keys->n + 1) * sizeof(*items));
	if (!items)
		return error_set(error, -ENOMEM, "out of memory");
	keys->items = items;
	rc = key_path(path, sizeof(path), dir, name, false);
	if (rc)
		return error_set(error, rc, "%.80s: the path is too long", dir);
	rc = key_read(path, false, &items[keys->n].key, error);
	if (rc == 0)
		strcpy(items[keys->n++].name, name);
	return rc;
}

static int host_keys_scan(struct host_keys *keys, const char *dir, DIR *hosts, struct error *error)
{
	char name[HOST_NAME_CHARS + 1];
	struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (errno = 0, entry = readdir(hosts)))
		if (name_take(entry->d_name, name))
			rc = host_key_add(keys, dir, name, error);
	if (rc == 0 && errno)
		return error_set(error, -errno, "%s/hosts: %m", dir);
	if (rc == 0 && keys->n)
		qsort(keys->items, keys->n, sizeof(*keys->items), by_key);
	for (size_t i = 1; rc == 0 && i < keys->n; i++)
		if (by_key(&keys->items[i - 1], &keys->items[i]) == 0)
			rc = error_set(error, -EINVAL, "%s/hosts: %.40s and %.40s have the same key", dir,
				       keys->items[i - 1].name, keys->items[i].name);
	return rc;
}

int host_keys_read(struct host_keys *keys, const char *dir, struct error *error)
{
	struct host_keys new = { 0 };
	char path[PATH_BYTES];
	DIR *hosts;
	int fd, rc;

	if (snprintf(path, sizeof(path), "%s/hosts", dir) >= (int)sizeof(path))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", dir);
	fd = trust_open(path, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);
	if (fd < 0)
		return fd;
	hosts = fdopendir(fd);
	if (!hosts) {
		close(fd);
		return error_set(error, -ENOMEM, "out of memory");
	}
	rc = host_keys_scan(&new, dir, hosts, error);
	closedir(hosts);
	if (rc) {
		host_keys_free(&new);
		return rc;
	}
	host_keys_free(keys);
	*keys = new;
	return 0;
}
