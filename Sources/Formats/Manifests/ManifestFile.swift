// ManifestFile.swift: the text of a manifest, read with care. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// The bytes of a manifest as text.
package enum ManifestFile {
  /// The size limit in bytes: more than any manifest needs, small enough to read at once.
  package static let limitBytes = 1_000_000

  /// The time limit for a pipe that delivers no data, in seconds.
  package static let pipeTimeoutSeconds = 10

  /// Returns the file's text, without a byte order mark. [any]
  ///
  /// Accepts a regular file, or a pipe (`--rig <(generate)`). Never waits for a pipe longer than
  /// `pipeTimeoutSeconds` at a time.
  /// - Throws: `ManifestError` with one diagnostic.
  package static func text(
    atPath path: String, limitBytes: Int = limitBytes,
    pipeTimeoutSeconds: Int = pipeTimeoutSeconds
  ) throws(ManifestError) -> String {
    guard !path.utf8.contains(0) else {
      throw ManifestError(path, fault: .fileUnreadable(reason: "its path contains a NUL character"))
    }
    var kind = CFILES_NOTHING
    let descriptor = unsafe cfiles_open_regular(path, true, &kind)
    guard descriptor >= 0 else { throw failure(path, errno, kind) }
    defer { close(descriptor) }
    if kind == CFILES_PIPE { try awaitPipe(descriptor, path, seconds: pipeTimeoutSeconds) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, kind == CFILES_PIPE {
        try awaitPipe(descriptor, path, seconds: pipeTimeoutSeconds)
        continue
      }
      guard count >= 0 else { throw failure(path, errno, kind) }
      guard count > 0 else { break }
      bytes += chunk[..<count]
      guard bytes.count <= limitBytes else {
        throw ManifestError(path, fault: .fileTooLarge(limitBytes: limitBytes))
      }
    }
    return try text(of: bytes, file: path)
  }

  /// Waits until a pipe has bytes, or its last writer has closed it.
  private static func awaitPipe(
    _ descriptor: Int32, _ path: String, seconds: Int
  ) throws(ManifestError) {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var count: Int32 = -1
    repeat {
      count = unsafe poll(&event, 1, Int32(seconds) * 1_000)
    } while count < 0 && errno == EINTR
    guard count == 0 else { return }
    throw ManifestError(
      path,
      fault: .fileUnreadable(
        reason: "it is a pipe, and no program has written to it for \(seconds) s"))
  }

  /// Decodes bytes as text, without a byte order mark. [any]
  static func text(of bytes: [UInt8], file: String) throws(ManifestError) -> String {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
    if content.starts(with: [0xFF, 0xFE]) || content.starts(with: [0xFE, 0xFF]) {
      throw ManifestError(file, fault: .fileIsUTF16)
    }
    guard !content.contains(0) else { throw ManifestError(file, fault: .fileIsData) }
    if let text = String(validating: content, as: UTF8.self) { return text }
    let offset = firstInvalidByte(in: content)
    let before = content[..<offset]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    throw ManifestError(
      file, fault: .fileNotText(byte: content[offset]),
      position: SourcePosition(line: line, column: column))
  }

  private static func failure(
    _ path: String, _ code: CInt, _ kind: cfiles_kind
  ) -> ManifestError {
    if [CFILES_SOCKET, CFILES_DEVICE].contains(kind) {
      return ManifestError(
        path,
        fault: .fileUnreadable(
          reason: unsafe "it is \(String(cString: cfiles_kind_name(kind))), not a file"))
    }
    return switch code {
    case ENOENT: ManifestError(path, fault: .fileMissing)
    case EISDIR: ManifestError(path, fault: .fileIsDirectory)
    default:
      unsafe ManifestError(path, fault: .fileUnreadable(reason: String(cString: strerror(code))))
    }
  }

  private static func firstInvalidByte(in bytes: [UInt8]) -> Int {
    var offset = 0
    while offset < bytes.count {
      let lead = bytes[offset]
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      let end = Swift.min(offset + length, bytes.count)
      guard String(validating: bytes[offset ..< end], as: UTF8.self) != nil else { break }
      offset = end
    }
    return Swift.min(offset, bytes.count - 1)
  }
}

extension ManifestError {
  /// A single diagnostic that concerns the file.
  package init(_ file: String, fault: DiagnosticKind, position: SourcePosition? = nil) {
    self.init([Diagnostic(file: file, position: position, keyPath: "", fault: fault)])
  }
}
