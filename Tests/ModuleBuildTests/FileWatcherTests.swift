// FileWatcherTests.swift: files saved in all ways that editors use. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ModuleBuild

@Suite struct FileWatcherTests {
  /// Ways of saving a file.
  enum Way: CaseIterable {
    case written, renamedOver, removedAndRecreated, emptiedAndWritten, touched
  }

  @Test(arguments: Way.allCases)
  func `a saved file is noticed once it is complete`(way: Way) throws {
    let directory =
      FileManager.default.temporaryDirectory.path + "/outboard-watch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/a.c"
    try "one".write(toFile: file, atomically: false, encoding: .utf8)
    let before = FileStamps([file])
    let watch = try #require(FileWatcher())
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.03)
      switch way {
      case .written: try? "two!".write(toFile: file, atomically: false, encoding: .utf8)
      case .renamedOver: try? "two!".write(toFile: file, atomically: true, encoding: .utf8)
      case .removedAndRecreated:
        try? FileManager.default.removeItem(atPath: file)
        Thread.sleep(forTimeInterval: 0.05)
        try? "two!".write(toFile: file, atomically: false, encoding: .utf8)
      case .emptiedAndWritten:
        try? "".write(toFile: file, atomically: false, encoding: .utf8)
        Thread.sleep(forTimeInterval: 0.05)
        try? "two!".write(toFile: file, atomically: false, encoding: .utf8)
      case .touched: utimes(file, nil)
      }
    }
    let after = try #require(watch.waitForChange(of: [file], since: before))
    #expect(after != before)
    #expect(after == FileStamps([file]))
    #expect(way == .touched || (try? String(contentsOfFile: file, encoding: .utf8)) == "two!")
  }

  @Test func `a wait can be cancelled`() throws {
    let watch = try #require(FileWatcher())
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.02)
      watch.stop()
    }
    #expect(watch.waitForChange(of: ["/nowhere/a.c"], since: FileStamps(["/nowhere/a.c"])) == nil)
  }
}
