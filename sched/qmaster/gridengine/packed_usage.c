/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of users and projects. The qmaster stores these lists with the flags that we send, and
 * spools only the fields whose flags say so.
 */
#include "sched/qmaster/gridengine/packed.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))

static const struct gdi_word value_words[] = { { UA_name, 0x10708 }, { UA_value, 0x10002 } };
static const struct gdi_word debited_words[] = { { UPU_job_number, 0x10703 }, { UPU_old_usage_list, 0x10009 } };
static const struct gdi_word in_project_words[] = { { UPP_name, 0x10708 },
						    { UPP_usage, 0x10009 },
						    { UPP_long_term_usage, 0x10009 } };

static const struct gdi_word user_words[] = {
	{ UU_name, 0x312708 }, { UU_usage, 0x202809 }, { UU_usage_time_stamp, 0x202803 },
	{ UU_long_term_usage, 0x202809 },
	{ UU_project, 0x202809 }, { UU_debited_job_usage, 0x202809 }, { UU_version, 0x200803 },
};

static const struct gdi_word project_words[] = {
	{ PR_name, 0x312708 }, { PR_usage, 0x202809 }, { PR_usage_time_stamp, 0x202803 },
	{ PR_long_term_usage, 0x202809 },
	{ PR_project, 0x202809 }, { PR_debited_job_usage, 0x202809 }, { PR_version, 0x200803 },
};

_Static_assert(COUNT(user_words) == COUNT(project_words), "users and projects must have the same number of fields");

static void write_values(struct gdi_writer *writer, const struct usage_values *values)
{
	size_t list = gdi_list_begin(writer, "usage", value_words, COUNT(value_words));

	for (size_t i = 0; i < values->n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_text(writer, values->items[i].name);
		gdi_write_double(writer, values->items[i].value);
	}
	gdi_list_end(writer, list);
}

static void write_projects(struct gdi_writer *writer, const struct object_usage *usage)
{
	size_t list = gdi_list_begin(writer, "projects", in_project_words, COUNT(in_project_words));

	for (size_t i = 0; i < usage->nprojects; i++) {
		gdi_element_begin(writer, list);
		gdi_write_text(writer, usage->projects[i].project);
		write_values(writer, &usage->projects[i].usage);
		write_values(writer, &usage->projects[i].long_term);
	}
	gdi_list_end(writer, list);
}

static void write_debited(struct gdi_writer *writer, const struct object_usage *usage)
{
	size_t list = gdi_list_begin(writer, "debited", debited_words, COUNT(debited_words));

	for (size_t i = 0; i < usage->ndebited; i++) {
		gdi_element_begin(writer, list);
		gdi_write_u32(writer, usage->debited[i].job_number);
		write_values(writer, &usage->debited[i].usage);
	}
	gdi_list_end(writer, list);
}

void packed_usage(struct packed *packed, enum packed_kind kind, const struct object_usage *usage, uint32_t version)
{
	const struct packed_order order = { .kind = kind };
	size_t list;

	packed_list_begin(packed);
	packed_order_begin(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_ticket(packed, &order);
	list = gdi_list_begin(&packed->w, "", kind == PACKED_USER ? user_words : project_words, COUNT(user_words));
	gdi_element_begin(&packed->w, list);
	gdi_write_text(&packed->w, usage->name);
	write_values(&packed->w, &usage->usage);
	gdi_write_u32(&packed->w, (uint32_t)usage->time_stamp);
	write_values(&packed->w, &usage->long_term);
	write_projects(&packed->w, usage);
	write_debited(&packed->w, usage);
	gdi_write_u32(&packed->w, version);
	gdi_list_end(&packed->w, list);
	packed_order_end(packed, &order);
	packed_list_end(packed);
}
