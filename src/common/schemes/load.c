// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/routing/choice.h"

#include "common/cli/quantity.h"
#include "common/schemes/child.h"
#include "common/schemes/crash.h"
#include "common/schemes/sonic.h"
#include "common/schemes/trial.h"

#define ARS_PACKET 4160  // bytes with headers; the same as --packet of drbsim
#define PATIENCE_MS 3000 // for a trial, which takes a few ms

#define REFUSE(...) drb_scheme_refuse(why, __VA_ARGS__)

// The loaded objects. The entry after the last one is overwritten if loading fails.
static struct object {
	char path[DRB_SCHEME_TEXT_MAX];
	const struct drb_scheme_ops *ops;
	struct stat file;
} kept[DRB_SCHEMES_MAX];
static uint32_t kept_count;
static bool ended; // no further objects may be loaded

int drb_scheme_refuse(char why[DRB_SCHEME_WHY], const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, DRB_SCHEME_WHY, fmt, args);
	va_end(args);
	return -EINVAL;
}

const struct drb_scheme_ops *drb_scheme_open(const char *path, char why[DRB_SCHEME_WHY])
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct drb_scheme_ops *ops = object ? dlsym(object, DRB_SCHEME_SYMBOL) : NULL;
	const char *flaw = ops ? drb_scheme_flaw(ops) : NULL;

	if (!object)
		REFUSE("cannot load it: %s", dlerror());
	else if (!ops)
		REFUSE("%s: defines no scheme: end its source with DRB_SCHEME() of drb/scheme.h",
		       path);
	else if (flaw)
		REFUSE("%s: %s", path, flaw);
	return flaw ? NULL : ops;
}

// The field for the value of a key, and the range of the value.
struct place {
	double least, most;
	double *value;
};

static struct place param_place(struct drb_scheme_variant *v, const char *key)
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

// Settings of ars that each set several of its parameters. NULL: not given.
struct ars_settings {
	const char *config, *link_rate, *packet;
};

// Stores the value of a setting if the setting is one of these. Returns true if it is.
static bool note_ars(struct ars_settings *a, const char *setting)
{
	const struct {
		const char *name;
		const char **value;
	} all[] = {{"config=", &a->config}, {"link_rate=", &a->link_rate}, {"packet=", &a->packet}};

	for (int i = 0; i < 3; i++) {
		if (strncmp(setting, all[i].name, strlen(all[i].name)) != 0)
			continue;
		*all[i].value = setting + strlen(all[i].name);
		return true;
	}
	return false;
}

// Schemes with the parameters of their config files, without other parameters.
static struct drb_scheme_variant configured[DRB_SCHEMES_MAX];
static uint32_t configured_count;

// After drb_scheme_objects_end(), config files are not read. A text that was read before gives the
// same scheme.
static int take_config(struct drb_scheme_variant *v, const char *path,
		       const struct drb_ars_links *links, char why[DRB_SCHEME_WHY])
{
	uint32_t i = 0;

	while (i < configured_count && strcmp(configured[i].text, v->text) != 0)
		i++;
	if (ended) {
		if (i == configured_count)
			return REFUSE("%s: was not read when the program started, and cannot be "
				      "now: restart it",
				      path);
		*v = configured[i];
		return 0;
	}
	if (drb_ars_take_config(v, path, links, why) < 0)
		return -EINVAL;
	if (i < DRB_SCHEMES_MAX) {
		configured[i] = *v;
		configured_count += i == configured_count;
	}
	return 0;
}

// Takes these settings of ars together, before parameters are set one by one.
static int set_ars(struct drb_scheme_variant *v, const char *settings, char why[DRB_SCHEME_WHY])
{
	struct drb_ars_links links = {.bytes = ARS_PACKET};
	struct ars_settings a = {0};
	char copy[DRB_SCHEME_TEXT_MAX], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", settings);
	while (rest)
		note_ars(&a, strsep(&rest, ":"));
	if (a.link_rate && drb_parse_real(a.link_rate, 0.001, 1e5, &links.gbit) < 0)
		return REFUSE("ars: link_rate %s: must be Gbit/s, such as 400", a.link_rate);
	if (a.packet && drb_parse_real(a.packet, 64, 1e6, &links.bytes) < 0)
		return REFUSE("ars: packet %s: must be bytes, 64 to 1000000", a.packet);
	if (a.packet && !a.link_rate && !a.config)
		return REFUSE("ars: packet %s: it converts times at a rate: add link_rate=GBIT, or "
			      "config=FILE",
			      a.packet);
	if (a.config)
		return take_config(v, a.config, &links, why);
	return a.link_rate ? drb_ars_take_sai(v, &links, why) : 0;
}

