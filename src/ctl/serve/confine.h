// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Confines drbctl serve before it reads anything from clients. It may answer its clients and ask
// stats sockets. It cannot write files, signal processes, start programs or open other sockets.

// Confines this thread and all threads that it starts. runtime: the folder that has dpdk/. Returns
// 0, or -errno with a message printed. If the kernel lacks Landlock or seccomp, a warning names the
// missing one, and the other still confines. Builds with a sanitizer are not confined.
int serve_confine(const char *runtime);
