// Modules.swift: instances of test modules. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel

@testable import ModuleHost

/// A manifest with the given number of channels and simple names.
func manifest(
  inputs: Int = 1, outputs: Int = 1, parameters: [Parameter] = [], midi: Bool = false,
  block: ModuleRequirements.Block = .any, smoothingSeconds: [Double] = [], inPlace: Bool = false
) -> PluginDescription {
  var plugin = PluginDescription(kind: .module, identifier: "test.module", name: "Test")
  plugin.audioInputs = (0 ..< inputs).map { AudioPort(symbol: "in_\($0)", name: "In \($0)") }
  plugin.audioOutputs = (0 ..< outputs).map { AudioPort(symbol: "out_\($0)", name: "Out \($0)") }
  plugin.parameters = parameters
  plugin.acceptsMIDI = midi
  var requirements = ModuleRequirements()
  requirements.block = block
  requirements.smoothingSeconds = smoothingSeconds
  requirements.canRunInPlace = inPlace
  plugin.module = requirements
  return plugin
}

/// An instance of a fixture, activated.
func instance(
  of fixture: String, _ plugin: PluginDescription = manifest(), sampleRateHz: Double = 48_000,
  maximum: Int = 1_024
) throws -> ModuleNode {
  let node = try ModuleNode(
    ModuleLibrary(path: Fixture.compile(fixture)), plugin,
    NodeConfiguration(sampleRateHz: sampleRateHz, maximumFrameCount: maximum))
  try node.activate()
  return node
}

/// Reads a variable of a library that is loaded.
func variable<Value: BitwiseCopyable>(
  _ name: String, in path: String, as type: Value.Type
) throws -> Value {
  guard let library = dlopen(path, RTLD_NOW | RTLD_NOLOAD), let address = dlsym(library, name)
  else { throw Fixture.Failure("\(path) has no variable \(name)") }
  defer { dlclose(library) }
  return address.load(as: Value.self)
}

func ramp(_ count: Int) -> [Float] { (0 ..< count).map { Float($0 + 1) } }
