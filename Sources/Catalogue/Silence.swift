// Silence.swift: a child that hangs, and one that is not let run. SPDX-License-Identifier: MIT

internal import Glibc

/// How much a silent child has worked since it last said something.
///
/// On a machine with too much to do, a child may need minutes for what takes a second. It hangs if
/// it has had the time it is allowed and is still silent, or if it does nothing.
struct Silence {
  /// A child that gets less of a processor than this does nothing.
  private static let leastShare = 0.005
  /// However little it gets, it does not get longer than this many times what it is allowed.
  private static let mostTimes = 12

  private let process: pid_t
  private let usedAtSign: Double
  private var usedAtLook: Double
  private var lookCount = 0

  /// Begins now.
  init(_ process: pid_t) {
    self.process = process
    usedAtSign = Self.usedSeconds(process)
    usedAtLook = usedAtSign
  }

  /// Whether a child hangs that has been silent for so long since the last look.
  mutating func isHang(after seconds: Double) -> Bool {
    let used = Self.usedSeconds(process)
    defer { usedAtLook = used }
    lookCount += 1
    let isIdle = used - usedAtLook < Self.leastShare * seconds
    return isIdle || used - usedAtSign >= seconds || lookCount >= Self.mostTimes
  }

  /// The processor time of a process, in seconds; 0 if it is gone.
  private static func usedSeconds(_ process: pid_t) -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return 0
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
