/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/resource_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "conf/text.h"

int resource_map_amount(const char *text, double *amount)
{
	char number[32];
	size_t length = strcspn(text, "(");

	if (text_is_none(text)) {
		*amount = 0;
		return 0;
	}
	if (length == 0 || length >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, length);
	number[length] = '\0';
	return number_parse(number, amount) ? -EINVAL : 0;
}

/* Count one more unit of an id. */
static int unit_add(struct resource_map *map, const char *id, const char *properties, struct error *error)
{
	size_t known = map->ids.n;
	struct resource_units *units = reallocarray(map->units, known + 1, sizeof(*units));
	uint32_t number;

	if (!units)
		return error_set(error, -ENOMEM, "out of memory");
	map->units = units;

	units[known] = (struct resource_units){ 0 };
	if (map->n == RESOURCE_MAP_UNITS_MOST)
		return error_set(error, -EINVAL, "at most %u units are allowed", RESOURCE_MAP_UNITS_MOST);
	if (text_set_add(&map->ids, id, &number))
		return error_set(error, -ENOMEM, "out of memory");
	units[number].n++;
	map->n++;
	if (!properties || map->ids.n == known)
		return 0;
	units[number].properties = strdup(properties);
	return units[number].properties ? 0 : error_set(error, -ENOMEM, "out of memory");
}

/* Return whether the text is a range of numbers, "65000-65099". */
static bool is_range(const char *text, uint32_t *first, uint32_t *last)
{
	char from[16];
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits >= sizeof(from) || text[digits] != '-' || !text[digits + 1] ||
	    text[digits + 1 + strspn(text + digits + 1, "0123456789")])
		return false;
	memcpy(from, text, digits);
	from[digits] = '\0';
	return number_u32(from, first) == 0 && number_u32(text + digits + 1, last) == 0;
}

static int range_add(struct resource_map *map, uint32_t first, uint32_t last, struct error *error)
{
	char id[16];
	int rc = 0;

	if (first > last)
		return error_set(error, -EINVAL, "the range \"%u-%u\" ends before it begins", first, last);
	for (uint64_t i = first; i <= last && !rc; i++) {
		snprintf(id, sizeof(id), "%lu", (unsigned long)i);
		rc = unit_add(map, id, NULL, error);
	}
	return rc;
}

/* Take the next entry from a list. Blanks between the brackets of properties do not end it. */
static char *entry_next(char **rest)
{
	char *entry = *rest + strspn(*rest, " \t"), *end = entry + strcspn(entry, " \t["), *closed;

	if (*end == '[') {
		closed = strchr(end, ']');
		end = closed ? closed : end;
		end += strcspn(end, " \t");
	}
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return *entry ? entry : NULL;
}

static int entry_add(struct resource_map *map, char *entry, struct error *error)
{
	char *properties = strchr(entry, '['), *closed;
	uint32_t first, last;

	if (properties) {
		*properties++ = '\0';
		closed = strchr(properties, ']');
		if (!closed || closed[1])
			return error_set(error, -EINVAL, "\"%.40s[%.40s\" found: id[name=value,...] is allowed", entry,
					 properties);
		*closed = '\0';
	}
	if (!*entry || entry[strcspn(entry, "=,")])
		return error_set(error, -EINVAL, "\"%.40s\" found: an id without = and , is allowed", entry);
	if (!properties && is_range(entry, &first, &last))
		return range_add(map, first, last, error);
	return unit_add(map, entry, properties, error);
}

/* `list` begins with the parenthesis, or is empty. */
static int list_read(struct resource_map *map, char *list, struct error *error)
{
	char *closed = strrchr(list, ')'), *rest = list + 1, *entry;
	int rc = 0;

	if (!*list)
		return 0;
	if (!closed || closed[1])
		return error_set(error, -EINVAL, "the list \"%.40s\" does not end with \")\"", list);
	*closed = '\0';
	while (!rc && (entry = entry_next(&rest)))
		rc = entry_add(map, entry, error);
	return rc;
}

int resource_map_parse(struct resource_map *map, const char *text, struct error *error)
{
	double amount;
	char *copy;
	int rc;

	if (resource_map_amount(text, &amount) || amount < 0 || amount > RESOURCE_MAP_UNITS_MOST ||
	    amount != (uint32_t)amount)
		return error_set(error, -EINVAL,
				 "\"%.60s\" found: a whole amount from 0 to %u and a list of ids is allowed, as in 2(gpu0 gpu1)",
				 text, RESOURCE_MAP_UNITS_MOST);
	copy = strdup(text + strcspn(text, "("));
	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	rc = list_read(map, copy, error);
	free(copy);
	if (!rc && strchr(text, '(') && amount != map->n)
		rc = error_set(error, -EINVAL, "\"%.60s\" found: the amount is %g, but %u ids are listed", text, amount,
			       map->n);
	if (rc)
		resource_map_free(map);
	return rc;
}

void resource_map_free(struct resource_map *map)
{
	for (size_t i = 0; i < map->ids.n; i++)
		free(map->units[i].properties);
	free(map->units);
	text_set_free(&map->ids);
	*map = (struct resource_map){ 0 };
}
