// PluginLogReporter.swift: what plugins say, as sentences. SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph
import Rig

/// Tells the errors and warnings that the plugins of a rig write.
///
/// So many of a node in some seconds are told as they come. Further ones are counted, and told of in one sentence when
/// the time is over; a plugin that goes on so is let speak ever more seldom.
struct PluginLogReporter {
  /// So many messages of a node are told at a time.
  static let toldCount = 3
  /// Within so many seconds, at first and at most.
  static let firstSeconds = 10.0
  static let longestSeconds = 3_600.0

  /// What a node has said since it began to.
  private struct MessageCount {
    var began: Double
    var seconds = PluginLogReporter.firstSeconds
    var told = 0
    var untold = 0
  }

  /// By the names of nodes.
  private var tallies: [String: MessageCount] = [:]

  /// What was said since the last call, one sentence each; `now` in seconds that go on. [main]
  mutating func takeSentences(_ members: [BuiltRig.BuiltNode], now: Double) -> [String] {
    var sentences = takeOverdue(now)
    for (name, node) in members.flatMap(\.instances) {
      guard let node = node.inside as? any LoggingNode else { continue }
      let messages = node.takeMessages().filter(\.isUrgent)
      sentences += take(messages, lostCount: node.takeLostMessageCount(), of: name, now: now)
    }
    return sentences
  }

  /// What has not been told yet, at the end. [main]
  mutating func takeRest() -> [String] {
    defer { tallies = [:] }
    return tallies.sorted { $0.key < $1.key }.compactMap { Self.rest($0.value, of: $0.key) }
  }

  /// The sentences for what a node has said.
  mutating func take(
    _ messages: [PluginLogMessage], lostCount: Int, of name: String, now: Double
  ) -> [String] {
    guard !messages.isEmpty || lostCount > 0 else { return [] }
    var tally = tallies[name] ?? MessageCount(began: now)
    let told = messages.prefix(Self.toldCount - tally.told)
    tally.told += told.count
    tally.untold += messages.count - told.count + lostCount
    tallies[name] = tally
    return told.map { Self.sentence($0, of: name) }
  }

  /// The sentences of nodes whose time is over: those that have kept to it begin afresh.
  mutating func takeOverdue(_ now: Double) -> [String] {
    var sentences: [String] = []
    for (name, tally) in tallies.sorted(by: { $0.key < $1.key })
    where now - tally.began >= tally.seconds {
      tallies[name] = nil
      guard let rest = Self.rest(tally, of: name) else { continue }
      sentences.append(rest)
      let seconds = min(2 * tally.seconds, Self.longestSeconds)
      tallies[name] = MessageCount(began: now, seconds: seconds)
    }
    return sentences
  }

  private static func sentence(_ message: PluginLogMessage, of name: String) -> String {
    // A terminal must not be moved by what a plugin writes.
    let text = String(
      String.UnicodeScalarView(
        message.text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    return "\(name): \(message.level == "Error" ? "error" : "warning"): \(text)"
  }

  private static func rest(_ tally: MessageCount, of name: String) -> String? {
    guard tally.untold > 0 else { return nil }
    let things = tally.untold == 1 ? "message" : "messages"
    return "\(name): \(tally.untold) more log \(things) suppressed."
  }
}
