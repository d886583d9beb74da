// LibraryGlobalsTests.swift: variables that instances would share. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import Testing

@testable import ModuleHost

@Suite struct LibraryGlobalsTests {
  @Test(arguments: [
    ("keeps_globals", true), ("stateful", true), ("process_only", false), ("parameters", false),
  ])
  func `globals are distinguished from memory of instances`(fixture: String, isAny: Bool) throws {
    #expect(try LibraryGlobals.isAny(in: Fixture.compile(fixture)) == isAny)
  }

  @Test func `globals are found in a library without symbols`() throws {
    let path = try Fixture.copy("stateful")
    let strip = try Process.run(
      URL(fileURLWithPath: "/usr/bin/env"), arguments: ["strip", path])
    strip.waitUntilExit()
    #expect(strip.terminationStatus == 0)
    #expect(LibraryGlobals.isAny(in: path))
  }

  @Test func `a truncated library has none`() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Fixture.compile("keeps_globals")))
    let path = FileManager.default.temporaryDirectory.path + "/outboard-cut-\(UUID().uuidString).so"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for count in stride(from: 0, to: data.count, by: data.count / 37) {
      try data.prefix(count).write(to: URL(fileURLWithPath: path))
      #expect(!LibraryGlobals.isAny(in: path))
    }
    #expect(!LibraryGlobals.isAny(in: "/nowhere"))
  }

  @Test func `a copy of a library has separate variables`() throws {
    let library = try ModuleLibrary(path: Fixture.copy("keeps_globals"))
    #expect(library.keepsGlobals)
    func node(_ library: ModuleLibrary) throws -> ModuleNode {
      let node = try ModuleNode(
        library, manifest(), NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 4))
      try node.activate()
      return node
    }
    let first = try node(library)
    let copies = try (0 ..< 3).map { _ in try node(ModuleLibrary(copyOf: library)) }
    #expect(render(first, [[1]], frames: 1, blocks: [1]) == [[0]])
    for (index, copy) in copies.enumerated() {
      #expect(render(copy, [[Float(index) + 2]], frames: 1, blocks: [1]) == [[0]])
    }
    #expect(render(first, [[0]], frames: 1, blocks: [1]) == [[1]])
    #expect(render(copies[2], [[0]], frames: 1, blocks: [1]) == [[4]])
  }

  @Test func `copies are loaded and unloaded without a leak`() throws {
    let library = try ModuleLibrary(path: Fixture.copy("keeps_globals"))
    func openCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
          .contains("memfd:module") ?? false
      }
    }
    for _ in 0 ..< 100 { _ = try ModuleLibrary(copyOf: library) }
    let held = try ModuleLibrary(copyOf: library)
    // Tests of other suites run at the same time, and may have a few open.
    #expect(try openCount() < 50)
    withExtendedLifetime(held) {}
  }
}
