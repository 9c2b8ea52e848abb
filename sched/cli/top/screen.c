/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal, by ncurses. Styles are bold and reverse, so that no colour is needed. */
#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/cli/top/top.h"

#define ESCAPE_MS 25			/* patience for the bytes of a function key after Esc */

static SCREEN *screen;
static bool is_plain;

int screen_begin(bool plain)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	is_plain = plain;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -EINVAL;
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	return 0;
}

void screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_size(unsigned *rows, unsigned *columns)
{
	int y, x;

	getmaxyx(stdscr, y, x);
	*rows = y > 0 ? (unsigned)y : 1;
	*columns = x > 0 ? (unsigned)x : 1;
}

static attr_t attributes(enum page_style style)
{
	if (is_plain)
		return style == PAGE_SELECTED ? A_REVERSE : A_NORMAL;
	return style == PAGE_TITLE || style == PAGE_WARNING ? A_BOLD
	       : style == PAGE_HEAD			    ? A_REVERSE
	       : style == PAGE_SELECTED			    ? A_STANDOUT | A_BOLD
							    : A_NORMAL;
}

void screen_draw(const struct top_page *page)
{
	erase();
	for (unsigned k = 0; k < page->n; k++) {
		attrset(attributes(page->lines[k].style));
		mvaddnstr((int)k, 0, page->lines[k].text, (int)page->columns);
	}
	attrset(A_NORMAL);
	refresh();
}

int screen_key(int timeout_ms)
{
	int key;

	timeout(timeout_ms);
	key = getch();
	switch (key) {
	case ERR: return KEY_OF_NONE;
	case KEY_UP: return KEY_OF_UP;
	case KEY_DOWN: return KEY_OF_DOWN;
	case KEY_PPAGE: return KEY_OF_PAGE_UP;
	case KEY_NPAGE: return KEY_OF_PAGE_DOWN;
	case KEY_HOME: return KEY_OF_HOME;
	case KEY_END: return KEY_OF_END;
	case KEY_RESIZE: return KEY_OF_RESIZE;
	case KEY_BACKSPACE: case 8: case 127: return KEY_OF_BACKSPACE;
	case KEY_ENTER: return '\n';
	default: return key < 256 ? key : KEY_OF_NONE;
	}
}
