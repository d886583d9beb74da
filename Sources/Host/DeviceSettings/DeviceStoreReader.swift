// DeviceStoreReader.swift: parser of the file with saved device settings. SPDX-License-Identifier: MIT

import Manifests

/// An entry with its location in the file, for edits.
struct StoredEntry {
  let device: StoredDevice
  /// The first line of the entry, from 1.
  let firstLine: Int
  /// The last line of the entry.
  let lastLine: Int
  /// The location of the period.
  let period: SourcePosition
  /// The location of the number of periods.
  let periods: SourcePosition
}

/// Reads the file with saved device settings.
enum DeviceStoreReader {
  /// The supported version of the format.
  static let knownVersion = 1
  static let versionLine = "outboard-devices: \(knownVersion)"

  private static let keys = ["outboard-devices", "devices"]
  private static let entryKeys = ["card", "name", "rate", "period", "periods"]

  /// Returns the entries, in the file's order; none for an empty text. [any]
  ///
  /// - Throws: `ManifestError` with every error in the file.
  static func entries(in text: String, file: String) throws(ManifestError) -> [StoredEntry] {
    guard let root = try YAMLParser.parse(text, file: file) else { return [] }
    let diagnostics = DiagnosticCollector(file: file)
    let entries = read(ManifestCursor(node: root, keyPath: "", diagnostics: diagnostics))
    try diagnostics.throwIfErrors()
    return entries
  }

  private static func read(_ cursor: ManifestCursor) -> [StoredEntry] {
    let expected = ExpectedValue(what: "a mapping of keys", example: versionLine)
    guard let fields = cursor.fields(known: keys, expected) else { return [] }
    let version = ExpectedValue(what: "the format's version", example: versionLine)
    if let cursor = fields.required("outboard-devices", example: versionLine),
      let number = cursor.number(version), number != Double(knownVersion)
    {
      cursor.report(
        .unknownVersion(
          statement: "the file is of version \(plain(number))", known: "version \(knownVersion)"))
    }
    guard let list = fields["devices"], list.node.content != .nothing else { return [] }
    let items = list.items(ExpectedValue(what: "a list of devices", example: "devices: []")) ?? []
    var firstLines: [StoredDevice.Key: Int] = [:]
    return items.compactMap { item in
      guard let entry = entry(item) else { return nil }
      if let line = firstLines[entry.device.key] {
        item.report(
          .broken(
            rule: "duplicate of the card and rate in line \(line). Remove one."
          ))
      }
      firstLines[entry.device.key] = entry.firstLine
      return entry
    }
  }

  private static func entry(_ cursor: ManifestCursor) -> StoredEntry? {
    let expected = ExpectedValue(what: "a mapping of keys", example: "- card: PCH")
    guard let fields = cursor.fields(known: entryKeys, expected) else { return nil }
    let text = ExpectedValue(what: "a card's short name", example: "card: PCH")
    let name = ExpectedValue(what: "a card's name", example: "name: HDA-Intel - HDA Intel PCH")
    let card = fields.required("card", example: "card: PCH")?.text(text)
    let rate = fields.required("rate", example: "rate: 48000")?.integer(
      in: StreamLimits.ratesHz,
      ExpectedValue(what: "a whole number of frames a second", example: "rate: 48000"))
    let period = fields.required("period", example: "period: 256")?.integer(
      in: StreamLimits.periodFrames,
      ExpectedValue(what: "a whole number of frames", example: "period: 256"))
    let periods = fields.required("periods", example: "periods: 2")?.integer(
      in: StreamLimits.periodCounts,
      ExpectedValue(what: "a whole number of periods", example: "periods: 2"))
    guard let card, let rate, let period, let periods else { return nil }
    let lines = fields.fields.flatMap { [$0.position.line, $0.value.node.position.line] }
    return StoredEntry(
      device: StoredDevice(
        key: StoredDevice.Key(
          card: card, name: fields["name"]?.text(name) ?? "", sampleRateHz: rate),
        periodFrames: period, periodCount: periods),
      firstLine: lines.min() ?? 0, lastLine: lines.max() ?? 0,
      period: fields["period"]?.node.position ?? .unknown,
      periods: fields["periods"]?.node.position ?? .unknown)
  }
}
