// LV2DirectoriesTests.swift: tests of LV2Directories.swift. SPDX-License-Identifier: MIT

import Foundation
import LV2Host
import Testing

@Suite struct `Directories of bundles` {
  private let path = NSTemporaryDirectory() + "outboard-folders-\(UUID().uuidString)"

  private func make(_ name: String, manifest: Bool = true) throws -> String {
    let bundle = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    if manifest { try Data().write(to: URL(fileURLWithPath: bundle + "/manifest.ttl")) }
    return bundle
  }

  @Test func `the search path is that of lilv, with home and empty parts`() {
    #expect(
      LV2Directories.directories(ofPath: "~/.lv2::/a/b:~", home: "/home/x")
        == ["/home/x/.lv2", "/a/b", "/home/x"])
    #expect(LV2Directories.directories(ofPath: nil, home: "/h").first == "/h/.lv2")
    #expect(LV2Directories.directories(ofPath: "", home: "/h").isEmpty)
    #expect(LV2Directories.directories(ofPath: ":::", home: "/h").isEmpty)
  }

  @Test func `a directory that is listed twice is searched once, in any spelling`() {
    #expect(
      LV2Directories.directories(
        ofPath: "/a/b:/a//b/:/a/./b:c:./c", home: "/h", workingDirectory: "/w")
        == ["/a/b", "/w/c"])
  }

  @Test func `a directory contains its bundles, and a missing default directory is not an error`()
    throws
  {
    let (second, first) = (try make("b.lv2"), try make("a"))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let content = LV2Directories.content(of: path, isNamed: true)
    #expect(content.bundles == [first, second])
    #expect(content.faults.isEmpty)
    #expect(LV2Directories.content(of: path + "/no", isNamed: false) == LV2Directories.Content())
  }

  @Test func `each unreadable directory is reported in a message`() throws {
    let (empty, odd) = (
      try make("empty.lv2", manifest: false), try make("odd.lv2", manifest: false)
    )
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try make("other", manifest: false)
    try #require(mkfifo(odd + "/manifest.ttl", 0o600) == 0)
    let content = LV2Directories.content(of: path, isNamed: true)
    #expect(content.bundles.isEmpty)
    #expect(
      content.faults.map(\.message) == [
        "Skipped \(empty): it has no manifest.ttl.",
        "Skipped \(odd): it has a manifest.ttl that is not a file.",
      ])
    #expect(
      LV2Directories.content(of: path + "/no", isNamed: true).faults.map(\.message) == [
        "Skipped \(path)/no: it cannot be opened (No such file or directory)."
      ])
    #expect(
      LV2Directories.content(of: odd + "/manifest.ttl", isNamed: false).faults.map(\.message) == [
        "Skipped \(odd)/manifest.ttl: it cannot be opened (Not a directory)."
      ])
  }
}
