// OpenFiles.swift: the open files of another process. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

/// Waits until a rendering has created a file in a directory, with or without a name.
func waitUntilOutputIsOpen(_ process: Int32, in directory: String) {
  let deadline = Date().addingTimeInterval(patienceSeconds)
  let files = FileManager.default
  while Date() < deadline {
    let numbers = (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    let targets = numbers.compactMap {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
    }
    let isOpen = targets.contains {
      $0.hasPrefix(directory + "/#") || $0.contains(".partial")
    }
    if isOpen { return }
    Thread.sleep(forTimeInterval: 0.02)
  }
  Issue.record("the rendering did not begin")
}

/// Whether a process has a file open.
func hasOpen(_ path: String, _ process: Int32) -> Bool {
  let files = FileManager.default
  let numbers = (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
  return numbers.contains {
    (try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")) == path
  }
}

/// Whether a process still runs: one that has ended may remain until its status is read.
func isAtWork(_ process: Int32) -> Bool {
  guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
    let end = text.lastIndex(of: ")")
  else { return false }
  return !text[end...].dropFirst(2).hasPrefix("Z")
}
