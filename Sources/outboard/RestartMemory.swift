// RestartMemory.swift: memory that a session keeps when it restarts. SPDX-License-Identifier: MIT

import CProcess
import Dispatch
import Glibc
import Session

/// A file in memory with the state of a session, which is complete at every moment.
///
/// A fault can end the process while it writes, so the memory has two copies of the state, written in turn.
final class RestartMemory: @unchecked Sendable {
  // Unchecked: the main thread owns this. Another thread uses it once, while the main thread is blocked.

  /// A fault that made the session restart.
  private struct Fault: BitwiseCopyable {
    var nanoseconds: UInt64 = 0
    /// A checksum of what caused it.
    var cause: UInt64 = 0
  }

  private struct Header: BitwiseCopyable {
    var magic = RestartMemory.magic
    /// The index of the last complete copy; -1 for none.
    var copyIndex: Int32 = -1
    var length: Int32 = 0
    /// When the session began.
    var startNanoseconds: UInt64 = 0
    /// The musical position, its tempo in beats a minute, and its time.
    var beat = 0.0
    var beatsPerMinute = 0.0
    var beatNanoseconds: UInt64 = 0
    var faults = (Fault(), Fault(), Fault(), Fault())
  }

  private static let magic: UInt64 = 0x6f75_7462_7265_7331
  private static let copyBytes = 4 << 20
  /// The part of a copy that the history may use; the rest is for the rig.
  static let historyBytes = 3 << 20
  private static let firstCopyOffset = 4_096

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// The descriptor.
  let descriptor: Int32
  private var header: Header

  /// Empty memory; nil if there is none. [main]
  init?() {
    descriptor = cprocess_memory_file()
    header = Header()
    header.startNanoseconds = Self.now
    guard descriptor >= 0, writeHeader() else { return nil }
  }

  /// The memory of the process image before this one; nil if it is invalid. [main]
  init?(descriptor: Int32) {
    var header = Header()
    let count = MemoryLayout<Header>.size
    let isRead = unsafe withUnsafeMutableBytes(of: &header) {
      unsafe pread(descriptor, $0.baseAddress, count, 0) == count
    }
    guard isRead, header.magic == Self.magic, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      return nil
    }
    (self.descriptor, self.header) = (descriptor, header)
  }

  private func writeHeader() -> Bool {
    let count = MemoryLayout<Header>.size
    return unsafe withUnsafeBytes(of: &header) {
      unsafe pwrite(descriptor, $0.baseAddress, count, 0) == count
    }
  }

  /// The state; nil if there is none. [main]
  var record: RestartRecord? {
    guard 0 ... 1 ~= header.copyIndex, 0 ... Int32(Self.copyBytes) ~= header.length else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(header.length))
    let offset = Self.firstCopyOffset + Int(header.copyIndex) * Self.copyBytes
    guard unsafe pread(descriptor, &bytes, bytes.count, off_t(offset)) == bytes.count else {
      return nil
    }
    return RestartRecord(bytes: bytes)
  }

  /// Replaces the state. [main]
  func write(_ record: RestartRecord) {
    let bytes = record.bytes
    let copyIndex = header.copyIndex == 0 ? 1 : 0
    let offset = Self.firstCopyOffset + copyIndex * Self.copyBytes
    guard bytes.count <= Self.copyBytes,
      unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count
    else { return }
    (header.copyIndex, header.length) = (Int32(copyIndex), Int32(bytes.count))
    _ = writeHeader()
  }

  /// Replaces the musical position, which advances at a tempo; 0 if it stands still. [main]
  func write(beat: Double, beatsPerMinute: Double) {
    (header.beat, header.beatsPerMinute) = (beat, beatsPerMinute)
    header.beatNanoseconds = Self.now
    _ = writeHeader()
  }

  /// The musical position now; nil if it is unknown. [main]
  var beat: Double? {
    guard header.beatNanoseconds > 0 else { return nil }
    let seconds = Double(Self.now - header.beatNanoseconds) / 1e9
    return header.beat + seconds * header.beatsPerMinute / 60
  }

  /// The time since the session began, in seconds. [main]
  var seconds: Double { Double(Self.now - header.startNanoseconds) / 1e9 }

  // MARK: - Faults

  /// How many faults of one cause in this time, in seconds, end the session.
  private static let (faultLimit, faultSeconds) = (3, 60.0)

  /// Records a fault; returns whether the session may restart once more. [any, while the main thread is blocked]
  func mayRestart(after cause: String) -> Bool {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in cause.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let now = Self.now
    let fault = Fault(nanoseconds: now, cause: digest)
    header.faults = (fault, header.faults.0, header.faults.1, header.faults.2)
    _ = writeHeader()
    let all = [header.faults.0, header.faults.1, header.faults.2, header.faults.3]
    // An unused copy has the time 0, when the machine started.
    let recent = all.filter {
      $0.nanoseconds > 0 && now - $0.nanoseconds < UInt64(Self.faultSeconds * 1e9)
    }
    // Faults with different causes in turn end it, too.
    return recent.count < all.count
      && recent.filter { $0.cause == digest }.count < Self.faultLimit
  }
}
