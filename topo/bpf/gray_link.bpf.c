// SPDX-License-Identifier: BSD-3-Clause
// Makes a link lose frames in one direction: an XDP program for the receiving interface, where it
// runs before every socket. `drbfabric gray` attaches it to both ends; then all frames but hellos
// are lost. Tests compile it with other flags:
//   -DPERMILLE=100  the share that is dropped, in thousandths
//   -DHELLOS        drops hellos, too
//   -DLONGER=1000   drops only frames of more bytes than this
#include <linux/bpf.h>
#include <linux/if_ether.h>

#ifndef PERMILLE
#define PERMILLE 1000
#endif
#ifndef LONGER
#define LONGER 0
#endif

static unsigned int (*const get_random)(void) = (void *)BPF_FUNC_get_prandom_u32;

__attribute__((section("xdp"), used)) int gray_link(struct xdp_md *frame)
{
	const unsigned char *octets = (const unsigned char *)(long)frame->data;
	const unsigned char *end = (const unsigned char *)(long)frame->data_end;

	if (octets + ETH_HLEN > end)
		return XDP_PASS;
#ifndef HELLOS
	if (octets[12] == 0x88 && octets[13] == 0xb5)
		return XDP_PASS;
#endif
	if (end - octets <= LONGER)
		return XDP_PASS;
	return get_random() % 1000 < PERMILLE ? XDP_DROP : XDP_PASS;
}

char gray_license[] __attribute__((section("license"), used)) = "Dual BSD/GPL";
