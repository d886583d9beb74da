// LV2Predicates.swift: predicates as lilv nodes, created once per world. SPDX-License-Identifier: MIT

internal import CLilv

/// The predicates for describing plugins.
struct LV2Predicates {
  let type: OpaquePointer
  let label: OpaquePointer
  let comment: OpaquePointer
  let shortDescription: OpaquePointer
  let licence: OpaquePointer
  let minorVersion: OpaquePointer
  let microVersion: OpaquePointer
  let symbol: OpaquePointer
  let port: OpaquePointer
  let index: OpaquePointer
  let name: OpaquePointer
  let project: OpaquePointer
  let designation: OpaquePointer
  let portProperty: OpaquePointer
  let group: OpaquePointer
  let sideChainOf: OpaquePointer
  let unit: OpaquePointer
  let unitSymbol: OpaquePointer
  let unitRender: OpaquePointer
  let mainInput: OpaquePointer
  let mainOutput: OpaquePointer
  let requiredOption: OpaquePointer
  let minimumBlockLength: OpaquePointer
  let maximumBlockLength: OpaquePointer
  let minimumSize: OpaquePointer
  let midiEvent: OpaquePointer
  let preset: OpaquePointer
  let bank: OpaquePointer
  let bankClass: OpaquePointer
  let appliesTo: OpaquePointer

  /// Creates all nodes; traps if memory is exhausted. [main]
  init(_ world: OpaquePointer) {
    func node(_ uri: String) -> OpaquePointer {
      guard let node = lilv_new_uri(world, uri) else { fatalError("lilv made no node for \(uri)") }
      return node
    }
    type = node("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    label = node("http://www.w3.org/2000/01/rdf-schema#label")
    comment = node("http://www.w3.org/2000/01/rdf-schema#comment")
    shortDescription = node("http://usefulinc.com/ns/doap#shortdesc")
    licence = node("http://usefulinc.com/ns/doap#license")
    minorVersion = node(LV2.core + "minorVersion")
    microVersion = node(LV2.core + "microVersion")
    symbol = node(LV2.core + "symbol")
    port = node(LV2.core + "port")
    index = node(LV2.core + "index")
    name = node(LV2.core + "name")
    project = node(LV2.core + "project")
    designation = node(LV2.core + "designation")
    portProperty = node(LV2.core + "portProperty")
    group = node(LV2.portGroups + "group")
    sideChainOf = node(LV2.portGroups + "sideChainOf")
    unit = node(LV2.units + "unit")
    unitSymbol = node(LV2.units + "symbol")
    unitRender = node(LV2.units + "render")
    mainInput = node(LV2.portGroups + "mainInput")
    mainOutput = node(LV2.portGroups + "mainOutput")
    requiredOption = node(LV2.options + "requiredOption")
    minimumBlockLength = node(LV2.bufferSize + "minBlockLength")
    maximumBlockLength = node(LV2.bufferSize + "maxBlockLength")
    minimumSize = node(LV2.minimumSize)
    midiEvent = node(LV2.midiEvent)
    preset = node(LV2.presets + "Preset")
    bank = node(LV2.presets + "bank")
    bankClass = node(LV2.presets + "Bank")
    appliesTo = node(LV2.core + "appliesTo")
  }

  /// Frees all nodes. [main]
  func free() {
    for node in [
      type, label, comment, shortDescription, licence, minorVersion, microVersion, symbol, name,
      project, designation, portProperty, group, sideChainOf, unit, unitSymbol, minimumSize,
      midiEvent, preset, unitRender, mainInput, mainOutput, requiredOption, minimumBlockLength,
      maximumBlockLength, bank, bankClass,
      appliesTo,
    ] { lilv_node_free(node) }
  }
}
