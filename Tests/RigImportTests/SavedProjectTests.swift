// SavedProjectTests.swift: the rigs of files that other hosts saved. SPDX-License-Identifier: MIT

import Foundation
import RigImport
import RigSchema
import RigTestSupport
import Testing

/// The files below `Fixtures/imports`, each with the whole rig and report in `Fixtures/imports/expected`.
@Suite struct `Files of other hosts become these rigs` {
  private static let expected = "expected"

  /// The files whose plugins are installed here.
  private static func files() -> [String] {
    let directory = Projects.path("")
    let all = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return all.sorted().filter { name in
      guard name != expected, let rig = try? rig(of: name) else { return name != expected }
      return bundles(of: rig).allSatisfy(RigTestEnvironment.hasBundle)
    }
  }

  private static func rig(of name: String) throws -> String {
    try Projects.text("\(expected)/\(name).yaml")
  }

  /// The bundles of the plugins of a rig.
  private static func bundles(of rig: String) -> [String] {
    [
      ("plugins/mda/", "mda.lv2"), ("plugins/eg-amp", "eg-amp.lv2"),
      ("plugins/eg-fifths", "eg-fifths.lv2"), ("plugins/eg-sampler\"", "eg-sampler.lv2"),
      ("calf.sourceforge.net", "calf.lv2"), ("lsp-plug.in", "lsp-plugins.lv2"),
      ("swh-plugins/sc4", "sc4-swh.lv2"),
      ("fastLookaheadLimiter", "fast_lookahead_limiter-swh.lv2"),
      ("triplePara", "triple_para-swh.lv2"),
    ].filter { rig.contains($0.0) }.map(\.1)
  }

  @Test(arguments: files())
  func `rig and report are whole`(name: String) throws {
    let expected = try Self.rig(of: name)
    let environment = try RigTestEnvironment(modules: [], bundles: Self.bundles(of: expected))
    let path = Projects.path(name)
    let imported = try ProjectResolver.rig(
      of: ProjectFormats.read(path: path), path: path, output: Projects.path("rig.yaml"),
      environment.library)
    #expect(imported.text.replacing(path.dropLast(name.count), with: "") == expected)
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("eg-sampler.lv2")))
  func `files that Carla keeps beside a project are found`() throws {
    let environment = try RigTestEnvironment(modules: [], bundles: ["eg-sampler.lv2"])
    _ = try environment.write("", as: "Carla/Sampler/click.wav")
    let directory = environment.path
    let source = ProjectSource(
      path: "\(directory)/sampler.carxs", text: try Projects.text("carla-sampler.carxs"))
    let imported = try ProjectResolver.rig(
      of: ProjectFormats.read(source), path: source.path, output: "\(directory)/rig.yaml",
      environment.library)
    #expect(imported.rig.nodes[0].properties.map(\.text) == ["Carla/Sampler/click.wav", "0"])
    #expect(imported.notes.isEmpty, "\(imported.notes)")
  }
}
