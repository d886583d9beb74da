// FixtureTests.swift: the exact messages for each faulty manifest. SPDX-License-Identifier: MIT

import Foundation
import Manifests
import NativeModules
import PluginModel
import RigSchema
import Testing

@Suite struct FixtureTests {
  @Test(arguments: Fixtures.names(in: "Tests/Fixtures/rigs"))
  func `a faulty rig results in exactly the expected messages`(fault: String) throws {
    let directory = "Tests/Fixtures/rigs/\(fault)"
    #expect(messages(ofRig: directory) == (try Fixtures.expectation(in: directory)))
  }

  @Test(arguments: Fixtures.names(in: "Tests/Fixtures/manifests"))
  func `a faulty module manifest results in exactly the expected messages`(
    fault: String
  ) throws {
    let directory = "Tests/Fixtures/manifests/\(fault)"
    #expect(messages(ofModule: directory) == (try Fixtures.expectation(in: directory)))
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

  /// The errors of a rig, or its notes if it has no errors.
  ///
  /// Paths are relative to the fixture.
  private func messages(ofRig directory: String) -> String {
    do {
      let rig = try RigReader.read(path: Fixtures.path("\(directory)/rig.yaml"))
      return shortened(rig.notes.map(\.description).joined(separator: "\n"), directory)
    } catch {
      return shortened(error.description, directory)
    }
  }

  private func messages(ofModule directory: String) -> String {
    do {
      let module = try ModuleManifestReader.read(path: Fixtures.path("\(directory)/module.yaml"))
      return "read without a mistake: \(module.name)"
    } catch {
      return shortened(error.description, directory)
    }
  }

  private func shortened(_ text: String, _ directory: String) -> String {
    text.replacingOccurrences(of: Fixtures.path(directory) + "/", with: "")
  }
}
