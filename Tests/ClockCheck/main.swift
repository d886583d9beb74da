// main.swift: measures the drift correction of a second clock. SPDX-License-Identifier: MIT
//
// Usage: clock-check [loop|loopback|sound|cost|short]. Prints the tables of docs/internals/adaptive-resampling.md; `short` plays a
// few seconds of everything between the hooks of the render path, for scripts/check-realtime.

import AdaptiveResampling
import ClockSimulation
import Glibc

let wanted = CommandLine.arguments.dropFirst().first
if wanted == nil || wanted == "loop" { try printLoop() }
if wanted == nil || wanted == "loopback" { try printLoopback() }
if wanted == nil || wanted == "sound" { try printAudio() }
if wanted == nil || wanted == "cost" { try printCost() }
if wanted == "short" { try playAll() }
