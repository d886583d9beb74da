// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// MARK: - Settings

// Every Swift target: the strictest language rules, and warnings are errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

// Modules and their kit need only libc, no Swift runtime. They are optimised in debug builds too, because a reverb
// must not be slower than real time.
let embedded: [SwiftSetting] =
  strict + [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-O"])]

// Support of tests, and the tests below, which render and compare millions of frames. They are optimised in debug
// builds too, otherwise they take three times as long. The targets under test keep their assertions. Other tests
// compute little, and would take 50 % longer to compile if they were optimised.
let tested: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let renderingTests: Set = [
  "ALSADriverTests", "AdaptiveResamplingTests", "BuiltinsTests", "IsolationTests", "MeteringTests",
  "ModuleTests", "SessionTests",
]

// Targets of loops over samples or messages, whose checks stay in debug builds.
let sampleLoops: [SwiftSetting] =
  strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// Interfaces, commands and these targets wait for people, networks and compilers. They are optimised for size, which
// saves 500 kB.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
let smallTargets: Set = [
  "ALSASequencer", "AudioDriver", "BuiltinNodes", "DeviceSettings", "DummyDriver", "ErrorModel",
  "FileRecording", "HostCore", "HostModel", "Installation", "InstalledFormats", "LV2Export",
  "Manifests",
  "MIDIClock", "MIDIFiles", "ModuleBuild", "NativeModules", "OfflineDriver", "PipeIO",
  "PluginCatalogue", "PluginLoading",
  "PluginReports", "PluginValidation", "Processes", "RigExport", "RigImport", "RigPlanning",
  "RigSchema", "Session", "SourceModules",
]

// MARK: - Layers

/// A directory of Sources, the highest first: a target imports from its own layer and from those below it
/// (scripts/check-layers).
enum Layer: String {
  case interfaces = "Interfaces"
  case host = "Host"
  case formats = "Formats"
  case drivers = "Drivers"
  case engine = "Engine"
  case files = "Files"
  case realtime = "Realtime"
  case sdk = "SDK"
  case c = "C"

  /// Where a target of this layer lies.
  func path(of target: String) -> String { "Sources/\(rawValue)/\(target)" }
}

// MARK: - Native modules, one directory each in Plugins/

let swiftModules = [
  "Amplifier", "Chorus", "Compressor", "Convolver", "DeEsser", "Delay", "Echo", "Equaliser",
  "Flanger", "Gain", "GraphicEqualiser", "Limiter", "Looper", "LoudnessMeter", "Mixer",
  "Multiband", "Oscillator", "Overdrive", "Phaser", "PitchShifter", "Plate", "Reverb",
  "RingModulator", "Sampler", "SpectrumAnalyser", "Synthesiser", "Tremolo", "Tuner", "Vocoder",
  "Voice",
]
let cModules = ["Gate", "Organ"]

/// The products whose ids are not the lower-case name of their target.
let productNames = [
  "DeEsser": "de-esser", "Equaliser": "parametric-eq", "GraphicEqualiser": "graphic-eq",
  "LoudnessMeter": "loudness-meter", "Multiband": "multiband-compressor",
  "PitchShifter": "pitch-shifter", "Plate": "plate-reverb", "RingModulator": "ring-modulator",
  "SpectrumAnalyser": "spectrum-analyser", "Voice": "voice-processor",
]

func productName(_ module: String) -> String { productNames[module] ?? module.lowercased() }

let moduleTargets: [Target] =
  swiftModules.map {
    .target(
      name: $0, dependencies: ["ModuleABI", "ModuleKit"], path: "Plugins/\($0)",
      exclude: ["README.md"], swiftSettings: embedded, linkerSettings: [.linkedLibrary("m")])
  }
  + cModules.map {
    .target(
      name: $0, path: "Plugins/\($0)", exclude: ["README.md"], publicHeadersPath: ".",
      cSettings: [.unsafeFlags(["-std=c17", "-O2", "-Wall", "-Wextra", "-Werror"])],
      linkerSettings: [
        // Otherwise the Swift library is linked to C that never calls it.
        .unsafeFlags(["-enable-experimental-feature", "Embedded"]), .linkedLibrary("m"),
      ])
  }

let moduleProducts: [Product] = (swiftModules + cModules).map {
  .library(name: productName($0), type: .dynamic, targets: [$0])
}

// MARK: - The library of every exported LV2 bundle: C alone, so that no host loads a Swift runtime

let lv2Shim = Target.target(
  name: "LV2Shim", dependencies: ["CModule"], path: Layer.sdk.path(of: "LV2Shim"),
  cSettings: [
    .headerSearchPath("../../C/CRealtime/include"),
    // As in Swift no product is fused with a sum: outputs are the same to the bit.
    .unsafeFlags([
      "-std=c17", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fvisibility=hidden",
    ]),
  ],
  linkerSettings: [
    .unsafeFlags(["-enable-experimental-feature", "Embedded"]), .linkedLibrary("m"),
  ])

// MARK: - Targets

/// Who reads the command line.
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// A part of SwiftNIO.
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

/// Whether each unsafe expression of a target must be marked with `unsafe`.
///
/// Not where almost every line uses memory that C and the audio thread share: the engine, the drivers, and the formats
/// that call plugins.
func marksUnsafeCode(_ name: String, _ layer: Layer) -> Bool {
  [.interfaces, .host, .formats, .files].contains(layer)
    && !["LV2Host", "Isolation", "ModuleHost", "Reblocking"].contains(name)
}

/// A Swift target of a layer, with all that it imports.
func target(
  _ name: String, in layer: Layer, over dependencies: [Target.Dependency],
  _ settings: [SwiftSetting] = strict
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: layer.path(of: name),
    swiftSettings: settings + (marksUnsafeCode(name, layer) ? [.strictMemorySafety()] : [])
      + (layer == .interfaces || smallTargets.contains(name) ? small : []))
}

