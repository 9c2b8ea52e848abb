/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void controls_replace(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

static struct message *message_new(struct messages *messages)
{
	struct message *more = reallocarray(messages->items, messages->n + 1, sizeof(*more));

	if (!more) {
		messages->lost = true;
		return NULL;
	}
	messages->items = more;
	more[messages->n] = (struct message){ .code = EXIT_OK };
	return &more[messages->n++];
}

int message_add(struct messages *messages, enum exit_code code, const char *about, const char *format, ...)
{
	int error = errno, n;		/* for %m */
	struct message *message = message_new(messages);
	va_list arguments;

	if (!message)
		return (int)code;
	message->code = code;
	n = about ? snprintf(message->text, sizeof(message->text), "%s: ", about) : 0;
	message->about_bytes = n < (int)sizeof(message->text) ? (size_t)n : sizeof(message->text) - 1;
	va_start(arguments, format);
	errno = error;
	vsnprintf(message->text + message->about_bytes, sizeof(message->text) - message->about_bytes, format,
		  arguments);
	va_end(arguments);
	controls_replace(message->text);
	return (int)code;
}

int message_reason(struct messages *messages, enum message_reason reason, const char *object)
{
	struct message *message = messages->n ? &messages->items[messages->n - 1] : NULL;

	if (!message)
		return EXIT_NO_DATA;
	message->reason = reason;
	snprintf(message->object, sizeof(message->object), "%s", object);
	controls_replace(message->object);
	return (int)message->code;
}

int message_no_memory(struct messages *messages)
{
	return message_add(messages, EXIT_NO_DATA, NULL, "no memory");
}

bool message_is_about(const struct message *message, const char *about)
{
	size_t length = strlen(about);

	return message->about_bytes == length + 2 && memcmp(message->text, about, length) == 0;
}

void messages_flush(struct messages *messages)
{
	if (!messages->print || (messages->n == 0 && !messages->lost))
		return;
	messages->print(messages->context, messages);
	messages_free(messages);
}

void messages_free(struct messages *messages)
{
	free(messages->items);
	messages->items = NULL;
	messages->n = 0;
	messages->lost = false;
}
