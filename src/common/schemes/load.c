// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/routing/choice.h"

#include "common/schemes/trial.h"

#define PATIENCE_MS 3000 // of a trial, which takes a few ms

#define REFUSE(...) (snprintf(why, DRB_SCHEME_WHY, __VA_ARGS__), -EINVAL)

// Those that were loaded; the last one stays as it is when it cannot be.
static struct object {
	char path[DRB_SCHEME_TEXT_MAX];
	const struct drb_scheme_ops *ops;
	struct stat file;
} kept[DRB_SCHEMES_MAX];
static uint32_t kept_count;
static bool ended; // no more of them

static const struct drb_scheme_ops *open_object(const char *path, char why[DRB_SCHEME_WHY])
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct drb_scheme_ops *ops = object ? dlsym(object, DRB_SCHEME_SYMBOL) : NULL;

	if (!object)
		snprintf(why, DRB_SCHEME_WHY, "cannot load it: %s", dlerror());
	else if (!ops)
		snprintf(why, DRB_SCHEME_WHY,
			 "%s: defines no scheme: end its source with DRB_SCHEME() of drb/scheme.h",
			 path);
	return ops;
}

// In the child: what is wrong, "" if nothing.
static _Noreturn void try_and_tell(const char *path, int to)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	char why[DRB_SCHEME_WHY] = "", flaw[DRB_TRIAL_WHY];

	// The parent tells of it, and nobody else: sanitizers would.
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	const struct drb_scheme_ops *ops = open_object(path, why);

	if (ops && drb_scheme_trial(ops, flaw) < 0)
		snprintf(why, sizeof(why), "%s: %s", path, flaw);
	_exit(write(to, why, sizeof(why)) == sizeof(why) ? 0 : 1);
}

