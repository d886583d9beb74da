// FixtureTests.swift: each faulty manifest meets its sentence. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import Rig
import Testing

@Suite struct FixtureTests {
  @Test(arguments: Fixtures.names(in: "Tests/Fixtures/rigs"))
  func `a faulty rig gives exactly the expected messages`(fault: String) throws {
    let folder = "Tests/Fixtures/rigs/\(fault)"
    #expect(sentences(ofRig: folder) == (try Fixtures.expectation(in: folder)))
  }

  @Test(arguments: Fixtures.names(in: "Tests/Fixtures/manifests"))
  func `a faulty module manifest gives exactly the expected messages`(
    fault: String
  ) throws {
    let folder = "Tests/Fixtures/manifests/\(fault)"
    #expect(sentences(ofModule: folder) == (try Fixtures.expectation(in: folder)))
  }

  @Test func `each message has a fixture`() {
    #expect(Fixtures.names(in: "Tests/Fixtures/rigs").count >= 75)
    #expect(Fixtures.names(in: "Tests/Fixtures/manifests").count >= 45)
  }

  @Test func `a module's fixture is an error, never a note`() {
    for fault in Fixtures.names(in: "Tests/Fixtures/manifests") {
      let path = Fixtures.path("Tests/Fixtures/manifests/\(fault)/module.yaml")
      #expect(throws: ManifestError.self) { try ModuleManifestReader.read(path: path) }
    }
  }

  /// The mistakes of a rig, or its notes where it has no mistakes; files named from the fixture.
  private func sentences(ofRig folder: String) -> String {
    do {
      let rig = try RigReader.read(path: Fixtures.path("\(folder)/rig.yaml"))
      return shortened(rig.notes.map(\.description).joined(separator: "\n"), folder)
    } catch {
      return shortened(error.description, folder)
    }
  }

  private func sentences(ofModule folder: String) -> String {
    do {
      let module = try ModuleManifestReader.read(path: Fixtures.path("\(folder)/module.yaml"))
      return "read without a mistake: \(module.name)"
    } catch {
      return shortened(error.description, folder)
    }
  }

  private func shortened(_ text: String, _ folder: String) -> String {
    text.replacingOccurrences(of: Fixtures.path(folder) + "/", with: "")
  }
}
