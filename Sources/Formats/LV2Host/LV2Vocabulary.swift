// LV2Vocabulary.swift: the LV2 terms that this host knows. SPDX-License-Identifier: MIT

internal import PluginModel

/// URIs, by the short names of the specification.
///
/// The C headers spell them as concatenated macros, which Swift does not import.
package enum LV2 {
  static let core = "http://lv2plug.in/ns/lv2core#"
  static let atom = "http://lv2plug.in/ns/ext/atom#"
  static let bufferSize = "http://lv2plug.in/ns/ext/buf-size#"
  static let log = "http://lv2plug.in/ns/ext/log#"
  static let options = "http://lv2plug.in/ns/ext/options#"
  static let parameters = "http://lv2plug.in/ns/ext/parameters#"
  static let portGroups = "http://lv2plug.in/ns/ext/port-groups#"
  static let portProperties = "http://lv2plug.in/ns/ext/port-props#"
  static let presets = "http://lv2plug.in/ns/ext/presets#"
  static let state = "http://lv2plug.in/ns/ext/state#"
  static let units = "http://lv2plug.in/ns/extensions/units#"
  static let urid = "http://lv2plug.in/ns/ext/urid#"
  static let worker = "http://lv2plug.in/ns/ext/worker#"
  static let cvPort = core + "CVPort"
  static let event = "http://lv2plug.in/ns/ext/event"
  static let eventPort = event + "#EventPort"
  static let legacyMap = "http://lv2plug.in/ns/ext/uri-map"
  static let midiEvent = "http://lv2plug.in/ns/ext/midi#MidiEvent"
  static let minimumSize = "http://lv2plug.in/ns/ext/resize-port#minimumSize"

  /// The one list of features that a plugin may require.
  ///
  /// What is in it is either handed to `instantiate`, or is a promise that this host keeps for every
  /// plugin.
  static let offeredFeatures: Set<String> = [
    urid + "map", urid + "unmap", legacyMap, event, options + "options",
    bufferSize + "boundedBlockLength", bufferSize + "fixedBlockLength",
    bufferSize + "powerOf2BlockLength", bufferSize + "coarseBlockLength",
    portProperties + "supportsStrictBounds", log + "log", worker + "schedule",
    resizePort + "resize", state + "loadDefaultState", state + "makePath", state + "mapPath",
    state + "freePath", state + "threadSafeRestore",
    // Hints about the plugin or its surroundings: all that a host has to do is to accept them.
    core + "isLive", core + "hardRTCapable", core + "inPlaceBroken",
  ]

  /// Words for features that plugins ask for and this host does not offer.
  static let featureWords: [String: String] = [
    "http://lv2plug.in/ns/ext/instance-access": "a user interface in the host (instance-access)",
    "http://lv2plug.in/ns/ext/data-access": "a user interface in the host (data-access)",
  ]

  /// What a person calls a feature. [any]
  static func featureWord(_ uri: String) -> String {
    featureWords[uri] ?? "\(uri)"
  }

  /// The category for a class of plugins, by the last part of its URI in the core vocabulary.
  ///
  /// The classes are a closed list, so that no specification has to be read for them.
  package static let categories: [String: String] = [
    "AllpassPlugin": "Allpass", "AmplifierPlugin": "Amplifier", "AnalyserPlugin": "Analyser",
    "BandpassPlugin": "Bandpass", "ChorusPlugin": "Chorus", "CombPlugin": "Comb",
    "CompressorPlugin": "Compressor", "ConstantPlugin": "Constant",
    "ConverterPlugin": "Converter", "DelayPlugin": "Delay", "DistortionPlugin": "Distortion",
    "DynamicsPlugin": "Dynamics", "EQPlugin": "Equaliser", "EnvelopePlugin": "Envelope",
    "ExpanderPlugin": "Expander", "FilterPlugin": "Filter", "FlangerPlugin": "Flanger",
    "FunctionPlugin": "Function", "GatePlugin": "Gate", "GeneratorPlugin": "Generator",
    "HighpassPlugin": "Highpass", "InstrumentPlugin": "Instrument",
    "LimiterPlugin": "Limiter", "LowpassPlugin": "Lowpass", "MIDIPlugin": "MIDI",
    "MixerPlugin": "Mixer", "ModulatorPlugin": "Modulator",
    "MultiEQPlugin": "Multiband Equaliser", "OscillatorPlugin": "Oscillator",
    "ParaEQPlugin": "Parametric Equaliser", "PhaserPlugin": "Phaser",
    "PitchPlugin": "Pitch", "ReverbPlugin": "Reverb", "SimulatorPlugin": "Simulator",
    "SpatialPlugin": "Spatial", "SpectralPlugin": "Spectral", "UtilityPlugin": "Utility",
    "WaveshaperPlugin": "Waveshaper",
  ]

  /// Classes that others are more exact than; used only where nothing else is given.
  static let generalCategories: Set<String> = [
    "Dynamics", "Filter", "Generator", "Modulator", "Simulator", "Spectral", "Utility", "Delay",
    "Distortion", "Equaliser",
  ]

  /// What the port-props vocabulary says of a parameter, by the last part of its URI.
  static let parameterTraits: [String: ParameterTraits] = [
    "trigger": .trigger, "expensive": .expensive, "causesArtifacts": .causesArtifacts,
    "notOnGUI": .notOnGUI, "notAutomatic": .notAutomatic, "hasStrictBounds": .strictBounds,
  ]

  /// What a format such as `%.2f mV` writes behind the number, where a unit has no symbol. [any]
  static func unitSymbol(inRender format: String) -> String {
    guard let start = format.firstIndex(of: "%"),
      let end = format[start...].firstIndex(where: { "dfgeu".contains($0) })
    else { return "" }
    let rest = format[format.index(after: end)...].split(whereSeparator: \.isWhitespace)
    return rest.joined(separator: " ").replacing("%%", with: "%")
  }

  /// Symbols of the units in the units vocabulary, by the last part of their URI.
  package static let unitSymbols: [String: String] = [
    "bar": "bars", "beat": "beats", "bpm": "BPM", "cent": "ct", "cm": "cm", "coef": "",
    "db": "dB", "degree": "deg", "frame": "frames", "hz": "Hz", "inch": "in", "khz": "kHz",
    "km": "km", "m": "m", "mhz": "MHz", "midiNote": "note", "mile": "mi", "min": "min",
    "mm": "mm", "ms": "ms", "oct": "oct", "pc": "%", "s": "s", "semitone12TET": "semi",
  ]
}

extension String {
  /// What follows a prefix, or nil if it does not start with it. [any]
  func tail(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