/// A library of the system, as Swift sees it.
func library(_ name: String, pkgConfig: String) -> Target {
  .systemLibrary(name: name, path: Layer.c.path(of: name), pkgConfig: pkgConfig)
}

/// Helpers in C.
func cTarget(
  _ name: String, over dependencies: [Target.Dependency] = [], _ settings: [CSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: Layer.c.path(of: name), cSettings: settings)
}

/// Tests of the target with the same name.
///
/// Debug information would take a quarter of the time to compile them; failures name their lines without it.
func tests(_ name: String, of dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestRandom", "TestWaits"],
    swiftSettings: (renderingTests.contains(name) ? tested : strict) + [
      .unsafeFlags(["-Xfrontend", "-gnone"], .when(configuration: .debug))
    ])
}

// MARK: - Package

let package = Package(
  name: "outboard",
  products: [.executable(name: "outboard", targets: ["outboard"])] + moduleProducts
    + [.library(name: "lv2-shim", type: .dynamic, targets: ["LV2Shim"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: moduleTargets + [lv2Shim] + [
    // C, thin: one target for each library.
    library("CALSA", pkgConfig: "alsa"),
    library("CEbur128", pkgConfig: "libebur128"),
    library("CExpat", pkgConfig: "expat"),
    library("CLilv", pkgConfig: "lilv-0"),
    library("CSampleRate", pkgConfig: "samplerate"),
    library("CSerd", pkgConfig: "serd-0"),
    library("CSndFile", pkgConfig: "sndfile"),
    library("CVorbis", pkgConfig: "vorbisenc"),
    library("CYAML", pkgConfig: "yaml-0.1"),
    cTarget("CFiles"),
    // A frame of its own would double what the host costs a cheap plugin.
    cTarget(
      "CLV2Support", over: [],
      [.unsafeFlags(["-Xclang", "-mframe-pointer=none"], .when(configuration: .release))]),
    // Its functions stay inside of what they are linked into: other hosts load the LV2 shim.
    cTarget("CModule", over: [], [.unsafeFlags(["-fvisibility=hidden"])]),
    cTarget("CCairo"),
    cTarget("CIsolation", over: ["CRealtime"]),
    cTarget("CProcess"),
    cTarget("CRealtime"),
    cTarget("CSamples", over: [], [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    cTarget("CRealtimeSafety", over: ["CRealtime"]),
    // The files of the web page, which lie in Sources/Interfaces/WebPage.
    cTarget("CWebPage"),
    cTarget("CSandbox", over: ["CIsolation", "CRealtime", "CRealtimeSafety"]),
    .target(name: "ModuleABI", path: Layer.sdk.path(of: "ModuleABI")),
    .target(
      name: "ModuleKit", dependencies: ["ModuleABI"], path: Layer.sdk.path(of: "ModuleKit"),
      exclude: ["Exports"], swiftSettings: embedded),
    // Swift targets, the lowest layer first.
    target("ErrorModel", in: .realtime, over: []),
    target("RealtimeKit", in: .realtime, over: ["CRealtime"], sampleLoops),
    target(
      "AudioFiles", in: .files,
      over: ["CFiles", "CSampleRate", "CSndFile", "CVorbis", "ErrorModel", "RealtimeKit"]),
    target("MIDIFiles", in: .files, over: ["CFiles", "ErrorModel"]),
    target(
      "Builtins", in: .engine, over: ["CRealtime", "PluginModel", "RealtimeKit"], sampleLoops),
    target(
      "FilePlayback", in: .engine,
      over: ["AudioFiles", "CRealtime", "ErrorModel", "PluginModel", "RealtimeKit"]),
    target(
      "FileRecording", in: .engine,
      over: ["AudioFiles", "CRealtime", "ErrorModel", "PluginModel", "RealtimeKit"]),
    target(
      "Metering", in: .engine,
      over: ["AudioFiles", "CEbur128", "CRealtime", "ErrorModel", "PluginModel", "RealtimeKit"],
      sampleLoops),
    target(
      "PluginModel", in: .engine, over: ["CProcess", "CRealtime", "ErrorModel", "RealtimeKit"]),
    target(
      "RenderGraph", in: .engine, over: ["CRealtime", "ErrorModel", "PluginModel", "RealtimeKit"],
      sampleLoops),
    target(
      "ALSADriver", in: .drivers,
      over: [
        "AdaptiveResampling", "AudioDriver", "CALSA", "CRealtime", "CSamples", "ErrorModel",
        "RealtimeKit",
      ]),
    target(
      "ALSASequencer", in: .drivers,
      over: ["CALSA", "CRealtime", "ErrorModel", "PluginModel", "RealtimeKit"]),
    target(
      "AdaptiveResampling", in: .drivers,
      over: ["CRealtime", "CSampleRate", "ErrorModel", "RealtimeKit"],
      sampleLoops),
    // A few messages a second: optimised for size in releases. Tests simulate hours.
    target("MIDIClock", in: .drivers, over: ["ErrorModel", "PluginModel"], sampleLoops),
    target("AudioDriver", in: .drivers, over: ["CSamples", "ErrorModel", "RealtimeKit"]),
    target(
      "DummyDriver", in: .drivers, over: ["AudioDriver", "CRealtime", "ErrorModel", "RealtimeKit"]),
    target(
      "OfflineDriver", in: .drivers,
      over: ["AudioDriver", "AudioFiles", "CRealtime", "ErrorModel", "Metering", "RealtimeKit"]),
    target(
      "PipeIO", in: .drivers,
      over: [
        "AdaptiveResampling", "AudioDriver", "AudioFiles", "CRealtime", "CSamples", "ErrorModel",
        "OfflineDriver", "RealtimeKit",
      ]),
    target("BuiltinNodes", in: .formats, over: ["Builtins", "PluginCatalogue", "PluginModel"]),
    target("Installation", in: .formats, over: ["ErrorModel", "PluginCatalogue"]),
    target(
      "InstalledFormats", in: .formats,
      over: [
        "BuiltinNodes", "LV2Host", "NativeModules", "PluginCatalogue", "PluginLoading",
        "SourceModules",
      ]),
    target("Manifests", in: .formats, over: ["CFiles", "CYAML", "ErrorModel", "PluginModel"]),
    target(
      "NativeModules", in: .formats,
      over: [
        "AudioFiles", "ErrorModel", "Installation", "Manifests", "ModuleHost", "PluginCatalogue",
        "PluginModel", "Reblocking",
      ]),
    target(
      "PluginLoading", in: .formats,
      over: [
        "CRealtime", "ErrorModel", "Isolation", "PluginCatalogue", "PluginModel",
        "PluginValidation",
      ]),
    target(
      "SourceModules", in: .formats,
      over: [
        "ErrorModel", "Installation", "Manifests", "ModuleBuild", "ModuleHost", "NativeModules",
        "PluginCatalogue", "PluginModel", "RealtimeKit",
      ]),
    target(
      "Isolation", in: .formats,
      over: [
        "CIsolation", "CProcess", "CRealtime", "CSandbox", "ErrorModel", "PluginCatalogue",
        "PluginModel", "Processes", "RealtimeKit",
      ]),
    target(
      "LV2Export", in: .formats,
      over: [
        "ErrorModel", "Installation", "LV2Host", "ModuleHost", "NativeModules", "PluginCatalogue",
        "PluginModel",
      ]),
    target(
      "LV2Host", in: .formats,
      over: [
        "CLilv", "CLV2Support", "CRealtime", "ErrorModel", "PluginCatalogue", "PluginModel",
        "RealtimeKit", "Reblocking",
      ]),
    target("ModuleBuild", in: .formats, over: ["ErrorModel", "Processes"]),
    target(
      "ModuleHost", in: .formats,
      over: [
        "AdaptiveResampling", "CModule", "CRealtime", "ErrorModel", "PluginModel", "RealtimeKit",
        "Reblocking",
      ]),
    target(
      "PluginCatalogue", in: .formats,
      over: ["CProcess", "CRealtimeSafety", "ErrorModel", "PluginModel", "Processes"]),
    target(
      "PluginValidation", in: .formats,
      over: [
        "CProcess", "CRealtime", "CRealtimeSafety", "ErrorModel", "Isolation", "PluginCatalogue",
        "PluginModel",
      ]),
    target("Processes", in: .formats, over: ["CProcess"]),
    target(
      "Reblocking", in: .formats,
      over: ["AdaptiveResampling", "CRealtime", "PluginModel", "RealtimeKit"]),
    target("DeviceSettings", in: .host, over: ["AudioFiles", "Installation", "Manifests"]),
    target(
      "RigSchema", in: .host,
      over: [
        "AudioDriver", "ErrorModel", "Installation", "Manifests", "ModuleBuild", "PluginCatalogue",
        "PluginModel", "RealtimeKit",
      ]),
    target(
      "RigPlanning", in: .host,
      over: [
        "AudioFiles", "Builtins", "ErrorModel", "FilePlayback", "FileRecording", "Installation",
        "Manifests", "Metering", "PluginLoading", "PluginModel", "RenderGraph", "RigSchema",
      ]),
    target(
      "Session", in: .host,
      over: [
        "AudioDriver", "AudioFiles", "Builtins", "CRealtime", "CRealtimeSafety", "ErrorModel",
        "FilePlayback", "FileRecording", "HostModel", "Installation", "Isolation", "MIDIClock",
        "MIDIFiles", "Manifests", "Metering", "OfflineDriver", "PluginCatalogue", "PluginLoading",
        "PluginModel", "Processes",
        "RealtimeKit", "RenderGraph", "RigPlanning", "RigSchema",
      ]),
    target(
      "RigImport", in: .host,
      over: [
        "AudioDriver", "AudioFiles", "CExpat", "CFiles", "CSerd", "ErrorModel", "Manifests",
        "PluginCatalogue", "PluginLoading", "PluginModel", "RigSchema",
      ]),
    target(
      "RigExport", in: .host,
      over: ["ErrorModel", "Manifests", "PluginModel", "RigPlanning", "RigSchema"]),
    target("HostModel", in: .host, over: ["ErrorModel"]),
    target(
      "HostCore", in: .host,
      over: [
        "AudioDriver", "Builtins", "CRealtime", "ErrorModel", "FilePlayback", "FileRecording",
        "HostModel", "MIDIClock",
        "Manifests", "Metering", "PluginModel", "PluginReports", "RealtimeKit", "RenderGraph",
        "RigPlanning", "RigSchema", "Session",
      ]),
    target(
      "PluginReports", in: .host,
      over: [
        "AudioFiles", "ErrorModel", "HostModel", "Installation", "PluginCatalogue",
        "PluginLoading", "PluginModel", "RigSchema",
      ]),
    target("Console", in: .interfaces, over: ["PluginModel"]),
    target("Control", in: .interfaces, over: ["ErrorModel", "HostModel", "RealtimeKit"]),
    target(
      "OSC", in: .interfaces,
      over: [
        "ErrorModel", "HostModel", "PluginModel", "RealtimeKit", "WebServer", nio("NIOCore"),
        nio("NIOHTTP1"),
        nio("NIOPosix"), nio("NIOWebSocket"),
      ]),
    target("Plotting", in: .interfaces, over: ["CCairo", "ErrorModel", "Metering"]),
    target(
      "ServiceDiscovery", in: .interfaces,
      over: ["ErrorModel", "HostModel", "Processes", "RealtimeKit"]),
    target("ServiceManager", in: .interfaces, over: []),
    target(
      "SystemDiagnostics", in: .interfaces, over: ["CRealtime", "HostModel", "RealtimeKit"]),
    target(
      "TerminalUI", in: .interfaces,
      over: ["Console", "Control", "ErrorModel", "HostModel", "PluginModel", "RealtimeKit"]),
    target(
      "WebServer", in: .interfaces,
      over: [
        "CWebPage", "Control", "ErrorModel", "HostModel", "RealtimeKit", nio("NIOCore"),
        nio("NIOHTTP1"), nio("NIOPosix"), nio("NIOWebSocket"),
      ]),
    .executableTarget(
      name: "outboard",
      dependencies: [
        "ALSADriver", "ALSASequencer", "AudioDriver", "AudioFiles", "Builtins", "CProcess",
        "CRealtime", "CRealtimeSafety", "Console", "Control", "DeviceSettings", "DummyDriver",
        "ErrorModel",
        "FilePlayback",
        "FileRecording", "HostCore", "HostModel", "Installation", "InstalledFormats", "Isolation",
        "LV2Export", "MIDIClock",
        "Manifests", "Metering", "NativeModules", "OSC", "OfflineDriver", "PipeIO", "Plotting",
        "PluginCatalogue", "PluginLoading", "PluginModel", "PluginReports", "PluginValidation",
        "Processes", "RealtimeKit", "RenderGraph", "RigExport", "RigImport", "RigPlanning",
        "RigSchema",
        "ServiceDiscovery", "ServiceManager",
        "Session",
        "SystemDiagnostics", "TerminalUI", "WebServer", argumentParser,
      ], exclude: ["README.md"], swiftSettings: strict + small + [.strictMemorySafety()]),
    // Tests mirror the targets.
    tests(
      "ALSADriverTests",
      of: ["ALSADriver", "AudioDriver", "CALSA", "CSamples", "RealtimeKit", "RenderGraph"]),
    tests("ALSASequencerTests", of: ["ALSASequencer", "CALSA", "RealtimeKit"]),
    tests("MIDIClockTests", of: ["MIDIClock", "PluginModel", "RealtimeKit", "RenderGraph"]),
    tests("AudioDriverTests", of: ["AudioDriver", "RealtimeKit"]),
    tests("AudioFilesTests", of: ["AudioFiles", "AudioTestSupport", "LV2Fixtures", "RealtimeKit"]),
    tests(
      "BuiltinsTests", of: ["AudioFiles", "Builtins", "CRealtime", "FixtureSupport", "PluginModel"]),
    tests(
      "PluginCatalogueTests",
      of: ["LV2Fixtures", "LV2Host", "PluginCatalogue", "PluginModel", "catalogue-child"]),
    tests("AdaptiveResamplingTests", of: ["AdaptiveResampling", "ClockSimulation", "RealtimeKit"]),
    tests("ConsoleTests", of: ["Console"]),
    tests("MIDIFilesTests", of: ["MIDIFiles"]),
    tests(
      "MeteringTests", of: ["AudioFiles", "CEbur128", "Metering", "PluginModel", "RealtimeKit"]),
    tests("ControlTests", of: ["Control", "ErrorModel", "HostModel"]),
    tests(
      "HostCoreTests",
      of: [
        "AudioDriver", "Control", "ErrorModel", "HostCore", "HostModel", "MIDIClock", "OSC",
        "PluginModel",
        "RealtimeKit", "RenderGraph", "RigSchema",
        "RigTestSupport", "Session", "ToyInterface", "WebServer", "WebTestSupport",
      ]),
    tests("HostModelTests", of: ["ErrorModel", "HostModel"]),
    tests("CorpusCheckTests", of: ["corpus-check"]),
    tests("DummyDriverTests", of: ["AudioDriver", "DummyDriver", "RenderGraph"]),
    tests(
      "PluginValidationTests",
      of: [
        "FixtureSupport", "LV2Fixtures", "ModuleHost", "PluginCatalogue", "PluginModel",
        "PluginValidation", "catalogue-child",
      ]),
    tests(
      "LV2HostTests",
      of: ["FixtureSupport", "LV2Fixtures", "LV2Host", "PluginModel", "RealtimeKit", "RenderGraph"]),
    tests(
      "IsolationTests",
      of: [
        "AudioFiles", "CIsolation", "CRealtime", "CSandbox", "DummyDriver", "FixtureSupport",
        "GraphTestSupport", "Isolation", "LV2Fixtures", "OfflineDriver", "PluginCatalogue",
        "PluginLoading", "PluginModel", "RealtimeKit", "RenderGraph", "RigPlanning", "RigSchema",
        "RigTestSupport", "Session",
      ]),
    tests("LV2ExportTests", of: ["LV2Export", "PluginModel"]),
    tests("SystemDiagnosticsTests", of: ["HostModel", "SystemDiagnostics"]),
    tests("TerminalUITests", of: ["Control", "HostModel", "TerminalUI"]),
    tests("WebServerTests", of: ["HostModel", "WebServer", "WebTestSupport"]),
    tests("ModuleBuildTests", of: ["ModuleBuild"]),
    tests(
      "ModuleHostTests",
      of: [
        "FixtureSupport", "ModuleHost", "PluginModel", "RealtimeKit", "Reblocking", "RenderGraph",
      ]),
    tests("ModuleTests", of: ["CEbur128", "ModuleKitUnderTest", "ModuleTestSupport"]),
    tests(
      "OfflineDriverTests",
      of: [
        "AudioDriver", "AudioFiles", "CRealtime", "GraphTestSupport", "OfflineDriver",
        "PluginModel", "RealtimeKit", "RenderGraph",
      ]),
    tests("OSCTests", of: ["HostModel", "OSC", "WebTestSupport", nio("NIOCore"), nio("NIOPosix")]),
    tests("OutboardTests", of: ["CEbur128", "FixtureSupport", "LV2Fixtures", "outboard"]),
    tests("FilePlaybackTests", of: ["AudioFiles", "FilePlayback", "PluginModel"]),
    tests("PlottingTests", of: ["Metering", "Plotting"]),
    tests("PluginModelTests", of: ["CRealtime", "PluginModel", "RealtimeKit"]),
    tests("RealtimeKitTests", of: ["CRealtime", "RealtimeKit"]),
    tests(
      "FileRecordingTests",
      of: [
        "AudioFiles", "AudioTestSupport", "FileRecording", "LV2Fixtures", "PluginModel",
        "RealtimeKit", "recording-child",
      ]),
    tests("ReblockingTests", of: ["FixtureSupport", "PluginModel", "RealtimeKit", "Reblocking"]),
    tests(
      "RenderGraphTests",
      of: ["CRealtime", "GraphTestSupport", "PluginModel", "RealtimeKit", "RenderGraph"]),
    tests(
      "RigTests",
      of: [
        "AudioDriver", "AudioFiles", "DeviceSettings", "ErrorModel", "FilePlayback",
        "FileRecording", "FixtureSupport", "LV2Export", "LV2Fixtures", "LV2Host", "Manifests",
        "Metering",
        "ModuleBuild", "ModuleHost", "NativeModules", "PluginCatalogue", "PluginLoading",
        "PluginModel", "RealtimeKit", "RenderGraph", "RigPlanning", "RigSchema", "RigTestSupport",
        "SourceModules",
      ]),
    tests(
      "RigImportTests",
      of: [
        "ErrorModel", "GraphTestSupport", "LV2Fixtures", "PluginLoading", "PluginModel",
        "RigExport", "RigImport", "RigPlanning", "RigSchema", "RigTestSupport", "Session",
        "outboard",
      ]),
    tests("ScriptedPCMTests", of: ["driver-check"]),
    tests("ServiceManagerTests", of: ["ServiceManager"]),
    tests(
      "SessionTests",
      of: [
        "AudioDriver", "AudioFiles", "Builtins", "DummyDriver", "FilePlayback", "FileRecording",
        "GraphTestSupport", "HostModel", "LV2Fixtures", "MIDIClock", "Manifests", "Metering",
        "ModuleHost", "OfflineDriver", "PluginLoading", "PluginModel", "RealtimeKit", "RenderGraph",
        "RigPlanning",
        "RigSchema", "RigTestSupport", "Session", "ToyDriver", "outboard",
      ]),
    tests(
      "ToyFormatTests",
      of: [
        "AudioDriver", "InstalledFormats", "PluginCatalogue", "PluginLoading", "PluginModel",
        "PluginReports",
        "RealtimeKit", "RigPlanning", "RigSchema", "RigTestSupport", "Session", "ToyFormat",
        "outboard",
        "toy-child",
      ]),
    tests(
      "PipeIOTests",
      of: [
        "AdaptiveResampling", "AudioDriver", "AudioFiles", "DummyDriver", "GraphTestSupport",
        "PipeIO", "RealtimeKit", "RenderGraph",
      ]),
    // Programs and support of tests. scripts/test-vm runs driver-check in the virtual machine.
    .executableTarget(
      name: "driver-check",
      dependencies: [
        "ALSADriver", "ALSASequencer", "AudioDriver", "ClockSimulation", "RealtimeKit",
        "RenderGraph",
      ],
      path: "Tests/VM/DriverCheck", swiftSettings: strict),
    .executableTarget(
      name: "catalogue-child",
      dependencies: [
        "InstalledFormats", "Isolation", "LV2Host", "PluginCatalogue", "PluginLoading",
        "PluginModel", "PluginValidation",
      ],
      path: "Tests/CatalogueChild", swiftSettings: strict),
    // Records until it is killed.
    .executableTarget(
      name: "recording-child",
      dependencies: ["AudioFiles", "PluginModel", "FileRecording"],
      path: "Tests/RecordingChild", swiftSettings: strict),
    // Edits a graph at random; scripts/check-edits and scripts/check-realtime run it.
    .executableTarget(
      name: "edit-check",
      dependencies: [
        "CRealtime", "GraphTestSupport", "PluginModel", "RealtimeKit", "RenderGraph",
      ],
      path: "Tests/EditCheck", swiftSettings: strict),
    // Work whose instructions scripts/check-budgets counts.
    .executableTarget(
      name: "budget-check",
      dependencies: [
        "CRealtime", "GraphTestSupport", "LV2Host", "PluginModel", "RealtimeKit", "RenderGraph",
      ],
      path: "Tests/BudgetCheck", swiftSettings: strict),
    // Measures isolated nodes; Benchmarks/isolation runs it.
    .executableTarget(
      name: "isolation-check",
      dependencies: [
        "CIsolation", "CRealtime", "GraphTestSupport", "InstalledFormats", "Isolation",
        "PluginCatalogue", "PluginLoading", "PluginModel", "RealtimeKit", "RenderGraph",
      ],
      path: "Tests/IsolationCheck", swiftSettings: strict),
    // Measures adaptive resampling.
    .executableTarget(
      name: "clock-check",
      dependencies: ["AdaptiveResampling", "ClockSimulation", "RealtimeKit"],
      path: "Tests/ClockCheck", swiftSettings: strict),
    // Compares the output of every plugin in Debian with Tests/Corpus; scripts/corpus runs it.
    .executableTarget(
      name: "corpus-check", dependencies: ["LV2Fixtures"], path: "Tests/CorpusCheck",
      swiftSettings: strict),
    .target(
      name: "AudioTestSupport", dependencies: ["AudioFiles"], path: "Tests/AudioTestSupport",
      swiftSettings: tested),
    .target(
      name: "ClockSimulation",
      dependencies: ["AdaptiveResampling", "CRealtime", "RealtimeKit"],
      path: "Tests/ClockSimulation", swiftSettings: tested),
    .target(
      name: "FixtureSupport", dependencies: ["CRealtime", "PluginModel"],
      path: "Tests/FixtureSupport", swiftSettings: tested),
    .target(
      name: "GraphTestSupport",
      dependencies: ["CRealtime", "PluginModel", "RealtimeKit", "RenderGraph"],
      path: "Tests/GraphTestSupport", swiftSettings: tested),
    .target(
      name: "ToyDriver", dependencies: ["AudioDriver", "RealtimeKit"], path: "Tests/ToyDriver",
      swiftSettings: strict),
    .target(
      name: "ToyInterface", dependencies: ["HostModel"], path: "Tests/ToyInterface",
      swiftSettings: strict),
    .target(name: "LV2Fixtures", path: "Tests/LV2Fixtures", swiftSettings: tested),
    .target(
      name: "ToyFormat", dependencies: ["CRealtime", "PluginCatalogue", "PluginModel"],
      path: "Tests/ToyFormat", swiftSettings: tested),
    .executableTarget(
      name: "toy-child", dependencies: ["PluginCatalogue", "ToyFormat"],
      path: "Tests/ToyFormatChild", swiftSettings: strict),
    .target(
      name: "RigTestSupport",
      dependencies: [
        "InstalledFormats", "LV2Host", "NativeModules", "PluginCatalogue", "PluginLoading",
        "PluginModel", "RigSchema", "outboard",
      ],
      path: "Tests/RigTestSupport", swiftSettings: tested),
    // The sources of the kit, by a link: tests are not Embedded Swift and cannot import its module.
    .target(
      name: "ModuleKitUnderTest", dependencies: ["ModuleABI"], path: "Tests/ModuleKitUnderTest",
      exclude: ["Exports"], swiftSettings: tested),
    .target(name: "ModuleTestSupport", path: "Tests/ModuleTestSupport", swiftSettings: tested),
    .target(name: "TestRandom", path: "Tests/TestRandom", swiftSettings: strict),
    .target(name: "TestWaits", path: "Tests/TestWaits", swiftSettings: strict),
    .target(
      name: "WebTestSupport", dependencies: ["TestWaits"], path: "Tests/WebTestSupport",
      swiftSettings: strict),
  ]
)

// MARK: - The modules alone

// The Makefile links modules with other options than the program, and the package manager builds one product or
// all. With this variable, the package has only the modules, so that one build compiles them in parallel.
if Context.environment["OUTBOARD_MODULES_ALONE"] != nil {
  let names = Set(swiftModules + cModules + ["CModule", "LV2Shim", "ModuleABI", "ModuleKit"])
  package.targets.removeAll { !names.contains($0.name) }
  package.products.removeAll { $0.name == "outboard" }
}
