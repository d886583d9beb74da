// StallDetector.swift: a child that hangs, and one that is not let run. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// How a child has spent the time since it last said something.
///
/// A child hangs if it has computed, or slept, for as long as it is allowed. Time in which it waited for a
/// processor or for the disk does not count: on a machine with too much to do, a child may need minutes for
/// what takes a second.
struct StallDetector {
  /// However little a child gets of a processor, it does not get longer than this many times what it is allowed.
  private static let mostTimes = 12.0
  /// Where the kernel does not count the time that a process waits for a processor, a child that gets less
  /// than this part of one sleeps.
  private static let leastShare = 0.005

  private let process: pid_t
  private let begun: UInt64
  private let usedAtSign: Double
  private var last: Look
  private var sleptSeconds = 0.0

  private struct Look {
    let time = Clock.now
    let used: Double
    /// How long it has waited for a processor; nil where the kernel does not count that.
    let waited: Double?

    init(_ process: pid_t) {
      used = usedSeconds(process)
      waited = waitedSeconds(process)
    }
  }

  /// Begins now. [any]
  init(_ process: pid_t) {
    self.process = process
    last = Look(process)
    begun = last.time
    usedAtSign = last.used
  }

  /// Whether a child hangs that is allowed so much time; to be asked a few times within it. [any]
  mutating func isHang(after seconds: Double) -> Bool {
    let now = Look(process)
    let elapsed = Double(now.time - last.time) * 1e-9
    let used = now.used - last.used
    if let waited = now.waited, let before = last.waited {
      if !isAtDisk(process) { sleptSeconds += max(0, elapsed - used - max(0, waited - before)) }
    } else if used < Self.leastShare * elapsed {
      sleptSeconds += elapsed
    }
    last = now
    return sleptSeconds >= seconds || now.used - usedAtSign >= seconds
      || Double(now.time - begun) * 1e-9 >= Self.mostTimes * seconds
  }
}

/// The processor time of a process, in seconds; 0 if it is gone.
private func usedSeconds(_ process: pid_t) -> Double {
  var clock = clockid_t()
  var time = timespec()
  guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
    return 0
  }
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// How long the threads of a process have waited for a processor, in seconds; nil where the kernel does not say.
private func waitedSeconds(_ process: pid_t) -> Double? {
  guard let folder = opendir("/proc/\(process)/task") else { return nil }
  defer { closedir(folder) }
  var sum: Double?
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    guard !name.hasPrefix("."),
      let text = contents("/proc/\(process)/task/\(name)/schedstat"),
      let nanoseconds = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { continue }
    sum = (sum ?? 0) + nanoseconds * 1e-9
  }
  return sum
}

/// Whether a process waits for a disk, and cannot be interrupted.
private func isAtDisk(_ process: pid_t) -> Bool {
  guard let text = contents("/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else {
    return false
  }
  return text[text.index(after: name)...].hasPrefix(" D")
}

/// The beginning of a file of the kernel's.
private func contents(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 512)
  let count = read(descriptor, &bytes, bytes.count)
  return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
}
