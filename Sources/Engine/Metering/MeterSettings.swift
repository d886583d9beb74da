// MeterSettings.swift: the settings of a meter in a rig. SPDX-License-Identifier: MIT

package import PluginModel

/// The settings of a meter: a number of channels, and an optional file for their levels.
package struct MeterSettings: BuiltinSettings {
  /// The name of a meter in a rig.
  package static let word = "meter"
  /// The range of channel counts.
  package static let channelCounts = 1 ... 64

  /// The number of channels, in the range of `channelCounts`.
  package var channelCount: Int
  /// The log of levels; nil for none.
  package var log: LevelLogSettings?

  /// Creates the settings of a meter without a log.
  package init(channelCount: Int, log: LevelLogSettings? = nil) {
    self.channelCount = channelCount
    self.log = log
  }

  /// Reads the settings from a description; returns nil for another plugin. [any]
  package init?(_ plugin: PluginDescription) {
    guard let settings = plugin.builtin?.settings(MeterSettings.self) else { return nil }
    self = settings
  }

  /// Creates a meter. [main]
  package func makeNode(_ configuration: NodeConfiguration) -> any Node {
    MeterNode(self, configuration)
  }

  /// The meter as one of a graph's nodes. [any]
  package var plugin: PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Self.word, name: "Meter", format: .builtin)
    plugin.category = "Analyser"
    plugin.summary = "Measures the signal and passes it through unchanged."
    plugin.audioInputs = (1 ... channelCount).map { AudioPort(symbol: "in_\($0)", name: "\($0)") }
    plugin.audioOutputs = (1 ... channelCount).map { AudioPort(symbol: "out_\($0)", name: "\($0)") }
    plugin.builtin = BuiltinNode(self)
    return plugin
  }
}

/// A level log, and when it is rotated.
package struct LevelLogSettings: Sendable, Equatable {
  /// When a file has had its time.
  package enum Rotation: Sendable, Equatable {
    /// Before the file gets longer than this number of bytes.
    case bytes(Int)
    /// At the top of each hour, by UTC.
    case hourly
    /// At midnight, by UTC.
    case daily
  }

  /// The range of the interval between two lines, in seconds.
  package static let intervals = 0.1 ... 86_400.0
  /// The range of the rotation size, in bytes: at least a few lines.
  package static let sizes = 4_000 ... 1 << 40
  /// The range of the number of kept files.
  package static let counts = 1 ... 100_000
  /// The supported file extensions.
  package static let extensions = ["jsonl", "json", "csv"]

  /// The path; `jsonl` and `json` have a line of JSON per interval, `csv` a row.
  package var path: String
  /// The interval between two lines in seconds of audio, in the range of `intervals`.
  package var intervalSeconds = 1.0
  /// When the file is rotated.
  package var rotation = Rotation.daily
  /// The number of rotated files that are kept; the oldest are removed.
  package var keptCount = 31

  /// A line every second, a file a day, a month of them.
  package init(path: String) { self.path = path }

  /// Whether the format is CSV.
  package var isTable: Bool { path.lowercased().hasSuffix(".csv") }

  /// Whether the extension is known.
  package var hasKind: Bool {
    Self.extensions.contains { path.lowercased().hasSuffix(".\($0)") }
  }
}

extension LevelLogSettings.Rotation: CustomStringConvertible {
  /// The text that `init` parses.
  package var description: String {
    switch self {
    case .bytes(let count): "\(count)"
    case .hourly: "hour"
    case .daily: "day"
    }
  }

  /// Parses `hour`, `day`, or a size such as `10 MB`, `512 kB`, `4096`; returns nil for anything
  /// else. [any]
  package init?(_ text: String) {
    switch text {
    case "hour", "hourly": self = .hourly
    case "day", "daily": self = .daily
    default:
      let digits = text.prefix { ("0" ... "9").contains($0) }
      let units = ["": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000]
      let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
      guard let number = Int(digits), let factor = units[unit] else { return nil }
      let (count, overflow) = number.multipliedReportingOverflow(by: factor)
      guard !overflow, LevelLogSettings.sizes ~= count else { return nil }
      self = .bytes(count)
    }
  }
}
