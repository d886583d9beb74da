// sandbox.h: the parts of the sandbox. SPDX-License-Identifier: MIT
#pragma once

#include "csandbox.h"

/// Whether the process is in the sandbox.
extern bool sandbox_is_entered;

/// Records a refused call; `path` may be NULL. [any, in signal handlers too]
void sandbox_note(csandbox_kind kind, uint32_t call, const char *path);

/// Begins the record, and handles the signal of refused calls.
void sandbox_begin_record(csandbox_record *record);

/// Whether the kernel can limit files, and system calls.
bool sandbox_has_files(void);
bool sandbox_has_calls(void);

/// Limits the files; returns whether the kernel supports it.
bool sandbox_limit_files(const char *const *readable, uint32_t readable_count, const char *writable);

/// Limits the system calls; returns whether the kernel supports it.
bool sandbox_limit_calls(void);
