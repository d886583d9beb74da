// UndoHistory+BinaryCoding.swift: the history in a form that another process image can read.
// SPDX-License-Identifier: MIT

import PluginCatalogue

extension UndoStep {
  /// The step in a form for `init(_:)`.
  fileprivate var bytes: [UInt8] {
    var writer = BinaryEncoder()
    writer.write(values) { writer, change in
      writer.write(change.node)
      writer.write(change.symbol)
      writer.write(change.old)
      writer.write(change.new)
    }
    writer.write(rig != nil)
    return writer.bytes + (rig?.bytes ?? [])
  }

  fileprivate init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    values = try reader.list { reader throws(BinaryDecodingError) in
      ValueChange(
        node: try reader.text(), symbol: try reader.text(), old: try reader.float(),
        new: try reader.float())
    }
    rig = try reader.flag() ? try EarlierRig(&reader) : nil
    // Later changes are separate steps.
    instant = .now.advanced(by: .zero - UndoHistory.mergeTime)
  }
}

extension UndoHistory {
  /// Returns at most a number of bytes: the changes next to the present rig that fit, undone ones last. [main]
  func encoded(atMost limit: Int) -> [UInt8] {
    // Both counts, and the length of each step.
    var rest = limit - 2 * MemoryLayout<UInt32>.size
    func fitting(_ steps: [UndoStep]) -> [[UInt8]] {
      var result: [[UInt8]] = []
      for step in steps.reversed() {
        let bytes = step.bytes
        rest -= bytes.count + MemoryLayout<UInt32>.size
        guard rest >= 0 else { break }
        result.append(bytes)
      }
      return result.reversed()
    }
    var writer = BinaryEncoder()
    for steps in [fitting(past), fitting(future)] {
      writer.write(steps) { $0.write(bytes: $1) }
    }
    return writer.bytes
  }

  /// The history of an earlier process image; nil if it is damaged. [main]
  init?(bytes: [UInt8]) {
    func steps(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) -> [UndoStep] {
      try reader.list { reader throws(BinaryDecodingError) in
        _ = try reader.number(UInt32.self)
        return try UndoStep(&reader)
      }
    }
    let history = unsafe bytes.withUnsafeBytes { bytes -> UndoHistory? in
      var reader = unsafe BinaryDecoder(bytes)
      guard let past = try? steps(&reader), let future = try? steps(&reader) else { return nil }
      return UndoHistory(past: past, future: future)
    }
    guard let history else { return nil }
    self = history
  }
}
