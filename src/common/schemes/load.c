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
#include <sys/wait.h>
#include <unistd.h>

#include "core/routing/choice.h"

#include "common/schemes/trial.h"

#define PATIENCE_MS 3000 // of a trial, which takes a few ms

#define REFUSE(...) (snprintf(why, DRB_SCHEME_WHY, __VA_ARGS__), -EINVAL)

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

// The scheme without its parameters.
static int find(const char *name, struct drb_scheme_variant *v, char why[DRB_SCHEME_WHY])
{
	enum drb_scheme scheme;

	if (!strchr(name, '/')) {
		if (drb_scheme_parse(name, &scheme) < 0)
			return REFUSE("no scheme '%s'", name);
		v->like = scheme;
		v->ops = drb_scheme_ops(scheme);
		return 0;
	}
	if (try_out(name, why) < 0)
		return -EINVAL;
	v->like = DRB_SCHEME_COUNT;
	v->ops = open_object(name, why);
	if (!v->ops)
		return -EINVAL;
	if (drb_scheme_parse(v->ops->name, &scheme) == 0 && scheme < DRB_SCHEME_COUNT)
		return REFUSE("%s: another scheme is called %s: call it otherwise", name,
			      v->ops->name);
	return 0;
}

int drb_scheme_of_text(const char *text, enum drb_scheme *scheme, char why[DRB_SCHEME_WHY])
{
	struct drb_scheme_variant v = {.threshold = NAN, .choices = NAN};
	char copy[DRB_SCHEME_TEXT_MAX], *rest = copy;

	if (drb_scheme_parse(text, scheme) == 0 || drb_scheme_asked_for(text, scheme))
		return 0;
	if (strlen(text) >= sizeof(copy))
		return REFUSE("'%.20s...' is too long", text);
	snprintf(v.text, sizeof(v.text), "%s", text);
	snprintf(copy, sizeof(copy), "%s", text);
	if (find(strsep(&rest, ":"), &v, why) < 0)
		return -EINVAL;
	for (int i = 0; v.ops->params && v.ops->params[i].name; i++)
		v.param[i] = v.ops->params[i].initial;
	snprintf(v.name, sizeof(v.name), "%s%s%s", v.ops->name, rest ? ":" : "", rest ? rest : "");
	while (rest) {
		if (set_one(&v, strsep(&rest, ":"), why) < 0)
			return -EINVAL;
	}
	return drb_scheme_add(&v, scheme) == 0 ? 0
					       : REFUSE("more than %d schemes", DRB_SCHEMES_MAX);
}
