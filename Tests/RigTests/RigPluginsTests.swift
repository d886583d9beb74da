// RigPluginsTests.swift: the plugins of a rig, and their directories. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import Manifests
@testable import NativeModules
@testable import PluginLoading
@testable import RigPlanning
@testable import RigSchema

@Suite struct RigPluginsTests {
  private func mistakes(_ workshop: RigTestEnvironment, _ nodes: String) throws -> [String] {
    let rig = try workshop.rig("nodes:\n\(nodes)\nconnections: [in -> out]", name: "stage.yaml")
    do {
      _ = try workshop.library.find(nodesOf: rig)
      return []
    } catch {
      return error.diagnostics.map { $0.description.replacing(workshop.path + "/", with: "") }
    }
  }

  @Test func `every missing plugin is reported with its line and key`() throws {
    #expect(
      try mistakes(
        RigTestEnvironment(),
        """
          a: {plugin: outboard.gian}
          b: {plugin: outboard.gain}
          c: {builtin: mixr}
          d: {builtin: compressor}
        """) == [
          "stage.yaml:3: nodes.a.plugin: No such plugin: \"outboard.gian\". Similar plugins:"
            + " Gain (outboard.gain).",
          "stage.yaml:5: nodes.c.builtin: unknown value \"mixr\". Did you mean \"mixer\"?",
          "stage.yaml:6: nodes.d.builtin: unknown value \"compressor\". Known values: mixer, analyser,"
            + " recorder, player, meter.",
        ])
  }

  @Test func `a plugin missing in several nodes is reported once, with their names`() throws {
    #expect(
      try mistakes(
        RigTestEnvironment(),
        """
          a: {plugin: outboard.gian}
          b: {plugin: xyzzyxyzzy}
          c: {plugin: outboard.gian}
          d: {plugin: xyzzyxyzzy}
          e: {plugin: outboard.gian}
        """) == [
          "stage.yaml:3: nodes.a.plugin: No such plugin: \"outboard.gian\". Similar plugins:"
            + " Gain (outboard.gain). Also affects c and e.",
          "stage.yaml:4: nodes.b.plugin: No such plugin: \"xyzzyxyzzy\". Run `outboard list` to"
            + " see all plugins. Also affects d.",
        ])
  }

  @Test func `an unknown key of a built-in node is reported with its location`() throws {
    #expect(
      try mistakes(RigTestEnvironment(), "  desk:\n    builtin: mixer\n    law: 3 dB")
        == [
          "stage.yaml:5: nodes.desk.law: unknown key. Known keys: builtin, channels, parameters."
        ])
  }

  @Test func `a built-in node has the channels given in the rig`() throws {
    let workshop = try RigTestEnvironment()
    let rig = try workshop.rig(
      "nodes: {desk: {builtin: mixer, channels: 5}, m: {builtin: analyser}}\nconnections: [in -> m]"
    )
    #expect(
      try workshop.library.find(nodesOf: rig).map(\.audioInputs.count) == [5, 2])
  }

  @Test(arguments: ["./fx/half.c", "fx/half.c", "../stage/fx/half.c"])
  func `a path is relative to the directory of the rig`(path: String) throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(half, as: "stage/fx/half.c")
    let rig = try workshop.rig(
      "nodes: {a: {plugin: \(path)}}\nconnections: [in -> a]", name: "stage/test.yaml")
    #expect(try workshop.library.find(nodesOf: rig).map(\.name) == ["half"])
  }

  @Test func `an id, a URI and an absolute path are the same in any directory`() throws {
    let workshop = try RigTestEnvironment()
    let rig = try workshop.rig(
      """
      nodes: {a: {plugin: outboard.gain}, b: {plugin: "\(workshop.path)/modules/gain.yaml"}}
      connections: [in -> a -> b]
      """, name: "elsewhere/test.yaml")
    #expect(
      try workshop.library.find(nodesOf: rig).map(\.identifier)
        == .init(
          repeating: "outboard.gain", count: 2))
    #expect(!workshop.library.isPath("http://example.org/plugin.so"))
    #expect(!workshop.library.isPath("urn:x:a/b.c"))
    #expect(!workshop.library.isPath("outboard.gain"))
    #expect(workshop.library.isPath("half.c") && workshop.library.isPath("x.so"))
  }

  // MARK: - Directories

  @Test
  func `modules are searched in the path, the user's and the program's directory`() throws {
    let workshop = try RigTestEnvironment()
    for directory in [
      "one", "two", "data/modules", "usr/lib/outboard/modules", "src/manifests/modules",
    ] { try workshop.write("", as: "\(directory)/x.yaml") }
    func directories(_ path: String?, userData: String?, sourceTree: String?) -> [String] {
      ModuleDirectories.existing(
        path: path, userData: userData.map { "\(workshop.path)/\($0)" },
        prefix: "\(workshop.path)/usr", sourceTree: sourceTree.map { "\(workshop.path)/\($0)" }
      ).map { $0.replacing(workshop.path + "/", with: "") }
    }
    let path =
      "\(workshop.path)/two::\(workshop.path)/missing:\(workshop.path)/one:\(workshop.path)/two"
    #expect(
      directories(path, userData: "data", sourceTree: "src") == [
        "two", "one", "data/modules", "usr/lib/outboard/modules", "src/manifests/modules",
      ])
    #expect(directories(nil, userData: nil, sourceTree: nil) == ["usr/lib/outboard/modules"])
    #expect(directories("", userData: "nobody", sourceTree: nil) == ["usr/lib/outboard/modules"])
  }

  @Test func `a library and its manifest find each other, with or without lib in front`() throws {
    let workshop = try RigTestEnvironment()
    let directory = workshop.path + "/pairs"
    for name in ["a.yaml", "a.so", "b.yaml", "libb.so", "c.yaml", "d.so", "libe.yaml", "libe.so"] {
      try workshop.write("", as: "pairs/\(name)")
    }
    #expect(ModuleDirectories.library(forManifest: directory + "/a.yaml") == directory + "/a.so")
    #expect(ModuleDirectories.library(forManifest: directory + "/b.yaml") == directory + "/libb.so")
    #expect(ModuleDirectories.library(forManifest: directory + "/c.yaml") == nil)
    #expect(ModuleDirectories.manifest(forLibrary: directory + "/a.so") == directory + "/a.yaml")
    #expect(ModuleDirectories.manifest(forLibrary: directory + "/libb.so") == directory + "/b.yaml")
    #expect(ModuleDirectories.manifest(forLibrary: directory + "/d.so") == nil)
    #expect(
      ModuleDirectories.manifest(forLibrary: directory + "/libe.so") == directory + "/libe.yaml")
  }

  @Test func `a name is a rig file if one exists, and otherwise the name of an installed rig`()
    throws
  {
    let path = try RigTestEnvironment().write("", as: "mine.yaml")
    #expect(RigDirectories.path(of: path) == path)
    #expect(RigDirectories.path(of: "no-such-rig") == "no-such-rig")
    #expect(RigDirectories.path(of: "no/such/rig.yaml") == "no/such/rig.yaml")
  }
}

/// A module in C that halves its input.
let half = """
  #include <stdint.h>
  void process(void *state, const float *const *in, float *const *out, const float *p, uint32_t n) {
    (void)state; (void)p;
    for (int c = 0; c < 2; c++) for (uint32_t i = 0; i < n; i++) out[c][i] = 0.5f * in[c][i];
  }
  """
