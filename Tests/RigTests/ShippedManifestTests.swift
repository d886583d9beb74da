// ShippedManifestTests.swift: the shipped manifests have no errors. SPDX-License-Identifier: MIT

import Foundation
import Manifests
import NativeModules
import PluginModel
import RigSchema
import Testing

@Suite struct ShippedManifestTests {
  @Test(arguments: Fixtures.names(in: "manifests/rigs"))
  func `a shipped rig has neither errors nor notes`(name: String) throws {
    let rig = try RigReader.read(path: Fixtures.path("manifests/rigs/\(name)"))
    #expect(rig.notes.isEmpty)
    #expect(!rig.summary.isEmpty)
    #expect(!rig.connections.isEmpty)
  }

  @Test(arguments: Fixtures.names(in: "manifests/modules"))
  func `a shipped module's manifest has no errors`(name: String) throws {
    let module = try ModuleManifestReader.read(path: Fixtures.path("manifests/modules/\(name)"))
    #expect(module.identifier == "outboard." + name.replacingOccurrences(of: ".yaml", with: ""))
  }

  @Test(arguments: Fixtures.names(in: "manifests/rigs"))
  func `a shipped rig sets only parameters that its modules have, to valid values`(
    name: String
  ) throws {
    let rig = try RigReader.read(path: Fixtures.path("manifests/rigs/\(name)"))
    for node in rig.nodes {
      guard case .plugin(let id) = node.source, id.hasPrefix("outboard.") else { continue }
      let file = Fixtures.path("manifests/modules/\(id.dropFirst("outboard.".count)).yaml")
      // Modules are built separately from the rigs. Their own tests fail if one is missing.
      guard FileManager.default.fileExists(atPath: file) else { continue }
      let module = try ModuleManifestReader.read(path: file)
      for value in node.parameters {
        let parameter = try #require(
          module.parameters.first { $0.symbol == value.symbol }, "\(node.name).\(value.symbol)")
        #expect(try ParameterValue.parse(value.text, for: parameter).get().note == nil)
      }
    }
  }

  @Test(arguments: ["docs/reference/rigs.md", "docs/reference/modules.md"])
  func `the example in the documentation is read without an error`(page: String) throws {
    let text = try String(contentsOfFile: Fixtures.path(page), encoding: .utf8)
    let start = try #require(text.range(of: "```yaml\n"))
    let end = try #require(text.range(of: "\n```\n", range: start.upperBound ..< text.endIndex))
    let example = String(text[start.upperBound ..< end.lowerBound])
    if page.hasSuffix("rigs.md") {
      let rig = try RigReader.read(text: example, file: page)
      #expect(rig.notes.isEmpty)
      #expect(rig.connections.count == 6)
    } else {
      let module = try ModuleManifestReader.read(text: example, file: page)
      #expect(module.parameters.count == 4)
      #expect(module.audioInputs.map(\.symbol) == ["left_in", "right_in", "voice_in"])
    }
  }
}
