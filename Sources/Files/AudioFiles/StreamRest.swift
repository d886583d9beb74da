// StreamRest.swift: what follows the audio of a stream. SPDX-License-Identifier: MIT

import Glibc

/// The bytes of a pipe after the audio that a WAV header announced.
///
/// `cat a.wav b.wav` sends two files. The second one must not be lost without a message.
package struct StreamTrailer {
  /// Whether the bytes contain the header of another WAV file.
  private var hasSecondFile = false
  private var isRead = false
  /// The most bytes that are searched: tags may precede the header.
  private static let maximumBytes = 65_536
  /// The time limit for the next bytes: the writer may keep the pipe open.
  private static let waitMilliseconds: Int32 = 100

  /// Creates it for a stream that has not ended. [any]
  package init() {}

  /// Reads and searches the bytes, once, until their end or until the descriptor `stop` becomes readable. [any]
  package mutating func read(_ descriptor: Int32, stop: Int32 = -1) {
    guard !isRead else { return }
    isRead = true
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < Self.maximumBytes, !hasSecondFile {
      var events = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      guard unsafe poll(&events, 2, Self.waitMilliseconds) > 0, events[1].revents == 0 else {
        return
      }
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { return }
      bytes += piece[..<count]
      hasSecondFile = bytes.indices.contains { Self.isWAV(bytes[$0...]) }
    }
  }

  /// Returns the message for the user about a second file of the stream `name`; nil if there was none. [any]
  package func note(_ name: String) -> String? {
    guard hasSecondFile else { return nil }
    return
      "\(name) held a second WAV file, which was ignored. Join the files before the pipe, as in"
      + " `sox a.wav b.wav -t wav -`."
  }

  /// Returns whether bytes begin like a WAV file. [any]
  package static func isWAV(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.first == UInt8(ascii: "R"), bytes.count >= 12 else { return false }
    let isRIFF = bytes.starts(with: "RIFF".utf8) || bytes.starts(with: "RF64".utf8)
    return isRIFF && bytes.dropFirst(8).starts(with: "WAVE".utf8)
  }
}
