// ParameterTraits.swift: a vendor's hints on using a parameter. SPDX-License-Identifier: MIT

/// Hints about the use of a parameter.
package struct ParameterTraits: OptionSet, Sendable {
  /// One bit for each trait.
  package let rawValue: UInt8

  /// Traits out of their bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The plugin works above 0 and is bypassed at 0, without a click.
  package static let enables = ParameterTraits(rawValue: 1)
  /// The value lasts one run and then resets itself.
  package static let trigger = ParameterTraits(rawValue: 2)
  /// A change needs a calculation in the background, and is audible only after it.
  package static let expensive = ParameterTraits(rawValue: 4)
  /// A change may cause a click or zipper noise.
  package static let causesArtifacts = ParameterTraits(rawValue: 8)
  /// The parameter should not have a knob.
  package static let notOnGUI = ParameterTraits(rawValue: 16)
  /// The parameter should not be automated.
  package static let notAutomatic = ParameterTraits(rawValue: 32)
  /// The plugin relies on its host to keep to the range.
  package static let strictBounds = ParameterTraits(rawValue: 64)
  /// The plugin declares its range as a share of the sample rate.
  package static let scalesWithRate = ParameterTraits(rawValue: 128)

  /// All of them, each with the word for it.
  package static let traitNames: [(trait: ParameterTraits, word: String)] = [
    (.enables, "enables"), (.trigger, "trigger"), (.expensive, "expensive"),
    (.causesArtifacts, "causes artifacts"), (.notOnGUI, "not on GUI"),
    (.notAutomatic, "not automatic"), (.strictBounds, "strict bounds"),
    (.scalesWithRate, "scales with sample rate"),
  ]

  /// The names of the traits in the set, in the order of `traitNames`. [any]
  package var names: [String] { Self.traitNames.filter { contains($0.trait) }.map(\.word) }
}

extension PluginDescription {
  /// The parameter that bypasses the plugin without a click: 1 while it works, 0 for bypass; nil if
  /// there is none. [any]
  package var enablingParameter: Int? {
    parameters.firstIndex { $0.traits.contains(.enables) }
  }
}
