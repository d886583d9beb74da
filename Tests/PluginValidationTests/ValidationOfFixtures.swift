// ValidationOfFixtures.swift: validation of fixture modules. SPDX-License-Identifier: MIT

import FixtureSupport
import LV2Fixtures
import ModuleHost
import PluginCatalogue
import PluginModel
import PluginValidation

/// Fixtures of `Tests/Fixtures/modules`, validated in the helper process that is built next to the tests.
enum Fixtures {
  /// A validator with a time limit as short as the fixtures permit.
  static let validator: PluginValidator = {
    var limits = ChildLimits.validation
    limits.preflightSeconds = 6
    return PluginValidator(
      command: ChildCommand(
        executable: BuiltProgram.path("catalogue-child"), arguments: [ValidationHelper.argument]),
      limits: limits)
  }()

  /// A mono module with one parameter from 0 to 1.
  static func module(_ name: String, hasParameter: Bool = false) throws -> PluginDescription {
    var plugin = PluginDescription(
      kind: .module, identifier: "test.\(name)", name: name, format: .module)
    plugin.audioInputs = [AudioPort(symbol: "in", name: "In")]
    plugin.audioOutputs = [AudioPort(symbol: "out", name: "Out")]
    plugin.library = try Fixture.compile(name)
    plugin.module = ModuleRequirements()
    if hasParameter { plugin.parameters = [Parameter(symbol: "amount", name: "Amount")] }
    return plugin
  }

  /// The result of one validation.
  static func runTest(
    _ name: String, _ test: ValidationTest, hasParameter: Bool = false
  ) throws -> TestResult {
    let plugin = try module(name, hasParameter: hasParameter)
    let report = validator.validate(plugin, [test])
    return report.results[0]
  }
}
