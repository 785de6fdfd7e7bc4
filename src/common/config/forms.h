// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Values with a syntax of their own and lists of words, for rows of keys.def. Private to common/config.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// False if text is not of the form; else into the struct that the key belongs to: a struct
// drb_setup, or for links a struct drb_port_setup.
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

// Word number i; NULL beyond the last.
const char *drb_words_unit(uint32_t i);
const char *drb_words_check_source(uint32_t i);
const char *drb_words_driver(uint32_t i);
const char *drb_words_occupancy(uint32_t i);
const char *drb_words_idle(uint32_t i);
const char *drb_words_hugepages(uint32_t i);

// Copies a text that fits, and clears what is behind it: a reload compares members as bytes.
void drb_put_text(char *to, size_t size, const char *text);
