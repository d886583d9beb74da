// LV2Scanner.swift: what is in a bundle. SPDX-License-Identifier: MIT

internal import PluginModel

/// Reads bundles one at a time.
///
/// A bundle may bring code that runs while it is read (a dynamic manifest), so reading belongs in a
/// child process. `LV2Directories` finds them, which is harmless.
package enum LV2Scanner {
  /// Reads all plugins of one bundle, in a world of their own: of two bundles with the same plugin
  /// both are seen, and none waits for the others. [any one thread]
  ///
  /// - Parameters:
  ///   - path: The bundle folder.
  ///   - isWanted: Whether the plugin at a position, counted by URI, shall be read.
  ///   - opened: Called when the manifest has been read, before any plugin is.
  ///   - found: Called with each plugin, by URI.
  /// - Throws: If lilv cannot be started.
  package static func scan(
    bundle path: String, where isWanted: (Int) -> Bool = { _ in true }, opened: () -> Void,
    found: (LV2Plugin) -> Void
  ) throws(LV2Error) {
    let world = try LV2World()
    world.loadBundle(path)
    opened()
    for (position, uri) in world.pluginURIs.enumerated() where isWanted(position) {
      found(try world.plugin(uri))
    }
  }

  /// The first fault of Turtle in what lilv printed, as the end of a sentence; nil if there is none.
  ///
  /// lilv tells nobody else. [any]
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

  /// Reads one plugin of one bundle: the short way to an instance. [any one thread]
  package static func plugin(_ uri: String, inBundle path: String) throws(LV2Error) -> LV2Plugin {
    let world = try LV2World()
    world.loadBundle(path)
    return try world.plugin(uri)
  }
}
