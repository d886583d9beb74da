// PluginDescription.swift: what is known of a plugin without running it. SPDX-License-Identifier: MIT

/// The description of a plugin before it is instantiated.
package struct PluginDescription: Sendable, Equatable {
  /// Its format.
  package var kind: PluginKind
  /// What its format needs from the host.
  package var format: FormatTraits
  /// The permanent name: URI, module id or built-in word.
  package var identifier: String
  /// What a person calls it.
  package var name: String
  /// Who made it; empty where unknown.
  package var maker: String = ""
  /// The licence as its maker gives it (a URI or an SPDX tag); empty where unknown.
  package var licence: String = ""
  /// The category, for example `Reverb`; empty if unknown.
  package var category: String = ""
  /// One sentence on what it does; empty where unknown.
  package var summary: String = ""
  /// Audio inputs in port order.
  package var audioInputs: [AudioPort] = []
  /// Audio outputs in port order.
  package var audioOutputs: [AudioPort] = []
  /// Control-voltage inputs in port order; a node's channels have them after the audio inputs.
  package var cvInputs: [AudioPort] = []
  /// Control-voltage outputs in port order; a node's channels have them after the audio outputs.
  package var cvOutputs: [AudioPort] = []
  /// Control inputs in port order; the position here is the index that a node's `setParameter` takes.
  package var parameters: [Parameter] = []
  /// Control outputs (meters and the like) in port order.
  package var readouts: [Parameter] = []
  /// The properties; the position here is the index for a node's `setProperty`.
  package var properties: [Property] = []
  /// The presets of a module's manifest, in its order; those of LV2 plugins may be in any bundle.
  package var presets: [ParameterPreset] = []
  /// The transport data that the plugin uses: `position`, or single values that have their own
  /// port, such as `beatsPerMinute`.
  package var transportFacts: [String] = []
  /// Whether it takes MIDI.
  package var acceptsMIDI = false
  /// Whether it sends MIDI.
  package var producesMIDI = false
  /// Ports that carry neither a signal nor a control value, as one word each: `atom`, `event`.
  package var otherPorts: [String] = []
  /// URIs of features without which it cannot run (LV2).
  package var requiredFeatures: [String] = []
  /// URIs of features that it uses if supported (LV2).
  package var optionalFeatures: [String] = []
  /// Whether it reports a delay (the number of frames is known only of a running node).
  package var reportsLatency = false
  /// What a native module asks of its host; nil for other kinds.
  package var module: ModuleRequirements?
  /// The settings of a built-in node; nil for other kinds, and for built-in nodes without settings.
  package var builtin: BuiltinNode?
  /// The bundle directory (LV2) or the library (module); empty for built-ins.
  package var location = ""
  /// The shared library; empty where unknown.
  package var library = ""
  /// Why it cannot be hosted, as one sentence; nil if nothing is known against it.
  package var refusal: String?

  /// Describes a plugin by its format and its two names; everything else is filled in afterwards.
  package init(
    kind: PluginKind, identifier: String, name: String, format: FormatTraits = FormatTraits()
  ) {
    self.kind = kind
    self.format = format
    self.identifier = identifier
    self.name = name
  }

  /// How many channels a node takes: audio, then control voltage. [any]
  package var inputCount: Int { audioInputs.count + cvInputs.count }
  /// How many channels a node gives: audio, then control voltage. [any]
  package var outputCount: Int { audioOutputs.count + cvOutputs.count }
}

/// One channel of audio, or of control voltage, at the border of a plugin.
package struct AudioPort: Sendable, Equatable {
  /// The stable name for programs, for instance `left_in`.
  package var symbol: String
  /// The name for people.
  package var name: String
  /// The port group, for instance `main` or `sidechain`; empty where none is declared.
  package var group: String
  /// Whether it belongs to the group that is declared to be the main one of its direction.
  package var isMain: Bool
  /// What an input is given where nothing is connected to it.
  package var restValue: Float

  /// A port with its names.
  package init(
    symbol: String, name: String, group: String = "", isMain: Bool = false, restValue: Float = 0
  ) {
    self.symbol = symbol
    self.name = name
    self.group = group
    self.isMain = isMain
    self.restValue = restValue
  }
}
