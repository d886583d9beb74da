// PortGroup.swift: groups of channels. SPDX-License-Identifier: MIT

import PluginModel

/// The channels of one direction in one group of a manifest.
struct PortGroup {
  let resource: String
  let isInput: Bool
  let isMain: Bool
  /// Whether the group is a side chain of the main group.
  let isSideChain: Bool
  /// The indices among the ports of its direction.
  let members: [Int]
  private let symbol: String
  private let name: String
  private let layout: Layout?
  /// The main group of inputs; nil if there is none.
  private let mainInput: String?

  /// The class of the group, if the vocabulary has one.
  private struct Layout {
    let className: String
    let designations: [String]
  }

  /// Returns the groups of a module, inputs first, in order of occurrence. [any]
  static func groups(of bundle: LV2Bundle) -> [PortGroup] {
    groups(bundle, bundle.module.audioInputs, isInput: true)
      + groups(bundle, bundle.module.audioOutputs, isInput: false)
  }

  private static func groups(
    _ bundle: LV2Bundle, _ ports: [AudioPort], isInput: Bool
  ) -> [PortGroup] {
    var names: [String] = []
    for port in ports where !port.group.isEmpty && !names.contains(port.group) {
      names.append(port.group)
    }
    var symbols: Set<String> = []
    return names.map { name in
      let members = ports.indices.filter { ports[$0].group == name }
      let symbol = Self.unique(symbol(name, isInput: isInput), among: &symbols)
      return PortGroup(
        resource: Turtle.resource(bundle.part(symbol)), isInput: isInput,
        isMain: name == "main", isSideChain: isInput && name.lowercased() == "sidechain",
        members: members, symbol: symbol, name: "\(capital(name)) \(isInput ? "in" : "out")",
        layout: layout(members.map { ports[$0].name.lowercased() }),
        mainInput: names.contains("main")
          ? Turtle.resource(bundle.part("main_in")) : nil)
    }
  }

  private static func capital(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  private static func symbol(_ name: String, isInput: Bool) -> String {
    let word = String(
      name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    let isLegal = word.first.map { !$0.isNumber } ?? false
    return "\(isLegal ? word : "_" + word)_\(isInput ? "in" : "out")"
  }

  /// Returns a unique symbol and registers it.
  static func unique(_ symbol: String, among taken: inout Set<String>) -> String {
    var candidate = symbol
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(symbol)_\(number)"
      number += 1
    }
    return candidate
  }

  private static func layout(_ names: [String]) -> Layout? {
    switch names {
    case _ where names.count == 1:
      Layout(className: "pg:MonoGroup", designations: ["pg:center"])
    case ["mid", "side"]:
      Layout(className: "pg:MidSideGroup", designations: ["pg:center", "pg:side"])
    case ["right", "left"]:
      Layout(className: "pg:StereoGroup", designations: ["pg:right", "pg:left"])
    case _ where names.count == 2:
      Layout(className: "pg:StereoGroup", designations: ["pg:left", "pg:right"])
    default: nil
    }
  }

  /// Returns the statements about the group.
  var statement: String {
    Turtle.statement(
      resource,
      [
        (
          "a",
          [isInput ? "pg:InputGroup" : "pg:OutputGroup"] + (layout.map { [$0.className] } ?? [])
        ),
        ("lv2:name", [Turtle.string(name)]), ("lv2:symbol", [Turtle.string(symbol)]),
        ("pg:sideChainOf", isSideChain ? mainInput.map { [$0] } ?? [] : []),
      ])
  }

  /// Returns the designation of a member; nil if the vocabulary has none.
  func designation(ofMember port: Int) -> String? {
    guard let layout, let index = members.firstIndex(of: port) else { return nil }
    return layout.designations[index]
  }
}
