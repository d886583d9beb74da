// FaultMemoryTests.swift: remembered faults of plugins. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PluginCatalogue

@Suite struct `Remembered faults` {
  private let directory = FileManager.default.temporaryDirectory
    .appending(path: "outboard-faults-\(UUID().uuidString)").path
  private let memory: FaultMemory
  private let code: String

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    code = directory + "/plugin.so"
    try "one".write(toFile: code, atomically: true, encoding: .utf8)
    memory = FaultMemory(directory: directory + "/state/faults")
  }

  private func subject(_ identifier: String = "test.plugin") -> FaultSubject {
    FaultSubject(identifier: identifier, name: "Plugin", path: code)
  }

  @Test func `are found until they are forgotten`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(memory.takeStock().isEmpty)
    #expect(memory.record(subject(), deed: "crashed"))
    #expect(memory.record(subject("test.other"), deed: "stalled"))
    let fault = try #require(memory.fault(of: "test.plugin", at: code))
    #expect(fault.deed == "crashed" && fault.name == "Plugin" && fault.path == code)
    #expect(fault.day.count == 10)
    #expect(memory.fault(of: "test.plugin", at: "/elsewhere") == nil)
    #expect(memory.takeStock().count == 2)
    memory.forget(fault)
    #expect(memory.fault(of: "test.plugin", at: code) == nil)
    #expect(memory.takeStock().map(\.identifier) == ["test.other"])
  }

  @Test func `do not count for a changed file`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let before = subject()
    try "another".write(toFile: code, atomically: true, encoding: .utf8)
    // The fault belongs to the version that was loaded.
    memory.record(before, deed: "crashed")
    #expect(memory.fault(of: "test.plugin", at: code) == nil)
    let files = { try FileManager.default.contentsOfDirectory(atPath: directory + "/state/faults") }
    #expect(try files().count == 1)
    #expect(memory.takeStock().isEmpty)
    #expect(try files().isEmpty)
  }

  @Test func `are not believed if they are damaged or another user could have written them`() throws
  {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    memory.record(subject(), deed: "crashed")
    let place = directory + "/state/faults"
    let file =
      try place + "/" + #require(FileManager.default.contentsOfDirectory(atPath: place).first)
    chmod(place, 0o777)
    #expect(memory.fault(of: "test.plugin", at: code) == nil)
    chmod(place, 0o700)
    #expect(memory.fault(of: "test.plugin", at: code) != nil)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: file))
    #expect(memory.fault(of: "test.plugin", at: code) == nil)
  }
}
