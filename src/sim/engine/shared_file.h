// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Data read from files that several points name. A file is read once while points refer to it, and
// read again after it has changed. Standard input is read once.

// Finds the data read from `path` for this purpose, and adds a reference for the point. NULL: the
// caller must read the file and call sim_shared_add(). One thread at a time calls these two.
void *sim_shared_find(const char *path, const char *purpose);
// Keeps data with one reference. release() frees the data when the last reference goes. Ends the
// process if memory is out.
void sim_shared_add(const char *path, const char *purpose, void *data, void (*release)(void *data));
// Drops a point's reference. Any thread may call it.
void sim_shared_release(void *data);
