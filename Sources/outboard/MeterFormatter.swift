// MeterFormatter.swift: meters as bars and numbers. SPDX-License-Identifier: MIT

import Console
import HostModel

/// Formats a meter for a terminal: two lines, and one line per channel.
struct MeterFormatter {
  private static let valueWidth = 7
  private static let clipWidth = 7
  private let meters: [MeterValues]
  private let columns: Int
  private let showsSpectrum: Bool

  /// Formats meters for a terminal of `columns`; all values fit from 80 columns.
  init(_ meters: [MeterValues], columns: Int, showsSpectrum: Bool = false) {
    self.meters = meters
    self.columns = columns
    self.showsSpectrum = showsSpectrum
  }

  /// Returns lines that are shorter than the terminal width.
  var lines: [String] {
    guard !meters.isEmpty else { return ["No meters."] }
    let titles = ["PEAK", "RMS", "MAX", "TRUE"].map { NumberFormat.right($0, Self.valueWidth) }
    let heading =
      NumberFormat.right("", labelWidth + 1) + scale + titles.joined()
      + NumberFormat.right("CLIPS", Self.clipWidth)
    return meters.flatMap { meter in
      [title(meter), heading] + meter.channels.enumerated().map { row($0.offset, $0.element) }
        + (showsSpectrum ? [spectrum(meter)] : []) + losses(meter)
    }
  }

  private var labelWidth: Int {
    max(2, "\(meters.map(\.channels.count).max() ?? 1)".count)
  }

  private var barWidth: Int {
    max(8, columns - 1 - labelWidth - 1 - 4 * Self.valueWidth - Self.clipWidth)
  }

  /// The name and the values that all channels share.
  private func title(_ meter: MeterValues) -> String {
    let name = String(meter.name.prefix(16))
    func labelled(_ label: String, _ value: Double?) -> String {
      "\(label) \(NumberFormat.right(level(value), 5))"
    }
    var parts = [
      name,
      [
        labelled("M", meter.momentary), labelled("S", meter.shortTerm),
        labelled("I", meter.integrated),
      ].joined(separator: "  ") + " LUFS",
      "LRA \(NumberFormat.right(NumberFormat.fixed(meter.range ?? 0, places: 1), 4)) LU",
    ]
    if meter.channels.count == 2 {
      let text = meter.correlation.map { ($0 < 0 ? "" : "+") + NumberFormat.fixed($0, places: 2) }
      parts.append("CORR \(NumberFormat.right(text ?? "none", 5))")
    }
    return parts.joined(separator: "  ")
  }

  /// Marks at tens of decibels, aligned with the bars.
  private var scale: String {
    var text = Array(repeating: Character(" "), count: barWidth)
    for decibels in [-60, -40, -20] {
      let column = (60 + decibels) * barWidth / 60
      for (index, character) in "\(decibels)".enumerated() where column + index < barWidth {
        text[column + index] = character
      }
    }
    text[barWidth - 1] = "0"
    return String(text)
  }

  private func row(_ index: Int, _ channel: MeterValues.Channel) -> String {
    let bar = LevelBar.text(
      decibels: channel.peak ?? -.infinity, held: channel.held ?? -.infinity, width: barWidth)
    let levels = [channel.peak, channel.rms, channel.highest, channel.truePeak]
      .map { NumberFormat.right(level($0), Self.valueWidth) }
    return NumberFormat.right("\(index + 1)", labelWidth) + " " + bar + levels.joined()
      + NumberFormat.right("\(channel.clips)", Self.clipWidth)
  }

  private func level(_ value: Double?) -> String {
    value.map { $0 >= 1_000 ? "inf" : NumberFormat.decibels($0) } ?? "-inf"
  }

  /// Reports frames that were not measured.
  private func losses(_ meter: MeterValues) -> [String] {
    guard meter.lostFrames > 0 else { return [] }
    return ["   \(meter.lostFrames) frames not measured (overrun)"]
  }

  /// Returns one character per third-octave band, for a range of 72 dB.
  private func spectrum(_ meter: MeterValues) -> String {
    let steps = Array(" ▁▂▃▄▅▆▇█")
    let bars = meter.bands.map { band -> Character in
      let fraction = ((band.level ?? -.infinity) + 72) / 72
      return steps[max(0, min(8, Int((fraction * 8).rounded(.up).clamped)))]
    }
    let blank = NumberFormat.right("", labelWidth + 1)
    guard let first = meter.bands.first, let last = meter.bands.last else { return blank }
    return "\(blank)▕\(String(bars))▏ \(hertz(first.hz)) to \(hertz(last.hz)), -72 to 0 dB"
  }

  private func hertz(_ value: Double) -> String {
    value >= 1_000 ? "\(NumberFormat.short(value / 1_000)) kHz" : "\(NumberFormat.short(value)) Hz"
  }
}

extension Double {
  /// Clamps to 0...8.
  fileprivate var clamped: Double { isNaN ? 0 : Swift.min(8, Swift.max(0, self)) }
}
