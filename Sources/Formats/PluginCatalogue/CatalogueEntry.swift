// CatalogueEntry.swift: a plugin in a list. SPDX-License-Identifier: MIT

package import PluginModel

/// The data of a plugin for lists, searches and name resolution.
package struct CatalogueEntry: Sendable, Equatable {
  /// The kind of plugin.
  package var kind: PluginKind
  /// URI or id.
  package var identifier: String
  /// The display name.
  package var name: String
  /// The category; empty if unknown.
  package var category: String
  /// The vendor; empty if unknown.
  package var maker: String
  /// The number of audio inputs.
  package var audioInputCount: Int
  /// The number of audio outputs.
  package var audioOutputCount: Int
  /// Why it cannot be hosted, as a message; nil if no problem is known.
  package var refusal: String?
  /// The path of its bundle or manifest.
  package var unit: String

  /// The name of its plugin source.
  var source: String
  var rank: UInt64

  init(_ scannedPlugin: ScannedPlugin, source: String, unit: String) {
    let plugin = scannedPlugin.description
    kind = plugin.kind
    identifier = plugin.identifier
    name = plugin.name
    category = plugin.category
    maker = plugin.maker
    audioInputCount = plugin.audioInputs.count
    audioOutputCount = plugin.audioOutputs.count
    refusal = plugin.refusal
    rank = scannedPlugin.rank
    self.source = source
    self.unit = unit
  }

  init(_ reader: inout BinaryDecoder, source: String, unit: String) throws(BinaryDecodingError) {
    kind = PluginKind(rawValue: try reader.text())
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

/// A filter for lists.
///
/// All fields that are not nil or empty must match.
package struct CatalogueFilter: Sendable, Equatable {
  /// Words that must all occur in name, identifier, category or vendor, ignoring case.
  package var text = ""
  /// The kind of plugin.
  package var kind: PluginKind?
  /// A part of the category, ignoring case.
  package var category: String?
  /// The number of audio inputs.
  package var audioInputCount: Int?
  /// The number of audio outputs.
  package var audioOutputCount: Int?

  /// A filter that matches everything.
  package init() {}

  /// Whether an entry matches. [any]
  package func matches(_ entry: CatalogueEntry) -> Bool {
    if let kind, entry.kind != kind { return false }
    if let audioInputCount, entry.audioInputCount != audioInputCount { return false }
    if let audioOutputCount, entry.audioOutputCount != audioOutputCount { return false }
    if let category, !entry.category.lowercased().contains(category.lowercased()) { return false }
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return true }
    let texts = [entry.name, entry.identifier, entry.category, entry.maker].map { $0.lowercased() }
    return words.allSatisfy { word in texts.contains { $0.contains(word) } }
  }
}

/// A bundle that could not be read completely.
package struct ScanError: Sendable, Equatable {
  /// The path of the bundle or manifest.
  package var unit: String
  /// The error message.
  package var message: String

  /// Creates a fault from a path and a message.
  package init(unit: String, message: String) {
    self.unit = unit
    self.message = message
  }
}

/// A plugin that is installed twice.
package struct DuplicatePlugin: Sendable, Equatable {
  /// URI or id of both.
  package var identifier: String
  /// The path of the plugin in use.
  package var used: String
  /// The path of the ignored plugin.
  package var ignored: String

  /// A message that names both. [any]
  package var message: String {
    "<\(identifier)> is installed twice. Using \(used), ignoring \(ignored)."
  }
}
