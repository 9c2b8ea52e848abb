/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "conf/utf8.h"

int error_set(struct error *e, int rc, const char *format, ...)
{
	va_list arguments;

	if (e) {
		va_start(arguments, format);
		vsnprintf(e->text, sizeof(e->text), format, arguments);
		va_end(arguments);
		utf8_clean(e->text);
	}
	return rc;
}
