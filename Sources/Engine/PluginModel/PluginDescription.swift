// PluginDescription.swift: the description of a plugin that is not loaded. SPDX-License-Identifier:
// MIT

/// The description of a plugin before it is instantiated.
package struct PluginDescription: Sendable, Equatable {
  /// The format of the plugin.
  package var kind: PluginKind
  /// The properties of its format that the host must know.
  package var format: FormatTraits
  /// The permanent name: URI, module id or built-in word.
  package var identifier: String
  /// The readable name.
  package var name: String
  /// The vendor; empty if unknown.
  package var maker: String = ""
  /// The license as the vendor declares it (a URI or an SPDX tag); empty if unknown.
  package var licence: String = ""
  /// The category, for example `Reverb`; empty if unknown.
  package var category: String = ""
  /// The purpose in one sentence; empty if unknown.
  package var summary: String = ""
  /// The audio inputs in port order.
  package var audioInputs: [AudioPort] = []
  /// The audio outputs in port order.
  package var audioOutputs: [AudioPort] = []
  /// The control-voltage inputs in port order; the channels of a node have them after the audio
  /// inputs.
  package var cvInputs: [AudioPort] = []
  /// The control-voltage outputs in port order; the channels of a node have them after the audio
  /// outputs.
  package var cvOutputs: [AudioPort] = []
  /// The control inputs in port order; the position here is the index for a node's `setParameter`.
  package var parameters: [Parameter] = []
  /// The control outputs (such as meters) in port order.
  package var readouts: [Parameter] = []
  /// The properties; the position here is the index for a node's `setProperty`.
  package var properties: [Property] = []
  /// The presets of a module's manifest, in its order; those of LV2 plugins may be in any bundle.
  package var presets: [ParameterPreset] = []
  /// The transport data that the plugin uses: `position`, or single values that have their own
  /// port, such as `beatsPerMinute`.
  package var transportFacts: [String] = []
  /// Whether the plugin receives MIDI.
  package var acceptsMIDI = false
  /// Whether the plugin sends MIDI.
  package var producesMIDI = false
  /// The symbols of its first ports for MIDI in other hosts; empty if it has none.
  package var midiSymbols = MIDISymbols()
  /// Ports that carry neither a signal nor a control value, as one word each: `atom`, `event`.
  package var otherPorts: [String] = []
  /// URIs of features without which it cannot run (LV2).
  package var requiredFeatures: [String] = []
  /// URIs of features that it uses if supported (LV2).
  package var optionalFeatures: [String] = []
  /// Whether the plugin reports a latency (the number of frames is known only of a running node).
  package var reportsLatency = false
  /// The requirements of a native module; nil for other kinds.
  package var module: ModuleRequirements?
  /// The settings of a built-in node; nil for other kinds, and for built-in nodes without settings.
  package var builtin: BuiltinNode?
  /// The bundle directory (LV2) or the library (module); empty for built-ins.
  package var location = ""
  /// The shared library; empty if unknown.
  package var library = ""
  /// The message why it cannot be hosted; nil if no reason is known.
  package var refusal: String?

  /// Creates a description with the format and the identifying values; everything else is set afterwards.
  package init(
    kind: PluginKind, identifier: String, name: String, format: FormatTraits = FormatTraits()
  ) {
    self.kind = kind
    self.format = format
    self.identifier = identifier
    self.name = name
  }

  /// The number of input channels of a node: audio, then control voltage. [any]
  package var inputCount: Int { audioInputs.count + cvInputs.count }
  /// The number of output channels of a node: audio, then control voltage. [any]
  package var outputCount: Int { audioOutputs.count + cvOutputs.count }
}

/// One audio or control-voltage channel of a plugin.
package struct AudioPort: Sendable, Equatable {
  /// The stable name for programs, for instance `left_in`.
  package var symbol: String
  /// The readable name.
  package var name: String
  /// The port group, for example `main` or `sidechain`; empty if none is declared.
  package var group: String
  /// Whether the port belongs to the group that is declared to be the main one of its direction.
  package var isMain: Bool
  /// The value of an unconnected input.
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

/// The ports for MIDI of a plugin, by symbol.
package struct MIDISymbols: Sendable, Equatable {
  /// The input; empty if there is none.
  package var input = ""
  /// The output; empty if there is none.
  package var output = ""

  /// No ports.
  package init() {}
}
