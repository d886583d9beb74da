// StallDetector.swift: detects hung helper processes. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// The time that a process has spent since its last message.
///
/// A process hangs if it has computed or slept for the allowed time. Time in which it waits for a processor or
/// a disk does not count. On a busy machine, a process may need minutes for the work of a second.
package struct StallDetector {
  /// The maximum total time, as a multiple of the allowed time.
  private static let maximumFactor = 12.0
  /// If the kernel does not count processor waits, a process with less than this fraction of a processor counts
  /// as sleeping.
  private static let minimumShare = 0.005

  private let process: pid_t
  private let startNanoseconds: UInt64
  private let usedAtSign: Double
  private var last: Observation
  private var sleptSeconds = 0.0

  private struct Observation {
    let time = Clock.now
    let used: Double
    /// The time it has waited for a processor; nil if the kernel does not count it.
    let waited: Double?

    init(_ process: pid_t) {
      used = usedSeconds(process)
      waited = waitedSeconds(process)
    }
  }

  /// Starts the measurement. [any]
  package init(_ process: Int32) {
    self.process = process
    last = Observation(process)
    startNanoseconds = last.time
    usedAtSign = last.used
  }

  /// Whether the process has hung for the allowed time; call it a few times within that time. [any]
  package mutating func isStalled(after seconds: Double) -> Bool {
    let now = Observation(process)
    let elapsed = Double(now.time - last.time) * 1e-9
    let used = now.used - last.used
    if let waited = now.waited, let before = last.waited {
      if !isAtDisk(process) { sleptSeconds += max(0, elapsed - used - max(0, waited - before)) }
    } else if used < Self.minimumShare * elapsed {
      sleptSeconds += elapsed
    }
    last = now
    return sleptSeconds >= seconds || now.used - usedAtSign >= seconds
      || Double(now.time - startNanoseconds) * 1e-9 >= Self.maximumFactor * seconds
  }
}

/// Returns the processor time of a process in seconds; 0 if it has ended.
private func usedSeconds(_ process: pid_t) -> Double {
  var clock = clockid_t()
  var time = timespec()
  guard unsafe clock_getcpuclockid(process, &clock) == 0, unsafe clock_gettime(clock, &time) == 0
  else {
    return 0
  }
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Returns the time that the threads of a process have waited for a processor, in seconds; nil if unknown.
private func waitedSeconds(_ process: pid_t) -> Double? {
  var sum: Double?
  for name in OpenDirectory.names(in: "/proc/\(process)/task") {
    guard let text = contents("/proc/\(process)/task/\(name)/schedstat"),
      let nanoseconds = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { continue }
    sum = (sum ?? 0) + nanoseconds * 1e-9
  }
  return sum
}

/// Whether a process is in uninterruptible disk sleep.
private func isAtDisk(_ process: pid_t) -> Bool {
  guard let text = contents("/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else {
    return false
  }
  return text[text.index(after: name)...].hasPrefix(" D")
}

/// Reads the start of a kernel file.
private func contents(_ path: String) -> String? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 512)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
}
