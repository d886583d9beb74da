// LV2Log.swift: log messages of a plugin. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel

/// The log of a node: written by the plugin from any thread, read by the main thread.
final class LV2Log {
  /// The handle of the log feature.
  let queue: OpaquePointer

  /// Creates an empty log. [main]
  init() {
    let (error, warning) = (
      URIDMap.shared.number(LV2.log + "Error"), URIDMap.shared.number(LV2.log + "Warning")
    )
    guard let queue = clv2_log_create(error, warning) else {
      fatalError("no memory for an LV2 log")
    }
    self.queue = queue
  }

  deinit { clv2_log_destroy(queue) }

  /// Returns and removes all messages, oldest first. [main]
  func take() -> [PluginLogMessage] {
    var messages: [PluginLogMessage] = []
    var type: LV2_URID = 0
    var buffer = [CChar](repeating: 0, count: 256)
    // Reads at most one queue length, because a plugin may write faster than this reads.
    while messages.count < Self.slotCount,
      clv2_log_take(queue, &type, &buffer, UInt32(buffer.count))
    {
      let uri = URIDMap.shared.text(type).map { String(cString: $0) } ?? ""
      let text = String(
        decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      messages.append(
        PluginLogMessage(
          level: uri.tail(after: LV2.log) ?? uri,
          text: text.split(whereSeparator: \.isNewline).joined(separator: " ")))
    }
    return messages
  }

  /// The number of lost errors and warnings since the last call. [main]
  func takeLostCount() -> Int {
    let dropped = clv2_log_dropped_count(queue)
    defer { reportedDroppedCount = dropped }
    return Int(dropped - reportedDroppedCount)
  }

  /// At least the number of slots in the queue.
  private static let slotCount = 64
  private var reportedDroppedCount: UInt64 = 0
}
