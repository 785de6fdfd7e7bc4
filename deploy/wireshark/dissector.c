// SPDX-License-Identifier: BSD-3-Clause
// Prints drb.lua, a dissector for Wireshark of hellos and of marks in MAC addresses. Offsets and
// sizes come from core/links/hello.h, by which switches encode hellos. The rest is drb.lua.in.
//   dissector drb.lua.in >drb.lua
#include <stdio.h>
#include <stdlib.h>

#include "core/links/hello.h"

#define FIELDS_AT (DRB_ETHER_HEADER + 8 + DRB_HELLO_TAG_LEN)

static void print_fields(void)
{
	unsigned at = FIELDS_AT;

	printf("-- Made by the build from core/links/hello.h. name, offset, bytes\nlocal fields = "
	       "{\n");
#define X(name, octets, member)                                                                    \
	printf("  {\"%s\", %u, %u},\n", #name, at, (unsigned)(octets));                            \
	at += octets;
	DRB_HELLO_FIELDS(X)
#undef X
	printf("}\nlocal flags = {\n");
	printf("  {%d, \"hears the neighbour\"},\n", DRB_HELLO_HEARS);
	printf("  {%d, \"drained\"},\n", DRB_HELLO_DRAINED);
	printf("  {%d, \"no alternate\"},\n", DRB_HELLO_NO_ALTERNATE);
	printf("  {%d, \"needs upstream\"},\n}\n", DRB_HELLO_NEEDS_UPSTREAM);
	printf("local ethertype = 0x%04x\n", DRB_ETHERTYPE_HELLO);
}

int main(int argc, char **argv)
{
	FILE *rest = argc == 2 ? fopen(argv[1], "r") : NULL;
	int c;

	if (!rest) {
		fprintf(stderr, "usage: dissector drb.lua.in\n");
		return 2;
	}
	print_fields();
	while ((c = fgetc(rest)) != EOF)
		putchar(c);
	return ferror(rest) | fclose(rest) ? EXIT_FAILURE : EXIT_SUCCESS;
}
