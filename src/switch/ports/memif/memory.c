// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "switch/ports/memif/doorbell.h"

uint64_t drb_memif_whole_pages(uint64_t octets)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (octets + page - 1) / page * page;
}

uint64_t drb_memif_memory_most(uint32_t pairs)
{
	const uint64_t count = UINT64_C(1) << DRB_MEMIF_LOG2_RING;

	return 2 * pairs *
	       (drb_memif_whole_pages(sizeof(struct drb_memif_ring) +
				      count * sizeof(struct drb_memif_desc)) +
		drb_memif_whole_pages(count * DRB_MEMIF_BUFFER));
}

// Maps `size` bytes of a descriptor. Returns 0 or -errno.
static int map(struct drb_memif_memory *memory, uint64_t size, int fd)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	memory->region[memory->count].at = at;
	memory->region[memory->count++].size = size;
	memory->total += drb_memif_whole_pages(size);
	return 0;
}

int drb_memif_memory_make(struct drb_memif_memory *memory, uint64_t size)
{
	int fd = memfd_create("memif", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc;

	if (fd < 0)
		return -errno;
	rc = ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0
		     ? -errno
		     : map(memory, size, fd);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

// True if the memory cannot vanish. Reading beyond the end of a file that was truncated ends the
// process by SIGBUS. So does a hole that was punched into a hugetlb file, if no hugepage is free.
// The kernel fills holes in files of tmpfs, which therefore are accepted.
static bool stays(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;

	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstatfs(fd, &fs) == 0 &&
	       fs.f_type == TMPFS_MAGIC;
}

const char *drb_memif_memory_add(struct drb_memif_memory *memory,
				 const struct drb_memif_region *said, uint64_t most)
{
	struct stat st;

	if (said->index != memory->count || said->index >= DRB_MEMIF_REGIONS)
		return "its regions of memory are out of order";
	if (said->fd < 0 || !stays(said->fd) || fstat(said->fd, &st) < 0)
		return "a region of its memory is no memfd without huge pages that is sealed "
		       "against shrinking";
	if (st.st_size <= 0 || said->size != (uint64_t)st.st_size)
		return "a region of its memory is not as long as a message says";
	if (said->size > most || drb_memif_whole_pages(said->size) > most - memory->total)
		return "it shares more memory than this link needs: give it rings of 1024 "
		       "descriptors and buffers of 2048 octets";
	if (map(memory, said->size, said->fd) < 0)
		return "its memory cannot be mapped to be read and written";
	return NULL;
}

void drb_memif_memory_free(struct drb_memif_memory *memory)
{
	for (uint32_t i = 0; i < memory->count; i++)
		munmap(memory->region[i].at, memory->region[i].size);
	*memory = (struct drb_memif_memory){0};
}
