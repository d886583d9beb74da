// LV2Scanner.swift: scans bundles. SPDX-License-Identifier: MIT

internal import PluginModel

/// Scans bundles one at a time.
///
/// A bundle may contain code that runs during the scan (a dynamic manifest), so scan in a helper process.
/// `LV2Directories` finds bundles without running code.
package enum LV2Scanner {
  /// Scans all plugins of a bundle in a separate world.
  ///
  /// So both of two bundles with the same plugin are
  /// found. [any one thread]
  ///
  /// - Parameters:
  ///   - path: The path of the bundle.
  ///   - isWanted: Whether to read the plugin at an index, in order of URIs.
  ///   - opened: Called when the manifest was read, before any plugin.
  ///   - found: Called with each plugin, in order of URIs.
  ///   - preset: Called with each name of a preset of the bundle, and the URI of its plugin.
  /// - Throws: If lilv fails to start.
  package static func scan(
    bundle path: String, where isWanted: (Int) -> Bool = { _ in true }, opened: () -> Void,
    found: (LV2Plugin) -> Void, preset: (_ plugin: String, _ name: String) -> Void = { _, _ in }
  ) throws(LV2Error) {
    let world = try LV2World()
    world.loadBundle(path)
    opened()
    for (position, uri) in world.pluginURIs.enumerated() where isWanted(position) {
      found(try world.plugin(uri))
    }
    world.readPresetNames(where: isWanted, preset)
  }

  /// Returns the first Turtle error in lilv's output, as the end of a message; nil if there is none.
  ///
  /// lilv reports it only there. [any]
  package static func turtleFault(inNoise noise: String) -> String? {
    for line in noise.split(whereSeparator: \.isNewline) {
      // error: file:///usr/lib/lv2/x.lv2/x.ttl:12:3: expected ...
      guard let prefix = line.firstRange(of: "error: "), let end = line.firstRange(of: ".ttl:")
      else { continue }
      let uri = line[prefix.upperBound ..< end.lowerBound]
      let file = uri.split(separator: "/").last ?? ""
      let rest = line[end.upperBound...].split(separator: ":", maxSplits: 2)
      guard rest.count == 3, let number = Int(rest[0]) else { continue }
      let reason = rest[2].trimmingPrefix { $0 == " " }
      return "syntax error in \(file).ttl, line \(number) (\(reason))"
    }
    return nil
  }

  /// Reads one plugin of one bundle, to instantiate it quickly. [any one thread]
  package static func plugin(_ uri: String, inBundle path: String) throws(LV2Error) -> LV2Plugin {
    let world = try LV2World()
    world.loadBundle(path)
    return try world.plugin(uri)
  }
}