static int take_verdict(const char *path, int from, pid_t child, char why[DRB_SCHEME_WHY])
{
	struct pollfd waited = {.fd = from, .events = POLLIN};
	int n, status;

	do
		n = poll(&waited, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	const bool said = n > 0 && read(from, why, DRB_SCHEME_WHY) == DRB_SCHEME_WHY;
	if (n == 0)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (said)
		return why[0] ? -EINVAL : 0;
	if (n == 0)
		return REFUSE("%s: does not return within %d s when it is tried out", path,
			      PATIENCE_MS / 1000);
	if (WIFSIGNALED(status))
		return REFUSE("%s: crashes when it is tried out (%s)", path,
			      strsignal(WTERMSIG(status)));
	return REFUSE("%s: ends the process when it is tried out", path);
}

static int try_out(const char *path, char why[DRB_SCHEME_WHY])
{
	int ends[2];

	if (pipe(ends) < 0)
		return REFUSE("%s: cannot try it out: %s", path, strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		try_and_tell(path, ends[1]);
	close(ends[1]);
	int rc = child < 0 ? REFUSE("%s: cannot try it out: %s", path, strerror(errno))
			   : take_verdict(path, ends[0], child, why);
	close(ends[0]);
	return rc;
}

// Where the value of a key goes, and what it may be.
struct place {
	double least, most;
	double *value;
};

static struct place place_of(struct drb_scheme_variant *v, const char *key)
{
	const struct drb_scheme_param *p = v->ops->params;

	if ((v->ops->needs & DRB_HAS_THRESHOLD) && strcmp(key, "threshold") == 0)
		return (struct place){0, DRB_LOAD_MAX, &v->threshold};
	if ((v->ops->needs & DRB_HAS_THRESHOLD) && strcmp(key, "choices") == 0)
		return (struct place){2, DRB_CHOICES_MAX, &v->choices};
	for (int i = 0; p && p[i].name; i++) {
		if (strcmp(key, p[i].name) == 0)
			return (struct place){p[i].least, p[i].most, &v->param[i]};
	}
	return (struct place){0};
}

// "key=value".
static int set_one(struct drb_scheme_variant *v, char *setting, char why[DRB_SCHEME_WHY])
{
	char *equals = strchr(setting, '='), *end;

	if (!equals)
		return REFUSE("%s: '%s' must be KEY=VALUE", v->ops->name, setting);
	*equals = '\0';
	const struct place at = place_of(v, setting);
	if (!at.value)
		return REFUSE("scheme %s has no parameter '%s'", v->ops->name, setting);
	double value = strtod(equals + 1, &end);
	if (end == equals + 1 || *end || !(value >= at.least && value <= at.most))
		return REFUSE("%s: %s must be a number from %g to %g", v->ops->name, setting,
			      at.least, at.most);
	*at.value = value;
	return 0;
}

static struct object *loaded(const char *path)
{
	for (uint32_t i = 0; i < kept_count; i++) {
		if (strcmp(kept[i].path, path) == 0)
			return &kept[i];
	}
	return NULL;
}

static int load(const char *path, const struct drb_scheme_ops **ops, char why[DRB_SCHEME_WHY])
{
	const struct object *before = loaded(path);
	enum drb_scheme scheme;

	if (before) {
		*ops = before->ops;
		return 0;
	}
	if (ended)
		return REFUSE("%s: was not loaded when the program started, and cannot be now: "
			      "restart it",
			      path);
	if (kept_count == DRB_SCHEMES_MAX)
		return REFUSE("%s: more than %d shared objects", path, DRB_SCHEMES_MAX);
	struct object *o = &kept[kept_count];
	if (try_out(path, why) < 0)
		return -EINVAL;
	if (stat(path, &o->file) < 0)
		return REFUSE("%s: %s", path, strerror(errno));
	*ops = o->ops = open_object(path, why);
	if (!o->ops)
		return -EINVAL;
	if (drb_scheme_parse(o->ops->name, &scheme) == 0)
		return REFUSE("%s: another scheme is called %s: call it otherwise", path,
			      o->ops->name);
	snprintf(o->path, sizeof(o->path), "%s", path);
	kept_count++;
	return 0;
}

void drb_scheme_objects_end(void)
{
	ended = true;
}

bool drb_scheme_object_changed(const struct drb_scheme_variant *v)
{
	struct stat now;

	for (uint32_t i = 0; i < kept_count; i++) {
		const struct stat *then = &kept[i].file;
		if (kept[i].ops == v->ops && stat(kept[i].path, &now) == 0)
			return now.st_dev != then->st_dev || now.st_ino != then->st_ino ||
			       now.st_size != then->st_size ||
			       now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
			       now.st_mtim.tv_nsec != then->st_mtim.tv_nsec;
	}
	return false;
}

static int unknown(const char *name, char why[DRB_SCHEME_WHY])
{
	size_t used = (size_t)snprintf(why, DRB_SCHEME_WHY, "no scheme '%.80s': must be", name);

	for (int i = 0; i < DRB_SCHEME_COUNT && used < DRB_SCHEME_WHY; i++)
		used += (size_t)snprintf(why + used, DRB_SCHEME_WHY - used, "%s %s", i ? "," : "",
					 drb_scheme_name((enum drb_scheme)i));
	return -EINVAL;
}

// The scheme without its parameters.
static int find(const char *name, struct drb_scheme_variant *v, char why[DRB_SCHEME_WHY])
{
	if (strchr(name, '/')) {
		v->like = DRB_SCHEME_COUNT;
		return load(name, &v->ops, why);
	}
	if (drb_scheme_parse(name, &v->like) < 0)
		return unknown(name, why);
	v->ops = drb_scheme_ops(v->like);
	return 0;
}

int drb_scheme_read(const char *text, struct drb_scheme_variant *v, char why[DRB_SCHEME_WHY])
{
	char copy[DRB_SCHEME_TEXT_MAX], *rest = copy;

	if (strlen(text) >= sizeof(copy))
		return REFUSE("'%.20s...' is too long", text);
	*v = (struct drb_scheme_variant){.threshold = NAN, .choices = NAN};
	snprintf(v->text, sizeof(v->text), "%s", text);
	snprintf(copy, sizeof(copy), "%s", text);
	if (find(strsep(&rest, ":"), v, why) < 0)
		return -EINVAL;
	for (int i = 0; v->ops->params && v->ops->params[i].name; i++)
		v->param[i] = v->ops->params[i].initial;
	snprintf(v->name, sizeof(v->name), "%s%s%s", v->ops->name, rest ? ":" : "",
		 rest ? rest : "");
	while (rest) {
		if (set_one(v, strsep(&rest, ":"), why) < 0)
			return -EINVAL;
	}
	return 0;
}

int drb_scheme_of_text(const char *text, enum drb_scheme *scheme, char why[DRB_SCHEME_WHY])
{
	struct drb_scheme_variant v;

	if (drb_scheme_parse(text, scheme) == 0 || drb_scheme_asked_for(text, scheme))
		return 0;
	if (drb_scheme_read(text, &v, why) < 0)
		return -EINVAL;
	return drb_scheme_add(&v, scheme) == 0 ? 0
					       : REFUSE("more than %d schemes", DRB_SCHEMES_MAX);
}

int drb_scheme_whole(const char *text, char whole[DRB_SCHEME_TEXT_MAX])
{
	const size_t name = strcspn(text, ":");
	char folder[DRB_SCHEME_TEXT_MAX] = "";

	if (!memchr(text, '/', name) || text[0] == '/')
		return snprintf(whole, DRB_SCHEME_TEXT_MAX, "%s", text) < DRB_SCHEME_TEXT_MAX
			       ? 0
			       : -ENAMETOOLONG;
	if (!getcwd(folder, sizeof(folder)))
		return -ENAMETOOLONG;
	while (strncmp(text, "./", 2) == 0)
		text += 2;
	return snprintf(whole, DRB_SCHEME_TEXT_MAX, "%s/%s", folder, text) < DRB_SCHEME_TEXT_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

static int add_to(struct drb_scheme_list *list, const char *text, char why[DRB_SCHEME_WHY])
{
	char whole[DRB_SCHEME_TEXT_MAX];
	enum drb_scheme scheme;

	if (drb_scheme_whole(text, whole) < 0)
		return REFUSE("'%.20s...' is too long", text);
	if (drb_scheme_of_text(whole, &scheme, why) < 0)
		return -EINVAL;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->scheme[i] == scheme)
			return REFUSE("%s is given twice", text);
		if (strcmp(drb_scheme_name(list->scheme[i]), drb_scheme_name(scheme)) == 0)
			return REFUSE("%s: another one is called %s as well", text,
				      drb_scheme_name(scheme));
	}
	if (list->count == DRB_SCHEMES_MAX)
		return REFUSE("more than %d schemes", DRB_SCHEMES_MAX);
	list->scheme[list->count++] = scheme;
	return 0;
}

int drb_schemes_of_text(const char *text, struct drb_scheme_list *list, char why[DRB_SCHEME_WHY])
{
	char one[DRB_SCHEME_TEXT_MAX + 1];

	list->count = 0;
	for (;; text++) {
		size_t length = strcspn(text, ",");
		snprintf(one, sizeof(one), "%.*s", (int)length, text);
		if (add_to(list, one, why) < 0)
			return -EINVAL;
		text += length;
		if (*text == '\0')
			return 0;
	}
}
