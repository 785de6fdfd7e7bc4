// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A second, naive model of the fat-tree for the tests: digit vectors, division by '/', links found
// by searching for pairs that satisfy the paper's relation. It shares no arithmetic with src/core.

#include <stdint.h>

#define MODEL_DIGITS_MAX 32

struct model {
	uint32_t l, d;
};

// Digits of a label, component i at index i, 1 <= i <= count. Every one but the top one is reduced
// modulo d; the top one keeps what is left.
static inline void model_digits(const struct model *m, uint32_t label, uint32_t count,
				uint32_t digit[MODEL_DIGITS_MAX])
{
	for (uint32_t i = 1; i <= count; i++) {
		digit[i] = i < count ? label % m->d : label;
		label /= m->d;
	}
}

static inline uint64_t model_power(uint64_t base, uint32_t exponent)
{
	uint64_t p = 1;

	while (exponent-- > 0)
		p *= base;
	return p;
}

static inline uint64_t model_hosts(const struct model *m)
{
	return 2 * model_power(m->d, m->l);
}

// The layers below the core have twice as many switches.
static inline uint64_t model_switches(const struct model *m, uint32_t layer)
{
	return (layer < m->l ? 2 : 1) * model_power(m->d, m->l - 1);
}

static inline uint32_t model_distance(const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t x[MODEL_DIGITS_MAX], y[MODEL_DIGITS_MAX], k = 0;

	model_digits(m, a, m->l, x);
	model_digits(m, b, m->l, y);
	for (uint32_t i = 1; i <= m->l; i++) {
		if (x[i] != y[i])
			k = i;
	}
	return k;
}

// h_{i+1} = s_i for all i >= layer.
static inline int model_below(const struct model *m, uint32_t layer, uint32_t label, uint32_t host)
{
	uint32_t s[MODEL_DIGITS_MAX], h[MODEL_DIGITS_MAX];

	model_digits(m, label, m->l - 1, s);
	model_digits(m, host, m->l, h);
	for (uint32_t i = layer; i <= m->l - 1; i++) {
		if (h[i + 1] != s[i])
			return 0;
	}
	return 1;
}

// Equation (switch_connection): is switch `low` of layer m-1 wired to switch `high` of layer m, and
// by which up-port of the lower and down-port of the upper one?
static inline int model_wired(const struct model *m, uint32_t layer, uint32_t low, uint32_t high,
			      uint32_t *up_port, uint32_t *down_port)
{
	uint32_t s[MODEL_DIGITS_MAX], t[MODEL_DIGITS_MAX];

	model_digits(m, low, m->l - 1, s);
	model_digits(m, high, m->l - 1, t);
	for (uint32_t i = 1; i <= m->l - 1; i++) {
		if (i != layer - 1 && s[i] != t[i])
			return 0;
	}
	*up_port = t[layer - 1];
	*down_port = s[layer - 1];
	return 1;
}

// Is host wired to this layer-1 switch, h = (p, s), and by which down-port?
static inline int model_host_wired(const struct model *m, uint32_t label, uint32_t host,
				   uint32_t *down_port)
{
	uint32_t h[MODEL_DIGITS_MAX] = {0};

	model_digits(m, host, m->l, h);
	*down_port = h[1];
	return model_below(m, 1, label, host);
}
