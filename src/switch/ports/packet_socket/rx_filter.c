// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_filter.h"

#include <linux/bpf.h>
#include <linux/filter.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/links/hello.h"
#include "core/packet/wire.h"

// The program's registers: what a call returns, temporary values, the packet, the shared memory.
enum { RESULT, OLD, TAKEN, PACKET = 6, ROOM };

#define INSN(c, to, from, o, i)                                                                    \
	{                                                                                          \
		.code = (c), .dst_reg = (to), .src_reg = (from), .off = (o), .imm = (i)            \
	}
#define LOAD_FRAME(size, at) INSN(BPF_LD | BPF_ABS | (size), 0, 0, 0, at)
#define SET(to, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value)
#define COPY(to, from) INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SUBTRACT(to, from) INSN(BPF_ALU64 | BPF_SUB | BPF_X, to, from, 0, 0)
#define SKIP_IF(condition, reg, value, count)                                                      \
	INSN(BPF_JMP | BPF_K | (condition), reg, 0, count, value)
#define READ(size, to, from, at) INSN(BPF_LDX | BPF_MEM | (size), to, from, at, 0)
#define ADD_ATOMIC(field, reg, fetch)                                                              \
	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, ROOM, reg, offsetof(struct drb_rx_room, field),        \
	     BPF_ADD | (fetch))
#define END INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

// Loads the program. Returns its descriptor, or -1.
static int load(int map, const struct drb_rx_filter_use *use)
{
	const struct bpf_insn steps[] = {
		COPY(PACKET, 1),
		// Hellos without news. -1 is no EtherType.
		LOAD_FRAME(BPF_H, DRB_ETHER_TYPE),
		SKIP_IF(BPF_JNE, RESULT, use->hellos_apart ? DRB_ETHERTYPE_HELLO : -1, 3),
		LOAD_FRAME(BPF_B, drb_hello_flags_at),
		SKIP_IF(BPF_JSET, RESULT, DRB_HELLO_NEWS, 1),
		SKIP_IF(BPF_JA, 0, 0, 13),
		// Take a place in the ring if one is free.
		INSN(BPF_LD | BPF_DW | BPF_IMM, ROOM, BPF_PSEUDO_MAP_VALUE, 0, map),
		INSN(0, 0, 0, 0, 0), // offset in the map
		SET(OLD, 1),
		ADD_ATOMIC(accepted, OLD, BPF_FETCH),
		READ(BPF_DW, TAKEN, ROOM, offsetof(struct drb_rx_room, taken)),
		SUBTRACT(OLD, TAKEN),
		SKIP_IF(BPF_JSLT, OLD, (int32_t)use->frames, 8),
		// The ring is full. 0 segments: no GSO packet.
		SET(OLD, -1),
		ADD_ATOMIC(accepted, OLD, 0),
		READ(BPF_W, OLD, PACKET, offsetof(struct __sk_buff, gso_segs)),
		SKIP_IF(BPF_JNE, OLD, 0, 1),
		SET(OLD, 1),
		ADD_ATOMIC(lost, OLD, 0),
		SET(RESULT, 0), // drop
		END,
		SET(RESULT, -1), // keep the whole frame
		END,
	};
	union bpf_attr program = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				  .insns = (uintptr_t)steps,
				  .insn_cnt = sizeof(steps) / sizeof(steps[0]),
				  .license = (uintptr_t) "BSD",
				  .prog_name = "drb_rx_filter"};

	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &program, sizeof(program));
}

// Drops hellos without news only. If this fails, the ring receives all hellos.
static void attach_classic(int fd)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, DRB_ETHER_TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DRB_ETHERTYPE_HELLO, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, drb_hello_flags_at),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, DRB_HELLO_NEWS, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]),
					   .filter = steps};

	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static struct drb_rx_room *attach_program(int fd, int map, const struct drb_rx_filter_use *use)
{
	const int program = load(map, use);

	if (program < 0)
		return NULL;
	void *room =
		mmap(NULL, sizeof(struct drb_rx_room), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (room != MAP_FAILED &&
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)) < 0) {
		munmap(room, sizeof(struct drb_rx_room));
		room = MAP_FAILED;
	}
	close(program); // the socket keeps it
	return room == MAP_FAILED ? NULL : room;
}

struct drb_rx_room *drb_rx_filter_attach(int fd, const struct drb_rx_filter_use *use)
{
	union bpf_attr shared = {.map_type = BPF_MAP_TYPE_ARRAY,
				 .key_size = sizeof(uint32_t),
				 .value_size = sizeof(struct drb_rx_room),
				 .max_entries = 1,
				 .map_flags = BPF_F_MMAPABLE,
				 .map_name = "drb_rx_room"};
	const int map =
		use->confined ? -1 : (int)syscall(SYS_bpf, BPF_MAP_CREATE, &shared, sizeof(shared));
	struct drb_rx_room *room = NULL;

	if (map >= 0) {
		room = attach_program(fd, map, use);
		close(map); // the program keeps it
	}
	if (!room && use->hellos_apart)
		attach_classic(fd);
	return room;
}

void drb_rx_filter_free(struct drb_rx_room *room)
{
	if (room)
		munmap(room, sizeof(*room));
}
