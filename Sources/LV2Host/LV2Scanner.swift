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
      entries(ofFolder: folder).map { folder + "/" + $0 }
        .filter { access($0 + "/manifest.ttl", R_OK) == 0 }
    }
  }

  private static func entries(ofFolder folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Reads all plugins of one bundle, in a world of their own: of two bundles with the same plugin
  /// both are seen, and none waits for the others. [any one thread]
  package static func plugins(inBundle path: String) throws(LV2Error) -> [LV2Plugin] {
    let world = try LV2World()
    world.loadBundle(path)
    var plugins: [LV2Plugin] = []
    for uri in world.pluginURIs { plugins.append(try world.plugin(uri)) }
    return plugins
  }

  /// Reads one plugin of one bundle: the short way to an instance. [any one thread]
  package static func plugin(_ uri: String, inBundle path: String) throws(LV2Error) -> LV2Plugin {
    let world = try LV2World()
    world.loadBundle(path)
    return try world.plugin(uri)
  }

  /// Names of a plugin's presets in every bundle; slow, as every manifest is read. [any one thread]
  package static func presetNames(of uri: String) throws(LV2Error) -> [String] {
    let world = try LV2World()
    world.loadEverything()
    return world.presetNames(of: uri)
  }
}
