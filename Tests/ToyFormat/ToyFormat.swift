// ToyFormat.swift: the smallest possible format with every capability. SPDX-License-Identifier: MIT

import Glibc
package import PluginCatalogue
package import PluginModel

/// Plugins that are lines of text in a file: `NAME.toy`, or `toy:GAIN` without a file.
///
/// A toy multiplies its input with a gain. The lines are `name NAME`, `gain GAIN`, `preset NAME GAIN`, `label TEXT` for a
/// property, and `aborts` or `refuses` for one that fails its preflight.
package struct ToyFormat: PluginFormat {
  /// The directories of installed toys.
  private let directories: [String]

  package let isTrusted: Bool

  /// A format whose plugins are in some directories.
  package init(directories: [String], isTrusted: Bool = true) {
    (self.directories, self.isTrusted) = (directories, isTrusted)
  }

  package static let kind = PluginKind(rawValue: "toy")
  static let traits = FormatTraits(noun: "a toy", stateFile: "toy.state")

  package var kind: PluginKind { Self.kind }
  package let extensions = ["toy"]
  package let schemes = ["toy"]
  package func makeLoader() -> (any PluginLoader)? { ToyLoader() }

  package var source: PluginSource? {
    let directories = directories
    return PluginSource(
      name: kind.rawValue, units: { BundleList(directories.flatMap(Self.files)) },
      scan: { path, _, event in
        let toy = try Toy(path)
        event(.opened)
        event(.found(ScannedPlugin(toy.description)))
      },
      preflight: { plugin, conditions, stage in
        stage(.create)
        let toy = try Toy(plugin.location)
        if toy.aborts { abort() }
        if toy.refuses { throw ToyError("\(toy.name) refuses to run.") }
        stage(.run)
        return []
      })
  }

  package func describe(_ name: String, in context: FormatContext) throws -> DescribedPlugin {
    DescribedPlugin(try Toy(name).description)
  }

  /// Returns a source of the given plugin only, if it is not installed. [main]
  package func source(of plugin: PluginDescription, isListed: () -> Bool) -> PluginSource? {
    guard !isListed(), var source else { return nil }
    source.units = { [plugin.location] }
    return source
  }

  private static func files(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".toy") { files.append("\(directory)/\(name)") }
    }
    return files.sorted()
  }
}

/// An error of a toy.
package struct ToyError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

/// A plugin as its file describes it.
struct Toy {
  var name: String
  var gain: Float = 1
  var presets: [(name: String, gain: Float)] = []
  /// The value of its text property; nil if it has none.
  var label: String?
  var (aborts, refuses) = (false, false)
  /// The file, or the URI of a toy without one.
  let location: String

  /// Reads a file, or the gain in a URI.
  init(_ location: String) throws {
    self.location = location
    if location.hasPrefix("toy:") {
      guard let gain = Float(location.dropFirst("toy:".count)) else {
        throw ToyError("\(location) has no gain. Write a number, for example toy:0.5.")
      }
      (name, self.gain) = (location, gain)
    } else {
      name = ""
      try read(location)
    }
  }

  private mutating func read(_ path: String) throws {
    name = String((path.split(separator: "/").last ?? "").dropLast(".toy".count))
    for line in try TextFile.read(path).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "name" where words.count > 1: name = words.dropFirst().joined(separator: " ")
      case "gain" where words.count == 2: gain = Float(words[1]) ?? 1
      case "preset" where words.count == 3: presets.append((words[1], Float(words[2]) ?? 1))
      case "label": label = words.dropFirst().joined(separator: " ")
      case "aborts": aborts = true
      case "refuses": refuses = true
      default: throw ToyError("\(path): \"\(line)\" is not a line of a toy.")
      }
    }
  }

  /// The description, with the gain as its only parameter.
  var description: PluginDescription {
    var plugin = PluginDescription(
      kind: ToyFormat.kind, identifier: name == location ? name : "toybox.\(name)", name: name,
      format: ToyFormat.traits)
    plugin.location = location
    plugin.audioInputs = [AudioPort(symbol: "in", name: "In")]
    plugin.audioOutputs = [AudioPort(symbol: "out", name: "Out")]
    plugin.parameters = [
      Parameter(
        symbol: "gain", name: "Gain", unit: "", minimum: -8, defaultValue: gain, maximum: 8)
    ]
    if let label {
      var property = Property(uri: "toy:label", name: "Label", type: .string)
      property.defaultValue = .string(label)
      property.isWritable = true
      plugin.properties = [property]
    }
    plugin.presets = presets.map {
      ParameterPreset(
        name: $0.name, values: [ParameterPreset.Value(parameter: 0, value: $0.gain)])
    }
    return plugin
  }
}

/// Creates toys, which share no state. [main]
///
/// No state is shared. [main]
private final class ToyLoader: PluginLoader {
  func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) -> any Node {
    ToyNode(plugin)
  }
}
