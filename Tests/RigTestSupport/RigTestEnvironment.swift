// RigTestEnvironment.swift: modules, plugins and a library, separate from those of the user.
// SPDX-License-Identifier: MIT

import Foundation
import InstalledFormats
import LV2Host
import NativeModules
import PluginCatalogue
package import PluginLoading
import PluginModel
package import RigSchema

/// A temporary directory with the shipped modules, a few LV2 bundles, and a separate cache; removed
/// with its last reference.
package final class RigTestEnvironment {
  /// The directory.
  package let path: String
  /// Finds and creates the plugins of the directory; they are tested in the program `outboard`.
  package let library: PluginLibrary

  /// Creates a directory with some of the shipped modules, the installed bundles of these names, and
  /// those at these paths.
  package init(
    modules: [String] = ["gain"], bundles: [String] = [], bundlePaths: [String] = []
  ) throws {
    let path = "\(Self.root)/\(UUID().uuidString)"
    self.path = path
    for directory in ["", "/modules", "/cache"] {
      try FileManager.default.createDirectory(
        atPath: path + directory, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: path + "/cache/adapters", withDestinationPath: Self.root + "/adapters")
    let manifests = modules.map { "\(path)/modules/\($0).yaml" }
    for (name, manifest) in zip(modules, manifests) {
      try FileManager.default.copyItem(
        atPath: Self.repository + "/manifests/modules/\(name).yaml", toPath: manifest)
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/modules/\(name).so",
        withDestinationPath: try Self.product("lib\(name).so"))
    }
    var native = PluginSource.module(manifest: "")
    native.units = { BundleList(manifests) }
    var lv2 = PluginSource.lv2
    let installed = bundles.isEmpty ? [] : lv2.units().paths
    let chosen =
      bundlePaths
      + installed.filter { unit in
        bundles.contains(URL(fileURLWithPath: unit).lastPathComponent)
      }
    lv2.units = { BundleList(chosen) }
    library = PluginLibrary(
      formats: .installed,
      catalogue: Catalogue(
        sources: [native, lv2],
        child: ChildCommand(
          executable: try Self.product("outboard"), arguments: [ScanHelper.argument]),
        cacheDirectory: path + "/cache"))
  }

  /// The directory of all environments, and of their compiled adapters, so that each is compiled once; removed at
  /// the end of the process.
  private static let root: String = {
    let path =
      URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
      + "/outboard-workshops-\(getpid())-\(UUID().uuidString.prefix(8))"
    try? FileManager.default.createDirectory(
      atPath: path + "/adapters", withIntermediateDirectories: true)
    atexit {
      let root = RigTestEnvironment.root
      // A forked process keeps the directory.
      guard root.contains("-\(getpid())-") else { return }
      try? FileManager.default.removeItem(atPath: root)
    }
    return path
  }()

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file to the directory, and creates its parent directories.
  ///
  /// Returns its path.
  @discardableResult
  package func write(_ text: String, as name: String) throws -> String {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
    return "\(path)/\(name)"
  }

  /// Reads a rig as if it were a file of the directory.
  ///
  /// The line with the version is added.
  package func rig(_ text: String, name: String = "test.yaml") throws -> RigDescription {
    try RigReader.read(text: "outboard: 1\n" + text, file: "\(path)/\(name)")
  }

  /// A chain as on the command line.
  package func chain(_ words: String...) throws -> RigDescription { try chain(words) }

  /// The same, of a list.
  package func chain(_ words: [String]) throws -> RigDescription {
    let links = try ChainLink.parse(words)
    return RigDescription(chain: links, plugins: try links.map { try library.find($0.plugin) })
  }

  /// Whether a bundle of this name is installed.
  package static func hasBundle(_ name: String) -> Bool {
    PluginSource.lv2.units().paths.contains { URL(fileURLWithPath: $0).lastPathComponent == name }
  }

  /// Whether a program of this name is installed.
  package static func hasProgram(_ name: String) -> Bool {
    let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return directories.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  // MARK: - Paths

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// Returns the path of a built product.
  package static func product(_ name: String) throws -> String {
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path != "/" {
      let path = directory.appendingPathComponent(name).path
      if FileManager.default.fileExists(atPath: path) { return path }
      directory.deleteLastPathComponent()
    }
    throw NotBuilt(description: "\(name) is not beside the tests; build the package first.")
  }

  private struct NotBuilt: Error, CustomStringConvertible {
    let description: String
  }
}
