// PortingGuideTests.swift: the guide shows code that is compiled and tested. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct PortingGuideTests {
  private static let directory = "Tests/Fixtures/porting"

  /// Blocks of the guide's pages that are marked as code.
  private func blocks() throws -> [String] {
    let directory = Fixtures.path("docs/guides/porting")
    let pages = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    let guide = try pages.filter { $0.hasSuffix(".md") }
      .map { try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8) }
      .joined(separator: "\n")
    var blocks: [String] = []
    var lines: [Substring]?
    for line in guide.split(separator: "\n", omittingEmptySubsequences: false) {
      if let inside = lines {
        lines = line == "```" ? nil : inside + [line]
        if lines == nil { blocks.append(inside.joined(separator: "\n")) }
      } else if ["```c", "```cpp", "```swift"].contains(line) {
        lines = []
      }
    }
    return blocks
  }

  /// The files that are compiled, with those of directories.
  private func sources() throws -> [(file: String, text: String)] {
    let root = Fixtures.path(Self.directory)
    return try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
      .filter { file in [".c", ".h", ".cpp", ".swift"].contains { file.hasSuffix($0) } }
      .map { (file: $0, text: try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8)) }
  }

  @Test func `every code block of the guide is part of a tested file`() throws {
    let sources = try sources()
    let blocks = try blocks()
    #expect(blocks.count >= 10)
    for block in blocks {
      #expect(
        sources.contains { $0.text.contains(block) },
        "no file of \(Self.directory) has this block of docs/guides/porting:\n\(block)")
    }
  }

  @Test func `every tested port is in the guide`() throws {
    let blocks = try blocks()
    for source in try sources() where !source.file.contains("/Damper") {
      #expect(
        blocks.contains { source.text.contains($0) }, "docs/guides/porting shows no \(source.file)")
    }
  }
}
