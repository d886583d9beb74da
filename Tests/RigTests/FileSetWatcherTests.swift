// FileSetWatcherTests.swift: which changes of a rig file are reported. SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestWaits
import Testing

@testable import RigSchema

@Suite final class `A watched rig file` {
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "watch-\(UUID().uuidString)")
  private let counts = Counts()

  private final class Counts: Sendable {
    /// How often the watcher has looked for the files, which it does after each change.
    let looks = Atomic<Int>(0)
    /// How often it has reported a change.
    let reports = Atomic<Int>(0)
  }

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private func path(_ name: String) -> String { directory.appending(path: name).path }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
  }

  private func wait(until isTrue: () -> Bool) throws {
    let deadline = Deadline()
    while !isTrue() { try deadline.rest(0.01) }
  }

  private func reports() -> Int { counts.reports.load(ordering: .acquiring) }

  @Test func `is reported if another program changes it, but not if the session saves it`() throws {
    let names = ["rig.yaml", "nested.yaml"].map(path)
    try write("a", to: "rig.yaml")
    try write("b", to: "nested.yaml")
    let look: @Sendable () -> [String] = { [counts] in
      counts.looks.add(1, ordering: .acquiringAndReleasing)
      return names
    }
    let report: @Sendable () -> Void = { [counts] in
      counts.reports.add(1, ordering: .acquiringAndReleasing)
    }
    let watcher = try #require(FileSetWatcher(files: look, onChange: report))
    defer { watcher.stop() }
    func save(_ text: String) throws {
      let looks = counts.looks.load(ordering: .acquiring)
      try watcher.saving {
        try write(text, to: "rig.yaml")
        return (path("rig.yaml"), text)
      }
      try wait { counts.looks.load(ordering: .acquiring) > looks }
    }
    // When the watcher looks at a file again, it has judged the change before.
    for number in 0 ..< 4 { try save("saved \(number)") }
    #expect(reports() == 0)
    try write("by another program", to: "rig.yaml")
    try wait { reports() > 0 }
    // The same text as the session has saved last, beside a change of another file.
    try save("saved again")
    let before = reports()
    try write("c", to: "nested.yaml")
    try wait { reports() > before }
  }
}
