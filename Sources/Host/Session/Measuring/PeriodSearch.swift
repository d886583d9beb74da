// PeriodSearch.swift: from comfortable periods to the smallest that hold. SPDX-License-Identifier: MIT

/// A period, and how many of them lie in the buffer.
package struct PeriodSetting: Sendable, Hashable, CustomStringConvertible {
  /// Frames in a period.
  package var periodFrames: Int
  /// Periods in the buffer.
  package var periodCount: Int

  /// A setting.
  package init(periodFrames: Int, periodCount: Int) {
    self.periodFrames = periodFrames
    self.periodCount = periodCount
  }

  /// What it implies for the way from input to output.
  package var latencyFrames: Int { periodFrames * periodCount }
  /// As in `64 x 2`.
  package var description: String { "\(periodFrames) x \(periodCount)" }
}

/// How a setting did.
package struct PeriodResult: Sendable, Equatable {
  /// What the device was set to, which may not be what was asked for.
  package var setting: PeriodSetting
  /// How long it ran, in seconds.
  package var seconds: Double
  /// Times that the device ran out of sound to play or room to record.
  package var xrunCount: Int
  /// Share of a period that rendering took at worst; 1 is all of it.
  package var worstLoad: Double
  /// The most by which a period came later than due, in seconds.
  package var worstLatenessSeconds: Double
  /// What else speaks against it, as one sentence.
  package var failure: String?

  /// All of it.
  package init(
    setting: PeriodSetting, seconds: Double, xrunCount: Int, worstLoad: Double,
    worstLatenessSeconds: Double, failure: String? = nil
  ) {
    self.setting = setting
    self.seconds = seconds
    self.xrunCount = xrunCount
    self.worstLoad = worstLoad
    self.worstLatenessSeconds = worstLatenessSeconds
    self.failure = failure
  }

  /// Whether it did without a single fault.
  package var holds: Bool { xrunCount == 0 && failure == nil }
}

/// The walk from comfortable settings to the device's least.
///
/// Each period is half of the one before. At each the smallest number of periods comes first, and the
/// first that holds ends it: more of the same period would only be later. Where none holds the walk is
/// over.
package struct PeriodSearch {
  /// What came of trying a setting.
  package enum Attempt {
    /// It ran.
    case measured(PeriodResult)
    /// The device makes of it what was measured already, or a longer period.
    case repeated
    /// The user wants the end.
    case interrupted
  }

  /// The numbers of periods that are tried.
  package static let periodCounts = 2 ... 4

  /// What was measured, in order.
  package private(set) var trials: [PeriodResult] = []
  /// Whether the walk came to its end.
  package private(set) var isComplete = false

  /// A walk that has not begun.
  package init() {}

  /// Walks down from a period.
  ///
  /// `attempt` is given what to ask the device for, and must leave out what `isNew` does not want. [main]
  package mutating func run(
    from start: Int, attempt: (PeriodSetting, _ isNew: (PeriodSetting) -> Bool) throws -> Attempt
  ) rethrows {
    var asked = start
    while asked >= 1 {
      let before = trials.count
      for count in Self.periodCounts {
        let known = trials
        // A device without shorter periods gives its shortest again.
        let isNew = { (got: PeriodSetting) in
          known.allSatisfy {
            $0.setting.periodFrames > got.periodFrames
              || ($0.setting.periodFrames == got.periodFrames && !$0.holds && $0.setting != got)
          }
        }
        switch try attempt(PeriodSetting(periodFrames: asked, periodCount: count), isNew) {
        case .interrupted: return
        case .repeated: continue
        case .measured(let trial): trials.append(trial)
        }
        if trials.last?.holds == true { break }
      }
      let here = trials[before...]
      guard here.contains(where: \.holds) else { break }
      asked /= 2
    }
    isComplete = true
  }

  /// The setting that holds with the least latency, but no less than a share above the least one.
  ///
  /// Of two with the same latency it is that of the longer period, which costs less. A margin of 50
  /// per cent asks for one and a half times the latency of the smallest that held. [any]
  package func best(marginPercent: Double = 0) -> PeriodResult? {
    let held = trials.filter(\.holds).sorted {
      ($0.setting.latencyFrames, -$0.setting.periodFrames)
        < ($1.setting.latencyFrames, -$1.setting.periodFrames)
    }
    guard let smallest = held.first else { return nil }
    let least = Double(smallest.setting.latencyFrames) * (1 + marginPercent / 100)
    return held.first { Double($0.setting.latencyFrames) >= least } ?? held.last
  }
}
