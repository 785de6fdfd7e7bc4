// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parsers of values with their own syntax, and lists of words, for rows of keys.def. Private to
// common/config.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each parses text into the struct that the key belongs to: struct drb_setup, or struct
// drb_port_setup for keys of links. Returns false if the text does not have the form.
bool drb_form_fabric(const char *text, void *setup);
bool drb_form_mac(const char *text, void *setup);
bool drb_form_ipv4(const char *text, void *setup);
bool drb_form_ipv6(const char *text, void *setup);
bool drb_form_threshold(const char *text, void *setup);
bool drb_form_cpus(const char *text, void *setup);
bool drb_form_rate(const char *text, void *port);
bool drb_form_hello(const char *text, void *port);
bool drb_form_loss(const char *text, void *port);
bool drb_form_port(const char *text, void *port);

// Word number i; NULL beyond the last word.
const char *drb_words_unit(uint32_t i);
const char *drb_words_check_source(uint32_t i);
const char *drb_words_driver(uint32_t i);
const char *drb_words_occupancy(uint32_t i);
const char *drb_words_idle(uint32_t i);
const char *drb_words_hugepages(uint32_t i);

// Copies a text that fits, and clears the bytes after it, because a reload compares members byte by
// byte.
void drb_put_text(char *to, size_t size, const char *text);
