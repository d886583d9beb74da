// lv2shim.h: the LV2 library of every exported module. SPDX-License-Identifier: MIT
//
// This header is never included: hosts look up `lv2_descriptor` in the library. The package manager requires
// a header.
#pragma once
