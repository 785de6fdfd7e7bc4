// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/shared_file.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/log.h"

#define PURPOSE_MAX 80

struct shared {
	char *path, purpose[PURPOSE_MAX];
	struct stat was; // the file's state when it was read; zeroed if it is not a regular file
	void *data;
	void (*release)(void *data);
	uint32_t users;
	struct shared *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all below
static struct shared *all;

// Only regular files are watched for changes. Anything else, such as standard input, is read once.
static struct stat state_of(const char *path)
{
	struct stat now;

	if (strcmp(path, "-") == 0 || stat(path, &now) < 0 || !S_ISREG(now.st_mode))
		return (struct stat){0};
	return now;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void *sim_shared_find(const char *path, const char *purpose)
{
	const struct stat now = state_of(path);
	void *data = NULL;

	pthread_mutex_lock(&lock);
	for (struct shared *s = all; s && !data; s = s->next) {
		if (strcmp(s->path, path) != 0 || strcmp(s->purpose, purpose) != 0 ||
		    !is_same(&s->was, &now))
			continue;
		s->users++;
		data = s->data;
	}
	pthread_mutex_unlock(&lock);
	return data;
}

void sim_shared_add(const char *path, const char *purpose, void *data, void (*release)(void *data))
{
	struct shared *s = calloc(1, sizeof(*s));

	if (!s || !(s->path = strdup(path)))
		drb_die("%s: not enough memory", path);
	s->was = state_of(path);
	s->data = data;
	s->release = release;
	// Keeps standard input for ever, because it cannot be read again.
	s->users = s->was.st_ino ? 1 : 2;
	snprintf(s->purpose, sizeof(s->purpose), "%s", purpose);
	pthread_mutex_lock(&lock);
	s->next = all;
	all = s;
	pthread_mutex_unlock(&lock);
}

void sim_shared_release(void *data)
{
	struct shared *unused = NULL;

	pthread_mutex_lock(&lock);
	for (struct shared **at = &all; *at && !unused; at = &(*at)->next) {
		if ((*at)->data != data)
			continue;
		if (--(*at)->users > 0)
			break;
		unused = *at;
		*at = unused->next;
		break;
	}
	pthread_mutex_unlock(&lock);
	if (!unused)
		return;
	unused->release(unused->data);
	free(unused->path);
	free(unused);
}
