// PluginKind.swift: the format of a plugin. SPDX-License-Identifier: MIT

/// The format of a plugin, by the name that lists and JSON show, for example `lv2`.
///
/// Any format can add one. Programs compare kinds, and read `FormatTraits` for what a format needs from the host.
package struct PluginKind: RawRepresentable, Sendable, Hashable {
  package let rawValue: String

  /// A kind with a name.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Part of the host itself, named by a plain word.
  package static let builtin = PluginKind(rawValue: "builtin")
}

/// The properties of a plugin format that the host must know; each description has those of its format.
///
/// The defaults suit a plugin without state files that is tested and rendered like all others.
package struct FormatTraits: Sendable, Equatable {
  /// Yes-or-no answers.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    /// Flags from stored bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A saved state has the values of the properties and copies of their files.
    package static let stateHasProperties = Flags(rawValue: 1)
    /// A property takes effect only in a new instance, so nodes must be replaceable.
    package static let propertiesNeedNewNode = Flags(rawValue: 2)
    /// Plugins accept blocks of 0 frames.
    package static let acceptsEmptyBlocks = Flags(rawValue: 4)
    /// The last readouts of a rendered file describe the whole file.
    package static let readoutsDescribeFile = Flags(rawValue: 8)
    /// Offline, the tail is rendered in whole blocks.
    package static let rendersTailInBlocks = Flags(rawValue: 16)
  }

  /// The flags.
  package var flags: Flags
  /// A plugin of the format as a noun with its article, for example `an LV2 plugin`.
  package var noun: String
  /// The name of the file by which a state directory is recognized; empty if plugins have no state directory.
  package var stateFile: String
  /// The function in which a plugin clears its signal state, in code quotes.
  package var clearingFunction: String
  /// The end of a message about memory that is lost with each instance: the cause, and what to do.
  package var leakAdvice: String

  /// The traits of built-in nodes.
  package static let builtin = FormatTraits(noun: "built in")

  /// The traits of a format.
  package init(
    _ flags: Flags = [], noun: String = "a plugin", stateFile: String = "",
    clearingFunction: String = "`reset`",
    leakAdvice: String = "an instance is created and destroyed. Free what it allocates."
  ) {
    self.flags = flags
    self.noun = noun
    self.stateFile = stateFile
    self.clearingFunction = clearingFunction
    self.leakAdvice = leakAdvice
  }
}
