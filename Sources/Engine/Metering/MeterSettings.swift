// MeterSettings.swift: what a meter in a rig is asked to do. SPDX-License-Identifier: MIT

package import PluginModel

/// The settings of a meter: a number of channels, and an optional file for their levels.
package struct MeterSettings: BuiltinSettings {
  /// The name of a meter in a rig.
  package static let word = "meter"
  /// What a number of channels may be.
  package static let channelCounts = 1 ... 64

  /// How many channels pass through it, one of `channelCounts`.
  package var channelCount: Int
  /// Where levels are written down; nil for nowhere.
  package var log: LevelLogSettings?

  /// A meter that writes nothing.
  package init(channelCount: Int, log: LevelLogSettings? = nil) {
    self.channelCount = channelCount
    self.log = log
  }

  /// What a meter that was described was asked for; nil for any other plugin. [any]
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

/// A file of levels, and when it makes room for the next one.
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

  /// What the time between two lines may be, in seconds.
  package static let intervals = 0.1 ... 86_400.0
  /// What a size may be: a few lines at least.
  package static let sizes = 4_000 ... 1 << 40
  /// How many files may be kept.
  package static let counts = 1 ... 100_000
  /// What the names of files may end with.
  package static let extensions = ["jsonl", "json", "csv"]

  /// Where it is; `jsonl` and `json` have a line of JSON for each time, `csv` a row.
  package var path: String
  /// Seconds of sound between two lines, one of `intervals`.
  package var intervalSeconds = 1.0
  /// When the next file begins.
  package var rotation = Rotation.daily
  /// How many files that have had their time are kept; the oldest are removed.
  package var keptCount = 31

  /// A line every second, a file a day, a month of them.
  package init(path: String) { self.path = path }

  /// Whether it has rows with commas.
  package var isTable: Bool { path.lowercased().hasSuffix(".csv") }

  /// Whether the extension is known.
  package var hasKind: Bool {
    Self.extensions.contains { path.lowercased().hasSuffix(".\($0)") }
  }
}

extension LevelLogSettings.Rotation: CustomStringConvertible {
  /// As `init` reads it.
  package var description: String {
    switch self {
    case .bytes(let count): "\(count)"
    case .hourly: "hour"
    case .daily: "day"
    }
  }

  /// `hour`, `day`, or a size such as `10 MB`, `512 kB`, `4096`; nil for anything else. [any]
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
