// LV2Vocabulary.swift: LV2 terms of this host. SPDX-License-Identifier: MIT

internal import PluginModel

/// LV2 URIs by the short names of the specification.
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

  /// The supported required features.
  ///
  /// Each is passed to `instantiate`, or is a guarantee that this host gives every plugin.
  static let offeredFeatures: Set<String> = [
    urid + "map", urid + "unmap", legacyMap, event, options + "options",
    bufferSize + "boundedBlockLength", bufferSize + "fixedBlockLength",
    bufferSize + "powerOf2BlockLength", bufferSize + "coarseBlockLength",
    portProperties + "supportsStrictBounds", log + "log", worker + "schedule",
    resizePort + "resize", state + "loadDefaultState", state + "makePath", state + "mapPath",
    state + "freePath", state + "threadSafeRestore",
    // Hints about the plugin or host, which need no implementation.
    core + "isLive", core + "hardRTCapable", core + "inPlaceBroken",
  ]

  /// Descriptions of known unsupported features.
  static let featureDescriptions: [String: String] = [
    "http://lv2plug.in/ns/ext/instance-access": "a user interface in the host (instance-access)",
    "http://lv2plug.in/ns/ext/data-access": "a user interface in the host (data-access)",
  ]

  /// Returns the description of a feature for messages. [any]
  static func featureDescription(_ uri: String) -> String {
    featureDescriptions[uri] ?? "\(uri)"
  }

  /// Returns the category of a plugin class, by the last part of its URI in the core vocabulary.
  ///
  /// The list of classes is fixed, so that no specification must be loaded.
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

  /// Superclasses, used only if no more specific class is given.
  static let generalCategories: Set<String> = [
    "Dynamics", "Filter", "Generator", "Modulator", "Simulator", "Spectral", "Utility", "Delay",
    "Distortion", "Equaliser",
  ]

  /// Terms of the port-props vocabulary, by the last part of their URI.
  static let parameterTraits: [String: ParameterTraits] = [
    "trigger": .trigger, "expensive": .expensive, "causesArtifacts": .causesArtifacts,
    "notOnGUI": .notOnGUI, "notAutomatic": .notAutomatic, "hasStrictBounds": .strictBounds,
  ]

  /// Returns the unit in a format such as `%.2f mV`, for a unit without a symbol. [any]
  static func unitSymbol(inRender format: String) -> String {
    guard let start = format.firstIndex(of: "%"),
      let end = format[start...].firstIndex(where: { "dfgeu".contains($0) })
    else { return "" }
    let rest = format[format.index(after: end)...].split(whereSeparator: \.isWhitespace)
    return rest.joined(separator: " ").replacing("%%", with: "%")
  }

  /// Symbols of units, by the last part of their URI.
  package static let unitSymbols: [String: String] = [
    "bar": "bars", "beat": "beats", "bpm": "BPM", "cent": "ct", "cm": "cm", "coef": "",
    "db": "dB", "degree": "deg", "frame": "frames", "hz": "Hz", "inch": "in", "khz": "kHz",
    "km": "km", "m": "m", "mhz": "MHz", "midiNote": "note", "mile": "mi", "min": "min",
    "mm": "mm", "ms": "ms", "oct": "oct", "pc": "%", "s": "s", "semitone12TET": "semi",
  ]
}

extension String {
  /// Returns the text after a prefix; nil if the text does not start with it. [any]
  func tail(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
