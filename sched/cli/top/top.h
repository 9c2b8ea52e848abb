/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead top: a live view of the published run, on a terminal or as one page.
 *
 *     top/top.c        options, and the loop that draws and waits for keys
 *     top/keys.c       effects of keys
 *     top/page.c       lines of a page
 *     top/frame.c      a page of a run: head, view, foot
 *     top/jobs.c       pending and running jobs
 *     top/choice.c     filters and order of jobs
 *     top/shares.c     shares promised and received
 *     top/cluster.c    hosts, queue instances
 *     top/work.c       phases and health of the scheduler
 *     top/text.c       output of another verb about the selected job
 *     top/screen.c     the terminal, by ncurses
 *
 * Pages are made without a terminal, so that --once prints what the terminal shows.
 */
#ifndef CLI_TOP_TOP_H
#define CLI_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/cli/cli.h"

enum top_view { TOP_OVERVIEW, TOP_PENDING, TOP_RUNNING, TOP_SHARES, TOP_HOSTS, TOP_QUEUES, TOP_SCHEDULER, TOP_VIEWS };
extern const char *const top_view_names[TOP_VIEWS];

enum top_sort { TOP_SORT_PRIORITY, TOP_SORT_TIME, TOP_SORT_SLOTS, TOP_SORT_OWNER, TOP_SORT_LOAD, TOP_SORTS };
extern const char *const top_sort_names[TOP_SORTS];

/* Pages */

#define PAGE_ROWS_MOST 500u
#define PAGE_COLUMNS_MOST 500u

enum page_style { PAGE_PLAIN, PAGE_TITLE, PAGE_HEAD, PAGE_SELECTED, PAGE_WARNING };

struct page_line {
	enum page_style style;
	char text[PAGE_COLUMNS_MOST + 1];
};

struct top_page {
	struct page_line *lines;	/* `rows` lines */
	unsigned rows, columns, n;	/* n: lines that are filled */
};

/* Make an empty page. Sizes above the maximum are reduced to it. Return 0 or -ENOMEM. */
int page_open(struct top_page *page, unsigned rows, unsigned columns);
void page_close(struct top_page *page);
/*
 * Append a line, cut at the right edge. Control characters become '?'. If the page is full, the
 * line is lost.
 */
void page_add(struct top_page *page, enum page_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Write exactly `width` bytes of a name, padded with blanks, and a NUL. Returns `to`. */
#define NAME_BYTES 64
const char *page_label(char to[NAME_BYTES], const char *name, unsigned width);

/* Filters and order of jobs */

struct top_filter {			/* patterns; "": all */
	char user[64], project[64], queue[64];
	char states[16];		/* letters of qstat, any of them; "": all */
};

struct job_choice {			/* rows of a list of jobs; zero-initialised */
	size_t *rows;			/* indices for fl_get(), from the row `first` on */
	size_t n, capacity;
	size_t total;			/* selected rows of the list */
	/* `rows` are valid for this generation, list, order and filter. */
	uint64_t generation;
	enum fl_list list;
	enum top_sort sort;
	struct top_filter filter;
	size_t first, most;
};

/*
 * Select the rows from `first` on, `most` at most. Jobs are read only if there is a filter or an
 * order other than the priority. Return 0 or -ENOMEM.
 */
int job_choice_make(struct job_choice *choice, const struct fl_view *view, enum fl_list list,
		    const struct top_filter *filter, enum top_sort sort, size_t first, size_t most);
void job_choice_free(struct job_choice *choice);

/* State */

#define PROMPT_BYTES 64

struct top {
	const char *cell;
	struct fl_cell *handle;
	enum top_view view;
	enum top_sort sort;
	struct top_filter filter;
	size_t first[TOP_VIEWS], selected[TOP_VIEWS];	/* first row shown, selected row */
	size_t total;			/* rows of the view, from the last frame */
	unsigned height;		/* rows of the view that the last frame showed */
	uint32_t job_number;		/* job of the selected row, 0: none */
	bool help, ends;
	/* Text typed at the prompt; `prompt`: key that has opened the prompt, 0: closed. */
	char prompt, typed[PROMPT_BYTES];
	/* Output of another verb; text NULL: not shown. */
	struct { char *text, title[80]; size_t first, lines; } shown;
	char message[160];		/* in the foot of the next frame */
	struct job_choice choice;
	/* options */
	double interval_s;
	bool once, plain;
	unsigned rows, columns;		/* of --once */
};

/*
 * Make the page of the newest run. If the run is replaced meanwhile, make the page again. Return 0
 * or -ENOMEM.
 */
int frame_make(struct top *top, struct top_page *page);

/*
 * Views: write a line of headings and rows from `first` on, `rows` lines in all, and return the
 * number of rows of the whole view. `selected` is marked; SIZE_MAX: none.
 */
typedef size_t top_show(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
			size_t selected);
top_show top_pending, top_running, top_shares, top_hosts, top_queues, top_scheduler;

/* A key of the terminal: a character, or one of these. */
enum top_key {
	KEY_OF_NONE = -1,
	KEY_OF_UP = 1000,
	KEY_OF_DOWN,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_RESIZE,
	KEY_OF_BACKSPACE
};
void key_take(struct top *top, int key);

/* Run `fairlead -c CELL VERB [-j] JOB` and keep its output. Messages go to the foot. */
void job_text_open(struct top *top, const char *verb);
void job_text_show(struct top *top, struct top_page *page, unsigned rows);
void job_text_close(struct top *top);

/* The terminal. */
int screen_begin(bool plain);		/* 0, or -ENOTTY or -EINVAL: the terminal cannot be used */
void screen_end(void);
void screen_size(unsigned *rows, unsigned *columns);
void screen_draw(const struct top_page *page);
int screen_key(int timeout_ms);		/* KEY_OF_NONE: none was pressed */

#endif
