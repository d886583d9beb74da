// PluginLogReporter.swift: log messages of plugins. SPDX-License-Identifier: MIT

import ErrorModel
import PluginModel
import RenderGraph
import RigPlanning

/// Reports the errors and warnings that plugins log.
///
/// A few messages per node and time window are reported at once. Further ones are counted and reported as one message
/// at the end of the window. The window of a plugin that logs continuously grows.
struct PluginLogReporter {
  /// The number of messages per node and window.
  static let maximumReports = 3
  /// The shortest and longest window, in seconds.
  static let firstSeconds = 10.0
  static let longestSeconds = 3_600.0

  /// The messages of a node in its current window.
  private struct MessageCount {
    var began: Double
    var seconds = PluginLogReporter.firstSeconds
    var shownCount = 0
    var suppressedCount = 0
  }

  /// By node name.
  private var counts: [String: MessageCount] = [:]

  /// Returns the messages since the last call; `now` is a monotonic time in seconds. [main]
  mutating func takeMessages(_ members: [BuiltRig.BuiltNode], now: Double) -> [HostNotice] {
    var lines = takeSummaries(now)
    for (name, node) in members.flatMap(\.instances) {
      guard let node = node.capabilities.log else { continue }
      let messages = node.takeMessages().filter(\.isErrorOrWarning)
      lines += take(messages, lostCount: node.takeDroppedMessageCount(), of: name, now: now)
    }
    return lines
  }

  /// Returns the remaining messages at the end. [main]
  mutating func flush() -> [HostNotice] {
    defer { counts = [:] }
    return counts.sorted { $0.key < $1.key }.compactMap { Self.rest($0.value, of: $0.key) }
  }

  /// Returns the messages of one node.
  mutating func take(
    _ messages: [PluginLogMessage], lostCount: Int, of name: String, now: Double
  ) -> [HostNotice] {
    guard !messages.isEmpty || lostCount > 0 else { return [] }
    var count = counts[name] ?? MessageCount(began: now)
    let shown = messages.prefix(Self.maximumReports - count.shownCount)
    count.shownCount += shown.count
    count.suppressedCount += messages.count - shown.count + lostCount
    counts[name] = count
    return shown.map { Self.message($0, of: name) }
  }

  /// Returns the messages of nodes whose window has ended, and resets nodes below the limit.
  mutating func takeSummaries(_ now: Double) -> [HostNotice] {
    var lines: [HostNotice] = []
    for (name, count) in counts.sorted(by: { $0.key < $1.key })
    where now - count.began >= count.seconds {
      counts[name] = nil
      guard let rest = Self.rest(count, of: name) else { continue }
      lines.append(rest)
      let seconds = min(2 * count.seconds, Self.longestSeconds)
      counts[name] = MessageCount(began: now, seconds: seconds)
    }
    return lines
  }

  private static func message(_ message: PluginLogMessage, of name: String) -> HostNotice {
    // Control characters of a plugin must not reach the terminal.
    let text = String(
      String.UnicodeScalarView(
        message.text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    return .pluginLogged(name, level: message.level == "Error" ? "error" : "warning", text)
  }

  private static func rest(_ count: MessageCount, of name: String) -> HostNotice? {
    guard count.suppressedCount > 0 else { return nil }
    return .pluginLogSuppressed(name, count: count.suppressedCount)
  }
}
