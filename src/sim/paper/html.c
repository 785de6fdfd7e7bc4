// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/html.h"

#include <string.h>

#include "sim/figures/script.h"
#include "sim/paper/plots.h"
#include "sim/paper/points.h"

static void put_caption(const struct paper *p, FILE *out, const char *name)
{
	char path[4096], caption[SIM_FIGURE_LINE];

	snprintf(path, sizeof(path), "%s/" PAPER_FIGURES, p->dir);
	FILE *f = fopen(path, "r");
	if (f && sim_figures_caption(f, name, caption))
		fprintf(out, "<figcaption>%s</figcaption>", caption);
	if (f)
		fclose(f);
}

// An SVG file as the source of an image: the report needs no other file.
void html_image(const struct paper *p, FILE *out, const char *name)
{
	char path[4096];
	int c;

	snprintf(path, sizeof(path), "%s/%s.svg", p->dir, name);
	FILE *f = p->plots ? fopen(path, "r") : NULL;
	if (!f)
		return;
	fprintf(out, "<figure><img id=\"%s\" alt=\"%s\" src=\"data:image/svg+xml,", name, name);
	while ((c = fgetc(f)) != EOF) {
		if (strchr("%#\"<>&\n\t", c) || c >= 127)
			fprintf(out, "%%%02X", (unsigned)c);
		else
			fputc(c, out);
	}
	fprintf(out, "\">");
	fclose(f);
	put_caption(p, out, name);
	fprintf(out, "</figure>\n");
}

void html_tree_images(const struct paper *p, FILE *out, const char *prefix)
{
	char name[64];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s-F%u-%u", prefix, paper_trees[i][0],
			 paper_trees[i][1]);
		html_image(p, out, name);
	}
}
