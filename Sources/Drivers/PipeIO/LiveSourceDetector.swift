// LiveSourceDetector.swift: whether a stream has a clock of its own, or gives way. SPDX-License-Identifier: MIT

/// Finds out from what arrives through a pipe, and when, what kind of source is behind it.
///
/// A file, or a program that computes, gives as much as there is room for, and waits: it **gives way**, and the
/// card's clock is all. A sound card, or the network, gives what it has, when it has it: it **keeps time**, and
/// must be followed. What lay in the pipe from before tells nothing. Nor does the first of what is counted,
/// as nobody knows how long it took.
struct LiveSourceDetector {
  enum SourceKind: Equatable {
    case open
    /// It waits for us.
    case givesWay
    /// It has a clock, and what it gives comes in steps of so many frames at most.
    case keepsTime(stepFrames: Int)
  }

  /// Arrivals that are closer are parts of one, in seconds.
  private static let togetherSeconds = 0.002
  /// What the kernel may take longer than usual to wake the reader, in seconds.
  private static let latenessSeconds = 0.004
  /// A source that comes in longer steps than this has stood still.
  static var longestStepSeconds: Double { @_noLocks get { 1 } }

  private(set) var verdict = SourceKind.open
  private let rateHz: Double
  private let windowSeconds: Double
  private let highestShare: Double
  private let isSecondLook: Bool
  /// Windows in a row in which more came than a clock gives.
  private var fastWindows = 0
  private var firstSeconds: Double?
  private var lastSeconds = 0.0
  private var frames = 0.0
  private var longestGap = 0.0

  /// Of a stream that nothing is known of, or of one (`again`) that was judged before and did not do what it
  /// should have: that one is looked at for longer.
  init(rateHz: Double, again: Bool = false) {
    self.rateHz = rateHz
    isSecondLook = again
    windowSeconds = again ? 1 : 0.25
    // Beyond that it is no clock, but a program that is hardly faster than the sound.
    highestShare = again ? 1.03 : 1.5
  }

  /// Notes that there is no room for more.
  mutating func noteFull() {
    if verdict == .open { verdict = .givesWay }
  }

  /// Notes that frames have come, at a time in seconds.
  mutating func note(_ frameCount: Int, at seconds: Double) {
    guard verdict == .open else { return }
    guard let first = firstSeconds else {
      (firstSeconds, lastSeconds) = (seconds, seconds)
      return
    }
    frames += Double(frameCount)
    let gap = seconds - lastSeconds
    guard gap > Self.togetherSeconds else { return }
    lastSeconds = seconds
    if gap > Self.longestStepSeconds {
      begin(at: seconds)
      return
    }
    longestGap = max(longestGap, gap)
    let passed = seconds - first
    guard passed >= windowSeconds else { return }
    if frames > passed * rateHz * highestShare {
      // Once may be what had gathered while nobody read.
      fastWindows += 1
      if isSecondLook, fastWindows >= 2 { verdict = .givesWay }
      begin(at: seconds)
    } else {
      verdict = .keepsTime(stepFrames: Self.step(longestGap, rateHz))
    }
  }

  /// The step that gaps of so many seconds make.
  static func step(_ gap: Double, _ rateHz: Double) -> Int {
    max(1, Int(((gap + latenessSeconds) * rateHz).rounded(.up)))
  }

  private mutating func begin(at seconds: Double) {
    (firstSeconds, lastSeconds) = (seconds, seconds)
    (frames, longestGap) = (0, 0)
  }
}
