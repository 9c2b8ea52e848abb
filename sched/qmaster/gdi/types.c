/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/types.h"

#include <string.h>

const struct gdi_type *gdi_type(const char *name)
{
	for (size_t i = 0; i < gdi_types_count; i++)
		if (strcmp(gdi_types[i].name, name) == 0)
			return &gdi_types[i];
	return NULL;
}

const struct gdi_type *gdi_type_of(uint32_t number)
{
	size_t low = 0, high = gdi_types_count;

	while (low < high) {			/* find the last type with first <= number */
		size_t middle = low + (high - low) / 2;

		if (gdi_types[middle].first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct gdi_type *type = &gdi_types[low - 1];

	return number - type->first < type->n ? type : NULL;
}

const struct gdi_field *gdi_field(uint32_t number)
{
	const struct gdi_type *type = gdi_type_of(number);

	return type ? &type->fields[number - type->first] : NULL;
}

const char *gdi_kind_name(uint32_t kind)
{
	switch (kind) {
	case GDI_DOUBLE: return "double";
	case GDI_U32: return "u32";
	case GDI_BOOL: return "bool";
	case GDI_STRING: return "string";
	case GDI_LIST: return "list";
	case GDI_OBJECT: return "object";
	case GDI_REFERENCE: return "reference";
	case GDI_HOST: return "host";
	case GDI_U64: return "u64";
	default: return NULL;
	}
}
