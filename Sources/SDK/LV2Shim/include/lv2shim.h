// lv2shim.h: the LV2 library of every exported module. SPDX-License-Identifier: MIT
//
// Nobody includes it: hosts ask the library for `lv2_descriptor`. The package manager wants a header.
#pragma once
