// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model of the simulator: takes options and returns one row of figures. All code that reads
// points or prints rows uses the tables of the model: for command lines, lines of JSON, headings,
// and `drbsim run --models`.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"

#define SIM_PARTS_MAX 3
#define SIM_ERROR_MAX 320
#define SIM_CELLS_MAX 128
#define SIM_NAME_MAX 32

enum sim_kind {
	SIM_REAL,  // double; NaN: undefined
	SIM_WHOLE, // uint64_t
	SIM_U32,   // uint32_t; UINT32_MAX: undefined
	SIM_TEXT,  // char[]
	SIM_NAME,  // const char *; NULL: undefined
	SIM_WORD,  // unsigned or an enum: an index into `words`, as in DRB_OPTION_WORD
	SIM_FLAG,  // bool
	SIM_REALS, // struct sim_reals: an array, printed in JSON only
};

struct sim_reals {
	const double *value;
	uint32_t count;
};

// The function that combines the values of runs with different seeds into one.
enum sim_combine {
	SIM_SAME, // equal in all runs
	SIM_MEAN,
	SIM_SPREAD, // mean, and half of its 95 % interval in a column `<name>_half`
	SIM_MOST,
	SIM_LEAST,
	SIM_SUM,
};

// SIM_UP: a column for each layer except the top one; SIM_DOWN: for each layer.
enum sim_each { SIM_ONCE, SIM_UP, SIM_DOWN };

struct sim_column {
	const char *name; // contains %u for the layer if `each` repeats the column
	enum sim_kind kind;
	size_t at; // offset in the row
	int decimals;
	enum sim_combine combine;
	const char *unit; // NULL: none
	const char *help; // NULL: the name explains itself
	enum sim_each each;
	size_t stride; // bytes from one layer to the next; `at` belongs to layer 0
	const char *words;
	// `at` is an offset in the point: the column shows a setting.
	bool of_point;
	bool (*shown)(const void *point); // NULL: always shown
};

// Further rows of a point, such as one for each link. In JSON they are an array of objects.
struct sim_part {
	const char *name, *help;
	const struct sim_column *columns; // ends with an entry of zeros
	size_t row_size;
	bool (*asked)(const void *point);
	bool with_row; // tables repeat figures of the point's row in these rows, not only settings
};

struct sim_set {
	const struct drb_option *options;
	size_t at; // offset of the options' struct in the point
};

// The results of a run. The engine frees all of them.
struct sim_outcome {
	uint64_t memory;  // bytes that the run may take
	uint32_t threads; // that the run may use, 1 or more
	// Thousandths of the run that are done. Long runs write it; any thread reads it.
	atomic_uint share;
	void *row; // `row_size` bytes of the model, zeroed before the run
	struct {
		void *rows;
		uint64_t count;
	} part[SIM_PARTS_MAX];
	void *owned[4];              // memory that cells refer to
	char error[SIM_ERROR_MAX];   // why the run failed, if it returns a negative errno
	char warning[SIM_ERROR_MAX]; // a remark for the reader of the row; "": none
};

struct sim_model {
	const char *name, *help;
	const struct sim_set *sets; // ends with an entry without options
	size_t size;                // bytes of a point
	const struct sim_column *columns;
	size_t row_size;
	const struct sim_part *parts; // ends with an entry without a name; NULL: no parts
	// Completes a point. If the point is wrong, ends the process by drb_die() with a line that
	// begins with the option.
	void (*check)(void *point);
	// Returns whether this point, not yet checked, is possible. It is called for points that
	// the user did not name one by one, as with `--scheme all`. NULL: any point is possible.
	bool (*takes)(void *point);
	// Bytes that a run takes at least; NULL: little.
	uint64_t (*bytes)(const void *point);
	// Returns 0, or a negative errno with `error` filled in. An empty `error` stands for
	// strerror().
	int (*run)(const void *point, struct sim_outcome *outcome);
	// alike() returns whether two points can share their random draws. run_alike() runs such
	// points together. NULL: no points can.
	bool (*alike)(const void *a, const void *b);
	int (*run_alike)(const void *const point[], struct sim_outcome *const outcome[],
			 uint32_t count);
	void (*release)(void *point); // frees what the point owns; NULL: it owns nothing
	// Layers for columns with `each`; NULL: no such columns.
	uint32_t (*layers)(const void *point);
};

// A new point with the default of each option. NULL: out of memory.
void *sim_point_new(const struct sim_model *model);
void sim_point_free(const struct sim_model *model, void *point);
// Finds the option of a key such as "ack_room", and the field that it fills in. NULL: there is
// none.
const struct drb_option *sim_option_find(const struct sim_model *model, const char *key,
					 void *point, void **field);
// The key of an option: "ack_room" for "--ack-room".
void sim_option_key(const struct drb_option *option, char key[SIM_NAME_MAX]);

struct sim_cell {
	char name[SIM_NAME_MAX];
	const struct sim_column *column;
	const void *at;
};

// Fills in the cells of a row. Returns their number.
uint32_t sim_cells(const struct sim_model *model, const struct sim_column *columns,
		   const void *point, const void *row, struct sim_cell cell[SIM_CELLS_MAX]);
// The cell as a number; NaN if it is undefined or not a number.
double sim_cell_number(const struct sim_cell *cell);
// The cell as text; "" if it is undefined. The text may be in `buffer`.
const char *sim_cell_text(const struct sim_cell *cell, char *buffer, size_t size);
// Writes the shortest text that reads back as the same number.
void sim_format_real(double value, char *buffer, size_t size);