// Sets one parameter, "key=value".
static int set_one(struct drb_scheme_variant *v, char *setting, char why[DRB_SCHEME_WHY])
{
	char *equals = strchr(setting, '='), *end;

	if (!equals)
		return REFUSE("%s: '%s' must be KEY=VALUE", v->ops->name, setting);
	*equals = '\0';
	const struct place at = param_place(v, setting);
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

static int object_load(const char *path, const struct drb_scheme_ops **ops,
		       char why[DRB_SCHEME_WHY])
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
	const int error = stat(path, &o->file) < 0 ? errno : 0;
	*ops = o->ops = drb_scheme_open(path, why);
	if (!o->ops)
		return -EINVAL;
	if (error)
		return REFUSE("%s: %s", path, strerror(error));
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

// Finds the scheme without its parameters.
static int scheme_find(const char *name, struct drb_scheme_variant *v, char why[DRB_SCHEME_WHY])
{
	if (strchr(name, '/')) {
		v->like = DRB_SCHEME_COUNT;
		return object_load(name, &v->ops, why);
	}
	if (drb_scheme_parse(name, &v->like) < 0)
		return unknown(name, why);
	v->ops = drb_scheme_ops(v->like);
	return 0;
}

int drb_scheme_read_untried(const char *text, struct drb_scheme_variant *v,
			    char why[DRB_SCHEME_WHY])
{
	char copy[DRB_SCHEME_TEXT_MAX], *rest = copy;

	if (strlen(text) >= sizeof(copy))
		return REFUSE("'%.20s...' is too long", text);
	*v = (struct drb_scheme_variant){.threshold = NAN, .choices = NAN};
	snprintf(v->text, sizeof(v->text), "%s", text);
	snprintf(copy, sizeof(copy), "%s", text);
	if (scheme_find(strsep(&rest, ":"), v, why) < 0)
		return -EINVAL;
	for (int i = 0; v->ops->params && v->ops->params[i].name; i++)
		v->param[i] = v->ops->params[i].initial;
	snprintf(v->name, sizeof(v->name), "%s%s%s", v->ops->name, rest ? ":" : "",
		 rest ? rest : "");
	const bool ars = v->like == DRB_SCHEME_ARS;
	if (ars && rest && set_ars(v, rest, why) < 0)
		return -EINVAL;
	while (rest) {
		char *setting = strsep(&rest, ":");
		if (!(ars && note_ars(&(struct ars_settings){0}, setting)) &&
		    set_one(v, setting, why) < 0)
			return -EINVAL;
	}
	return 0;
}

// Runs in the child.
static void try_out(void *text, char why[DRB_SCHEME_WHY])
{
	struct drb_scheme_variant v;
	char flaw[DRB_TRIAL_WHY];

	if (drb_scheme_read_untried(text, &v, why) == 0 && drb_scheme_trial(&v, flaw) < 0)
		REFUSE("%s: %s", v.text, flaw);
}

int drb_scheme_read(const char *text, struct drb_scheme_variant *v, char why[DRB_SCHEME_WHY])
{
	char said[DRB_SCHEME_WHY];

	// After drb_scheme_objects_end(), an object is not tried out again. It was tried out when
	// it was loaded, perhaps with other parameters.
	if (memchr(text, '/', strcspn(text, ":")) && !ended &&
	    drb_child_run(try_out, (void *)(uintptr_t)text, PATIENCE_MS, said) < 0)
		return REFUSE("%s", said);
	if (drb_scheme_read_untried(text, v, why) < 0)
		return -EINVAL;
	for (uint32_t i = 0; i < kept_count; i++) {
		if (kept[i].ops == v->ops)
			drb_scheme_crash_watch(kept[i].path, v->ops);
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
