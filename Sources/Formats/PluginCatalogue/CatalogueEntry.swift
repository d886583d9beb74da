// CatalogueEntry.swift: a plugin as a list shows it. SPDX-License-Identifier: MIT

package import PluginModel

/// The few facts of a plugin that listing, searching and naming need.
package struct CatalogueEntry: Sendable, Equatable {
  /// Where it comes from.
  package var kind: PluginKind
  /// URI or id.
  package var identifier: String
  /// What a person calls it.
  package var name: String
  /// What sort of thing it is; empty where unknown.
  package var category: String
  /// Who made it; empty where unknown.
  package var maker: String
  /// How many audio inputs it has.
  package var audioInputCount: Int
  /// How many audio outputs it has.
  package var audioOutputCount: Int
  /// Why it cannot be hosted, as one sentence; nil if nothing is known against it.
  package var refusal: String?
  /// Where it was found: bundle folder or manifest.
  package var unit: String

  /// The name of the source that it was found by.
  var source: String
  var rank: UInt64

  init(_ finding: ScannedPlugin, source: String, unit: String) {
    let plugin = finding.description
    kind = plugin.kind
    identifier = plugin.identifier
    name = plugin.name
    category = plugin.category
    maker = plugin.maker
    audioInputCount = plugin.audioInputs.count
    audioOutputCount = plugin.audioOutputs.count
    refusal = plugin.refusal
    rank = finding.rank
    self.source = source
    self.unit = unit
  }

  init(_ reader: inout BinaryDecoder, source: String, unit: String) throws(BinaryDecodingError) {
    guard let kind = PluginKind(rawValue: try reader.text()) else { throw BinaryDecodingError() }
    self.kind = kind
    identifier = try reader.text()
    name = try reader.text()
    category = try reader.text()
    maker = try reader.text()
    audioInputCount = Int(try reader.number(UInt32.self))
    audioOutputCount = Int(try reader.number(UInt32.self))
    refusal = try reader.flag() ? try reader.text() : nil
    rank = try reader.number()
    self.source = source
    self.unit = unit
  }

  func write(_ writer: inout BinaryEncoder) {
    writer.write(kind.rawValue)
    writer.write(identifier)
    writer.write(name)
    writer.write(category)
    writer.write(maker)
    writer.write(UInt32(audioInputCount))
    writer.write(UInt32(audioOutputCount))
    writer.write(refusal != nil)
    if let refusal { writer.write(refusal) }
    writer.write(rank)
  }
}

/// What a list shows; every part that is not nil or empty must hold.
package struct CatalogueFilter: Sendable, Equatable {
  /// Words that must all occur in name, identifier, category or maker, in any case of letters.
  package var text = ""
  /// The only kind shown.
  package var kind: PluginKind?
  /// A part of the category, in any case of letters.
  package var category: String?
  /// The number of audio inputs.
  package var audioInputCount: Int?
  /// The number of audio outputs.
  package var audioOutputCount: Int?

  /// Everything.
  package init() {}

  /// Whether an entry is shown. [any]
  package func matches(_ entry: CatalogueEntry) -> Bool {
    if let kind, entry.kind != kind { return false }
    if let audioInputCount, entry.audioInputCount != audioInputCount { return false }
    if let audioOutputCount, entry.audioOutputCount != audioOutputCount { return false }
    if let category, !entry.category.lowercased().contains(category.lowercased()) { return false }
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return true }
    let facts = [entry.name, entry.identifier, entry.category, entry.maker].map { $0.lowercased() }
    return words.allSatisfy { word in facts.contains { $0.contains(word) } }
  }
}

/// A unit from which something is missing.
package struct ScanError: Sendable, Equatable {
  /// Bundle folder or manifest.
  package var unit: String
  /// What is wrong, as one sentence.
  package var sentence: String

  /// A place, and what is wrong with it.
  package init(unit: String, sentence: String) {
    self.unit = unit
    self.sentence = sentence
  }
}

/// A plugin that is there twice.
package struct DuplicatePlugin: Sendable, Equatable {
  /// URI or id of both.
  package var identifier: String
  /// The unit whose plugin is used.
  package var used: String
  /// The unit whose plugin is not.
  package var ignored: String

  /// Which of two is used, as one sentence. [any]
  package var sentence: String {
    "<\(identifier)> is installed twice. Using \(used), ignoring \(ignored)."
  }
}
