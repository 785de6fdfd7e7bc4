// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/delay_line.h"

#include <errno.h>
#include <stdlib.h>

int drb_delay_line_init(struct drb_delay_line *line, uint64_t delay_ns, uint32_t packets)
{
	uint32_t room = 1;

	*line = (struct drb_delay_line){0};
	if (delay_ns == 0)
		return 0;
	while (room < packets)
		room *= 2;
	line->delay_ns = delay_ns;
	line->mask = room - 1;
	line->packet = calloc(room, sizeof(*line->packet));
	line->due_ns = calloc(room, sizeof(*line->due_ns));
	if (line->packet && line->due_ns)
		return 0;
	drb_delay_line_free(line);
	return -ENOMEM;
}

void drb_delay_line_free(struct drb_delay_line *line)
{
	free(line->packet);
	free(line->due_ns);
	*line = (struct drb_delay_line){0};
}

uint32_t drb_delay_line_put(struct drb_delay_line *line, const struct drb_egress *q, uint32_t count,
			    uint64_t now_ns)
{
	uint32_t room = line->mask + 1 - drb_delay_line_length(line);

	count = count < room ? count : room;
	for (uint32_t i = 0; i < count; i++, line->tail++) {
		uint64_t left_ns = q->paced ? drb_egress_departure(q, i).ns : now_ns;
		line->packet[line->tail & line->mask] = q->packet[drb_egress_ring_index(q, i)];
		line->due_ns[line->tail & line->mask] = left_ns + line->delay_ns;
	}
	return count;
}

void **drb_delay_line_due(const struct drb_delay_line *line, uint64_t now_ns, uint32_t *count)
{
	uint32_t at = line->head & line->mask, length = drb_delay_line_length(line), due = 0;
	uint32_t most = *count < length ? *count : length;

	most = most < line->mask + 1 - at ? most : line->mask + 1 - at;
	while (due < most && line->due_ns[at + due] <= now_ns)
		due++;
	*count = due;
	return &line->packet[at];
}
