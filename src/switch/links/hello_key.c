// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/hello_key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "common/cli/log.h"

enum { OCTETS_MIN = 16, OCTETS_MAX = 4096 };

static ssize_t read_all(const char *path, uint8_t octets[OCTETS_MAX + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // opening a pipe does not wait
	struct stat st;
	ssize_t count = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		errno = EINVAL;
	else if (fd >= 0)
		count = read(fd, octets, OCTETS_MAX + 1);
	if (count >= 0 && (st.st_mode & S_IROTH))
		drb_warn("%s: everybody can read this key: chmod o-r", path);
	if (fd >= 0)
		close(fd);
	return count;
}

int drb_hello_key_load(struct drb_hello_key *key, const char *path)
{
	uint8_t octets[OCTETS_MAX + 1];

	*key = (struct drb_hello_key){0};
	if (!*path)
		return 0;
	ssize_t count = read_all(path, octets);
	if (count < 0) {
		drb_error("fabric.hello_key: %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	if (count < OCTETS_MIN || count > OCTETS_MAX) {
		drb_error("fabric.hello_key: %s must have %d to %d octets: "
			  "head -c 32 /dev/urandom > FILE",
			  path, OCTETS_MIN, OCTETS_MAX);
		return -EINVAL;
	}
	crypto_generichash(key->octets, sizeof(key->octets), octets, (size_t)count, NULL, 0);
	sodium_memzero(octets, sizeof(octets));
	key->used = true;
	return 0;
}

void drb_hello_key_sign(const struct drb_hello_key *key, uint8_t *frame)
{
	uint8_t tag[DRB_HELLO_TAG_LEN];

	if (!key->used)
		return;
	memset(drb_hello_tag(frame), 0, DRB_HELLO_TAG_LEN);
	crypto_shorthash_siphashx24(tag, frame, drb_hello_content(frame), key->octets);
	memcpy(drb_hello_tag(frame), tag, sizeof(tag));
}

bool drb_hello_key_fits(const struct drb_hello_key *key, const struct drb_hello *hello,
			const uint8_t *frame)
{
	uint8_t copy[DRB_HELLO_LEN_MAX];

	if (!key->used)
		return sodium_is_zero(hello->tag, sizeof(hello->tag));
	memcpy(copy, frame, drb_hello_content(frame));
	drb_hello_key_sign(key, copy);
	return sodium_memcmp(drb_hello_tag(copy), hello->tag, sizeof(hello->tag)) == 0;
}

uint64_t drb_hello_instance(void)
{
	uint64_t instance;

	do {
		randombytes_buf(&instance, sizeof(instance));
	} while (instance == 0);
	return instance;
}
