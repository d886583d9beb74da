// PluginReport.swift: the description of a plugin as JSON. SPDX-License-Identifier: MIT

package import PluginModel

/// The JSON of a plugin in `list --json`, `info --json` and the command `plugin`.
package struct PluginReport: Encodable {
  struct Port: Encodable {
    let symbol: String
    let name: String
    let group: String?
    let main: Bool?
    /// The default of an unconnected CV input; nil for other ports.
    let `default`: Float?
  }

  struct Choice: Encodable {
    let value: Float
    let name: String
  }

  struct Control: Encodable {
    let symbol: String
    let name: String
    let unit: String?
    let minimum: Float
    let `default`: Float
    let maximum: Float
    let scale: String
    let choices: [Choice]?
    let traits: [String]?

    init(_ parameter: Parameter) {
      symbol = parameter.symbol
      name = parameter.name
      unit = parameter.unit.isEmpty ? nil : parameter.unit
      minimum = parameter.minimum
      `default` = parameter.defaultValue
      maximum = parameter.maximum
      scale = parameter.scale.rawValue
      choices =
        parameter.choices.isEmpty
        ? nil : parameter.choices.map { Choice(value: $0.value, name: $0.name) }
      traits = parameter.traits.isEmpty ? nil : parameter.traits.names
    }
  }

  let kind: String
  let id: String
  let name: String
  let vendor: String
  let license: String
  let category: String
  let description: String?
  let audioInputs: [Port]
  let audioOutputs: [Port]
  let cvInputs: [Port]
  let cvOutputs: [Port]
  let parameters: [Control]
  let properties: [PropertyDetails]
  let readouts: [Control]
  let acceptsMIDI: Bool
  let producesMIDI: Bool
  let transportFacts: [String]
  let otherPorts: [String]
  let requiredFeatures: [String]
  let optionalFeatures: [String]
  /// Nil if the presets were not read.
  let presets: [PresetReport]?
  let reportsLatency: Bool
  /// The only sample rates that a module supports, in Hz; nil if it supports all.
  let ratesHz: [Int]?
  /// The symbol of the parameter that bypasses the module without a click when it is 0.
  let enablingParameter: String?
  let location: String
  let library: String
  let usable: Bool
  /// The reason why the plugin is unusable.
  let reason: String?
  /// Why the plugin runs in a worker process unless a rig says otherwise; nil if it does not.
  let isolated: String?
  /// The rating of `outboard validate`; nil if the plugin was not tested since its files changed.
  let rating: String?

  /// The report of a plugin.
  ///
  /// - Parameters:
  ///   - plugin: the plugin.
  ///   - presets: its presets; nil if they were not read.
  ///   - rating: the rating of `outboard validate`; nil if there is none.
  ///   - isolation: why it runs in a worker process; nil if it does not.
  package init(
    _ plugin: PluginDescription, presets: [PluginPreset]? = nil, rating: String? = nil,
    isolation: IsolationReason? = nil
  ) {
    isolated = isolation?.word
    self.rating = rating
    func ports(_ ports: [AudioPort], hasDefaults: Bool = false) -> [Port] {
      ports.map {
        Port(
          symbol: $0.symbol, name: $0.name, group: $0.group.isEmpty ? nil : $0.group,
          main: $0.isMain ? true : nil, default: hasDefaults ? $0.restValue : nil)
      }
    }
    kind = plugin.kind.rawValue
    id = plugin.identifier
    name = plugin.name
    vendor = plugin.maker
    license = plugin.licence
    category = plugin.category
    description = plugin.summary.isEmpty ? nil : plugin.summary
    audioInputs = ports(plugin.audioInputs)
    audioOutputs = ports(plugin.audioOutputs)
    cvInputs = ports(plugin.cvInputs, hasDefaults: true)
    cvOutputs = ports(plugin.cvOutputs)
    parameters = plugin.parameters.map(Control.init)
    properties = plugin.properties.map(PropertyDetails.init)
    readouts = plugin.readouts.map(Control.init)
    acceptsMIDI = plugin.acceptsMIDI
    producesMIDI = plugin.producesMIDI
    transportFacts = plugin.transportFacts
    otherPorts = plugin.otherPorts
    requiredFeatures = plugin.requiredFeatures
    optionalFeatures = plugin.optionalFeatures
    self.presets = presets?.map(PresetReport.init)
    reportsLatency = plugin.reportsLatency
    ratesHz = plugin.module.flatMap { $0.ratesHz.isEmpty ? nil : $0.ratesHz }
    enablingParameter = plugin.enablingParameter.map { plugin.parameters[$0].symbol }
    location = plugin.location
    library = plugin.library
    usable = plugin.refusal == nil
    reason = plugin.refusal
  }
}
