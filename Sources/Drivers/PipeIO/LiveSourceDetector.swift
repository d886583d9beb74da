// LiveSourceDetector.swift: detects whether a stream is live. SPDX-License-Identifier: MIT

/// Detects the kind of source behind a pipe from the amounts and times of its data.
///
/// A file or a computing program writes as much as fits, and waits: it is a **non-live source**,
/// and only the card's clock counts. A sound card or the network writes data when it has it: it is
/// a **live source**, and must be resampled. Data that was in the pipe before gives no information.
/// Neither does the first counted data, because its duration is unknown.
struct LiveSourceDetector {
  enum SourceKind: Equatable {
    case undecided
    /// A non-live source: it waits for the reader.
    case nonLive
    /// The source has a clock, and its data comes in steps of at most this many frames.
    case live(stepFrames: Int)
  }

  /// Arrivals that are closer than this count as one, in seconds.
  private static let burstSeconds = 0.002
  /// The largest additional wake-up delay of the reader, in seconds.
  private static let latenessSeconds = 0.004
  /// The longest step of a live source, in seconds; a longer gap is a stall.
  static var longestStepSeconds: Double { @_noLocks get { 1 } }

  private(set) var kind = SourceKind.undecided
  private let rateHz: Double
  private let windowSeconds: Double
  private let highestShare: Double
  private let isReclassifying: Bool
  /// The number of consecutive windows with more data than a clock would deliver.
  private var fastWindows = 0
  private var firstSeconds: Double?
  private var lastSeconds = 0.0
  private var frames = 0.0
  private var longestGap = 0.0

  /// Creates a detector.
  ///
  /// With `again`, the source was classified before and behaved differently, so it is examined for
  /// longer.
  init(rateHz: Double, again: Bool = false) {
    self.rateHz = rateHz
    isReclassifying = again
    windowSeconds = again ? 1 : 0.25
    // A higher rate is not a clock, but a program that is only slightly faster than real time.
    highestShare = again ? 1.03 : 1.5
  }

  /// Records that the buffer is full.
  mutating func recordFullPipe() {
    if kind == .undecided { kind = .nonLive }
  }

  /// Records frames that arrived at a time, in seconds.
  mutating func record(_ frameCount: Int, at seconds: Double) {
    guard kind == .undecided else { return }
    guard let first = firstSeconds else {
      (firstSeconds, lastSeconds) = (seconds, seconds)
      return
    }
    frames += Double(frameCount)
    let gap = seconds - lastSeconds
    guard gap > Self.burstSeconds else { return }
    lastSeconds = seconds
    if gap > Self.longestStepSeconds {
      begin(at: seconds)
      return
    }
    longestGap = max(longestGap, gap)
    let passed = seconds - first
    guard passed >= windowSeconds else { return }
    if frames > passed * rateHz * highestShare {
      // A single fast window may be data that accumulated while the reader was delayed.
      fastWindows += 1
      if isReclassifying, fastWindows >= 2 { kind = .nonLive }
      begin(at: seconds)
    } else {
      kind = .live(stepFrames: Self.step(longestGap, rateHz))
    }
  }

  /// Returns the step for gaps of this many seconds.
  static func step(_ gap: Double, _ rateHz: Double) -> Int {
    max(1, Int(((gap + latenessSeconds) * rateHz).rounded(.up)))
  }

  private mutating func begin(at seconds: Double) {
    (firstSeconds, lastSeconds) = (seconds, seconds)
    (frames, longestGap) = (0, 0)
  }
}
