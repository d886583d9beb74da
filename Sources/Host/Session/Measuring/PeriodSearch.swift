// PeriodSearch.swift: search for the smallest stable period. SPDX-License-Identifier: MIT

/// A period size and the number of periods in the buffer.
package struct PeriodSetting: Sendable, Hashable, CustomStringConvertible {
  /// The period size in frames.
  package var periodFrames: Int
  /// The number of periods in the buffer.
  package var periodCount: Int

  /// Creates a setting.
  package init(periodFrames: Int, periodCount: Int) {
    self.periodFrames = periodFrames
    self.periodCount = periodCount
  }

  /// The latency from input to output that the setting implies.
  package var latencyFrames: Int { periodFrames * periodCount }
  /// The text, as in `64 x 2`.
  package var description: String { "\(periodFrames) x \(periodCount)" }
}

/// The result of a setting.
package struct PeriodResult: Sendable, Equatable {
  /// The actual setting, which can differ from the requested one.
  package var setting: PeriodSetting
  /// The duration in seconds.
  package var seconds: Double
  /// The number of xruns.
  package var xrunCount: Int
  /// The worst load of a period; 1 is the whole period.
  package var worstLoad: Double
  /// The largest delay of a period, in seconds.
  package var worstLatenessSeconds: Double
  /// Another reason for failure, as a message.
  package var failure: String?

  /// Creates a result.
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

  /// Whether the setting passed without a fault.
  package var holds: Bool { xrunCount == 0 && failure == nil }
}

/// A search from long periods down to the minimum of the device.
///
/// Each period is half of the previous one. For each period, the smallest number of periods comes first, and the
/// first that passes ends the period. The search ends at a period with no passing setting.
package struct PeriodSearch {
  /// The outcome of one attempt.
  package enum Attempt {
    /// The setting was measured.
    case measured(PeriodResult)
    /// The device chose a setting that was already measured, or a longer period.
    case repeated
    /// The user stopped the search.
    case interrupted
  }

  /// The numbers of periods to try.
  package static let periodCounts = 2 ... 4

  /// The results, in order.
  package private(set) var trials: [PeriodResult] = []
  /// Whether the search is complete.
  package private(set) var isComplete = false

  /// Creates a search that is not started.
  package init() {}

  /// Searches downwards from a period. [main]
  ///
  /// `attempt` receives the setting to request, and must skip settings that `isNew` rejects.
  package mutating func run(
    from start: Int, attempt: (PeriodSetting, _ isNew: (PeriodSetting) -> Bool) throws -> Attempt
  ) rethrows {
    var requested = start
    while requested >= 1 {
      let before = trials.count
      for count in Self.periodCounts {
        let known = trials
        // A device at its minimum returns the same period again.
        let isNew = { (got: PeriodSetting) in
          known.allSatisfy {
            $0.setting.periodFrames > got.periodFrames
              || ($0.setting.periodFrames == got.periodFrames && !$0.holds && $0.setting != got)
          }
        }
        switch try attempt(PeriodSetting(periodFrames: requested, periodCount: count), isNew) {
        case .interrupted: return
        case .repeated: continue
        case .measured(let trial): trials.append(trial)
        }
        if trials.last?.holds == true { break }
      }
      let here = trials[before...]
      guard here.contains(where: \.holds) else { break }
      requested /= 2
    }
    isComplete = true
  }

  /// Returns the passing setting with the lowest latency that is at least a margin above the minimum. [any]
  ///
  /// Of two settings with the same latency, the longer period wins, because it costs less CPU time. A margin of 50
  /// percent requests 1.5 times the smallest passing latency.
  package func best(marginPercent: Double = 0) -> PeriodResult? {
    let passing = trials.filter(\.holds).sorted {
      ($0.setting.latencyFrames, -$0.setting.periodFrames)
        < ($1.setting.latencyFrames, -$1.setting.periodFrames)
    }
    guard let smallest = passing.first else { return nil }
    let minimum = Double(smallest.setting.latencyFrames) * (1 + marginPercent / 100)
    return passing.first { Double($0.setting.latencyFrames) >= minimum } ?? passing.last
  }
}
