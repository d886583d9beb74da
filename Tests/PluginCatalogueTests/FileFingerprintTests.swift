// FileFingerprintTests.swift: changes of files and directories are detected. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PluginCatalogue

@Suite final class FileFingerprintTests {
  private let path = FileManager.default.temporaryDirectory.path + "/bundle-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in ["manifest.ttl", "plugin.so"] {
      try Data(name.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private func setDate(_ seconds: Double, of path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
  }

  @Test func `an unchanged directory is not read again`() throws {
    try setDate(1_000_000_000, of: path)
    let first = FileFingerprint(of: [path])
    let known = try #require(first.directory)
    #expect(known.bytes == Array("manifest.ttl\0plugin.so\0".utf8))
    #expect(FileFingerprint(of: [path], knowing: known) == first)
    // Other names would give another value, if the directory were not read.
    let fewer = DirectoryNames(
      seconds: known.seconds, nanoseconds: known.nanoseconds, names: ["manifest.ttl"])
    #expect(FileFingerprint(of: [path], knowing: fewer).value != first.value)
    // A changed file of an unchanged directory.
    try setDate(1_100_000_000, of: path + "/plugin.so")
    try setDate(1_000_000_000, of: path)
    #expect(FileFingerprint(of: [path], knowing: known).value != first.value)
  }

  @Test func `a changed directory is read`() throws {
    try setDate(1_000_000_000, of: path)
    let known = FileFingerprint(of: [path]).directory
    try Data().write(to: URL(fileURLWithPath: path + "/presets.ttl"))
    try setDate(1_100_000_000, of: path)
    let next = FileFingerprint(of: [path], knowing: known)
    #expect(next == FileFingerprint(of: [path]))
    #expect(next.directory?.bytes == Array("manifest.ttl\0plugin.so\0presets.ttl\0".utf8))
  }

  @Test func `the names of a directory that changed a moment ago are not kept`() throws {
    // Another file may be added at the same time, as the clock of the file system shows it.
    try setDate(Date().timeIntervalSince1970, of: path)
    #expect(FileFingerprint(of: [path]).directory == nil)
  }
}
