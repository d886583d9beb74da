// Bytes.swift: WAV headers and pipes for tests. SPDX-License-Identifier: MIT

import Glibc

@testable import PipeIO

/// Little-endian bytes of a number.
func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0 ..< count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A WAV header as programs write it to a pipe.
struct Header {
  var riff = "RIFF"
  var tag = 1
  var channels = 2
  var rate = 48_000
  var bits = 16
  var dataSize = 0xffff_ffff
  /// The subformat of an extensible format.
  var subTag: Int?
  /// A chunk before the format.
  var before: [UInt8] = []

  var bytes: [UInt8] {
    let frameBytes = channels * bits / 8
    var format = little(subTag == nil ? tag : 0xfffe, 2) + little(channels, 2) + little(rate, 4)
    format += little(rate * frameBytes, 4) + little(frameBytes, 2) + little(bits, 2)
    if let subTag {
      format += little(22, 2) + little(bits, 2) + little(3, 4) + little(subTag, 2)
      format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
    }
    return Array(riff.utf8) + little(0xffff_ffff, 4) + Array("WAVE".utf8) + before
      + Array("fmt ".utf8) + little(format.count, 4) + format
      + Array("data".utf8) + little(dataSize, 4)
  }
}

/// A pipe whose write end belongs to a test.
final class TestPipe {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    (readEnd, writeEnd) = (ends[0], ends[1])
    // A write without a reader returns an error instead of a signal.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    closeReadEnd()
    shutDown()
  }

  /// At most the capacity of a pipe: 64 kB.
  func send(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { write(writeEnd, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      done += count
    }
  }

  /// Closes the read end once.
  ///
  /// Its number may belong to another file afterwards.
  func closeReadEnd() {
    if readEnd >= 0 { close(readEnd) }
    readEnd = -1
  }

  func shutDown() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }

  /// All data until the other end hangs up.
  func receiveAll() -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(readEnd, &piece, piece.count)
      guard count > 0 else { return all }
      all += piece[..<count]
    }
  }
}
