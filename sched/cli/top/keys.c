/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "sched/cli/top/top.h"

#define KEY_ESCAPE 27

/* Keep the selected row within the view, and the rows that are shown around it. */
static void select_row(struct top *top, size_t row)
{
	size_t *selected = &top->selected[top->view], *first = &top->first[top->view];

	*selected = top->total == 0 ? 0 : row < top->total ? row : top->total - 1;
	if (*selected < *first)
		*first = *selected;
	else if (*selected >= *first + top->height)
		*first = *selected - top->height + 1;
}

static void move(struct top *top, int key)
{
	size_t row = top->selected[top->view];

	switch (key) {
	case KEY_OF_UP: case 'k': select_row(top, row > 0 ? row - 1 : 0); break;
	case KEY_OF_DOWN: case 'j': select_row(top, row + 1); break;
	case KEY_OF_PAGE_UP: select_row(top, row > top->height ? row - top->height : 0); break;
	case KEY_OF_PAGE_DOWN: case ' ': select_row(top, row + top->height); break;
	case KEY_OF_HOME: select_row(top, 0); break;
	case KEY_OF_END: select_row(top, SIZE_MAX); break;
	default: break;
	}
}

/* Prompt */

static void rows_reset(struct top *top)
{
	memset(top->first, 0, sizeof(top->first));
	memset(top->selected, 0, sizeof(top->selected));
}

/* Return the filter of the prompt, and its size. */
static char *filter_of(struct top *top, size_t *size)
{
	switch (top->prompt) {
	case 'u': *size = sizeof(top->filter.user); return top->filter.user;
	case 'p': *size = sizeof(top->filter.project); return top->filter.project;
	case 'f': *size = sizeof(top->filter.queue); return top->filter.queue;
	default: *size = sizeof(top->filter.states); return top->filter.states;
	}
}

static void prompt_open(struct top *top, char letter)
{
	size_t size;

	top->prompt = letter;
	snprintf(top->typed, sizeof(top->typed), "%s", filter_of(top, &size));
}

static void prompt_take(struct top *top, int key)
{
	size_t n = strlen(top->typed), size;
	char *filter;

	if (key == '\n' || key == '\r') {
		filter = filter_of(top, &size);
		memset(filter, 0, size);	/* filters are compared by bytes */
		memcpy(filter, top->typed, n < size ? n : size - 1);
		rows_reset(top);
		top->prompt = 0;
	} else if (key == KEY_ESCAPE) {
		top->prompt = 0;
	} else if (key == KEY_OF_BACKSPACE && n > 0) {
		top->typed[n - 1] = '\0';
	} else if (key > ' ' && key < 256 && n + 1 < sizeof(top->typed)) {
		top->typed[n] = (char)key;
		top->typed[n + 1] = '\0';
	}
}

/* Text of another verb */

static void text_take(struct top *top, int key)
{
	size_t last = top->shown.lines > top->height ? top->shown.lines - top->height : 0, *first = &top->shown.first;

	switch (key) {
	case KEY_OF_UP: case 'k': *first -= *first > 0; break;
	case KEY_OF_DOWN: case 'j': *first += *first < last; break;
	case KEY_OF_PAGE_UP: *first = *first > top->height ? *first - top->height : 0; break;
	case KEY_OF_PAGE_DOWN: case ' ': *first = *first + top->height < last ? *first + top->height : last; break;
	case KEY_OF_HOME: *first = 0; break;
	case KEY_OF_END: *first = last; break;
	case 'q': case KEY_ESCAPE: job_text_close(top); break;
	default: break;
	}
}

static void view_select(struct top *top, enum top_view view)
{
	top->view = view;
	top->help = false;
}

static void command_take(struct top *top, int key)
{
	switch (key) {
	case 'q': case KEY_ESCAPE: top->ends = true; break;
	case 'h': case '?': top->help = true; break;
	case '\t': view_select(top, (enum top_view)((top->view + 1) % TOP_VIEWS)); break;
	case 's': top->sort = (enum top_sort)((top->sort + 1) % TOP_SORTS); rows_reset(top); break;
	case 'c': memset(&top->filter, 0, sizeof(top->filter)); rows_reset(top); break;
	case 'u': case 'p': case 'f': case 't': prompt_open(top, (char)key); break;
	case 'e': case '\n': case '\r': job_text_open(top, "explain"); break;
	case 'i': job_text_open(top, "stat"); break;
	default: move(top, key);
	}
}

void key_take(struct top *top, int key)
{
	if (key == KEY_OF_NONE || key == KEY_OF_RESIZE)
		return;
	*top->message = '\0';
	if (top->prompt)
		prompt_take(top, key);
	else if (top->shown.text)
		text_take(top, key);
	else if (key >= '1' && key < '1' + TOP_VIEWS)
		view_select(top, (enum top_view)(key - '1'));
	else if (top->help)
		top->help = false;
	else
		command_take(top, key);
}
