// LV2Scanner.swift: which bundles there are, and what is in one. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel

/// Finds bundles and reads them one at a time.
///
/// A bundle may bring code that runs while it is read (a dynamic manifest), so reading belongs in a
/// child process; finding is harmless.
package enum LV2Scanner {
  /// Where bundles are looked for when `LV2_PATH` is not set, first to last.
  ///
  /// The order of Debian's lilv, with the folder for this architecture.
  package static var defaultPath: String {
    "~/.lv2:/usr/lib/\(architecture)-linux-gnu/lv2:/usr/lib/lv2:/usr/local/lib/lv2"
  }

  private static var architecture: String {
    #if arch(arm64)
    "aarch64"
    #elseif arch(x86_64)
    "x86_64"
    #elseif arch(riscv64)
    "riscv64"
    #else
    "unknown"
    #endif
  }

  /// The folders of a search path, a leading `~` replaced by the home folder; empty parts are left
  /// out. [any]
  package static func folders(ofPath path: String?, home: String) -> [String] {
    (path ?? defaultPath).split(separator: ":").map { part in
      part == "~" || part.hasPrefix("~/") ? home + part.dropFirst() : String(part)
    }
  }

  /// The bundle folders in a list of folders, in order, each with its manifest; folders that do not
  /// exist or cannot be read count as empty. [any]
  package static func bundles(inFolders folders: [String]) -> [String] {
    folders.flatMap { folder in
      FileTree.entries(folder).filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }
        .filter { access($0 + "/manifest.ttl", R_OK) == 0 }
    }
  }

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
      return "its data are broken in \(file).ttl, line \(number) (\(reason))"
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
