// TempoMap.swift: from the ticks of a MIDI file to seconds. SPDX-License-Identifier: MIT

/// The tempo map of a file.
struct TempoMap {
  private struct TempoSegment {
    let tick: Int
    let seconds: Double
    let secondsPerTick: Double
  }

  /// In order, the first one at tick 0.
  private let sections: [TempoSegment]

  /// 120 quarters a minute, if a file contains no tempo.
  private static let defaultMicrosecondsPerQuarter = 500_000

  init(_ division: MIDIDivision, tempi: [MIDITrack.Tempo]) {
    switch division {
    case .perSecond(let ticks):
      sections = [TempoSegment(tick: 0, seconds: 0, secondsPerTick: 1 / ticks)]
    case .perQuarter(let ticks):
      func length(_ microseconds: Int) -> Double { Double(microseconds) * 1e-6 / Double(ticks) }
      var sections = [
        TempoSegment(
          tick: 0, seconds: 0, secondsPerTick: length(Self.defaultMicrosecondsPerQuarter))
      ]
      for tempo in tempi.sorted(by: { $0.tick < $1.tick }) {
        let last = sections[sections.count - 1]
        sections.append(
          TempoSegment(
            tick: tempo.tick,
            seconds: last.seconds + Double(tempo.tick - last.tick) * last.secondsPerTick,
            secondsPerTick: length(tempo.microsecondsPerQuarter)))
      }
      self.sections = sections
    }
  }

  /// When a tick is; by bisection, as files have tens of thousands of messages and of tempi.
  func seconds(at tick: Int) -> Double {
    var (low, high) = (0, sections.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if sections[middle].tick <= tick { low = middle } else { high = middle }
    }
    let section = sections[low]
    return section.seconds + Double(tick - section.tick) * section.secondsPerTick
  }
}
