// SpecialFileTests.swift: pipes, devices and sockets in place of files. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AudioFiles

@Suite final class `A file that is not regular`: Sendable {
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func pipe(_ name: String = "pipe.wav") -> String {
    let path = "\(directory)/\(name)"
    #expect(mkfifo(path, 0o600) == 0)
    return path
  }

  // MARK: - Reading

  @Test func `is refused if it is read at once`() throws {
    let path = pipe()
    #expect(throws: AudioFileError.notARegularFile(path: path, kind: "a named pipe")) {
      try AudioFileReader(path: path).channelCount
    }
    #expect(throws: AudioFileError.notARegularFile(path: "/dev/zero", kind: "a device")) {
      try AudioFileReader(path: "/dev/zero").channelCount
    }
    #expect(
      throws: AudioFileError.unreadable(
        path: "a\0b", reason: "its path contains a NUL character")
    ) {
      try AudioFileReader(path: "a\0b").channelCount
    }
  }

  @Test(arguments: [true, false])
  func `is read like standard input if that is allowed`(isWave: Bool) throws {
    // WAV is read while it arrives, FLAC is stored in memory first.
    let file = "\(directory)/source.\(isWave ? "wav" : "flac")"
    let frames = 20_000
    let samples = (0 ..< frames).map { sin(Float($0) * 0.05) * 0.5 }
    try write(samples, to: file, channels: 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let path = pipe("pipe")
    send(bytes, to: path)
    var reader = try AudioFileReader(path: path, allowsPipe: true)
    #expect(reader.channelCount == 1)
    let block = UnsafeMutablePointer<Float>.allocate(capacity: frames * 2)
    defer { block.deallocate() }
    #expect(try reader.read(into: [block], frameCount: frames * 2) == frames)
  }

  @Test func `a second file after the first one is reported`() throws {
    let file = "\(directory)/source.wav"
    try write([Float](repeating: 0.5, count: 100), to: file, channels: 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    for count in 1 ... 2 {
      let path = pipe("pipe\(count)")
      send(count == 1 ? bytes : bytes + bytes, to: path)
      var reader = try AudioFileReader(path: path, allowsPipe: true)
      let block = UnsafeMutablePointer<Float>.allocate(capacity: 300)
      defer { block.deallocate() }
      #expect(try reader.read(into: [block], frameCount: 300) == 100)
      let note = reader.note
      #expect(
        note
          == (count == 1
            ? nil
            : "\(path) held a second WAV file, which was ignored. Join the files before the pipe, as in"
              + " `sox a.wav b.wav -t wav -`."))
    }
  }

  /// Writes to a named pipe on another thread, as soon as it is read.
  private func send(_ bytes: Data, to path: String) {
    Thread.detachNewThread {
      let end = open(path, O_WRONLY)
      bytes.withUnsafeBytes { buffer in
        var sent = 0
        while sent < buffer.count {
          let count = write(end, buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
          guard count > 0 else { break }
          sent += count
        }
      }
      close(end)
    }
  }

  // MARK: - Writing

  @Test(arguments: [true, false])
  func `is never replaced by a file`(replaces: Bool) throws {
    let path = pipe()
    #expect(throws: AudioFileError.notReplaceable(path: path, kind: "a named pipe")) {
      try WholeFile.write("x", to: path, replaces: replaces)
    }
    let link = "\(directory)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    #expect(throws: AudioFileError.notReplaceable(path: link, kind: "a device")) {
      try WholeFile.write("x", to: link, replaces: replaces)
    }
    #expect(throws: AudioFileError.isDirectory(path: directory)) {
      try WholeFile.write("x", to: directory, replaces: replaces)
    }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `a regular file is replaced and keeps its mode, also through a link`() throws {
    let path = "\(directory)/file"
    try WholeFile.write("one", to: path, replaces: false)
    #expect(throws: AudioFileError.outputExists(path: path)) {
      try WholeFile.write("two", to: path, replaces: false)
    }
    #expect(chmod(path, 0o640) == 0)
    let link = "\(directory)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    try WholeFile.write("three", to: link, replaces: true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "three")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["file", "link"])
  }
}
