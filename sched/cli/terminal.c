/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_USUAL 80u		/* of one that does not know */

unsigned terminal_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : COLUMNS_USUAL;
}
