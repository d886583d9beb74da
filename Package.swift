// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// MARK: - Settings

// Every Swift target: the strictest language there is, and warnings are errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

// Modules and their kit: no Swift runtime beside the library, libc alone; and optimised in debug
// builds too, as a reverb that is slower than real time cannot be listened to.
let embedded: [SwiftSetting] =
  strict + [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-O"])]

// What tests lean on, and these tests, render, count and compare millions of frames: optimised in debug
// builds too, else they take three times as long. The rooms they test keep their assertions. Other tests do little
// themselves, and optimised would take half as long again to compile.
let tested: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let renderingTests: Set = [
  "ALSADriverTests", "AudioFilesTests", "BuiltinsTests", "ClockFollowingTests", "LV2HostTests",
  "ModuleTests", "OfflineDriverTests", "RecordingTests", "ReblockingTests", "RenderGraphTests",
  "SessionTests",
]

// Rooms of loops over samples, whose checks stay in debug builds.
let sampleLoops: [SwiftSetting] =
  strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// MARK: - Native modules, one folder each in Plugins/

let swiftModules = [
  "Amplifier", "Chorus", "Compressor", "Convolver", "DeEsser", "Delay", "Echo", "Equaliser",
  "Flanger", "Gain", "GraphicEqualiser", "Limiter", "Looper", "LoudnessMeter", "Mixer",
  "Multiband", "Oscillator", "Overdrive", "Phaser", "PitchShifter", "Plate", "Reverb",
  "RingModulator", "Sampler", "SpectrumAnalyser", "Synthesiser", "Tremolo", "Tuner", "Vocoder",
  "Voice",
]
let cModules = ["Gate", "Organ"]

func productName(_ module: String) -> String { module.lowercased() }

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

// MARK: - What stands in every LV2 bundle that is exported: C alone, as no host is to load a runtime

let lv2Shim = Target.target(
  name: "LV2Shim", dependencies: ["CModule"],
  cSettings: [
    .headerSearchPath("../CRealtime/include"),
    // As in Swift no product is fused with a sum: outputs are the same to the bit.
    .unsafeFlags([
      "-std=c17", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fvisibility=hidden",
    ]),
  ],
  linkerSettings: [
    .unsafeFlags(["-enable-experimental-feature", "Embedded"]), .linkedLibrary("m"),
  ])

// MARK: - Rooms

/// Who reads the command line.
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// An ordinary target that imports only what stands on a lower floor.
func room(
  _ name: String, over dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Tests of the room with the same name.
func tests(_ name: String, of dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies,
    swiftSettings: renderingTests.contains(name) ? tested : strict)
}

// MARK: - Package

let package = Package(
  name: "outboard",
  products: [.executable(name: "outboard", targets: ["outboard"])] + moduleProducts
    + [.library(name: "lv2-shim", type: .dynamic, targets: ["LV2Shim"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: moduleTargets + [lv2Shim] + [
    // C, thin: one target for each library.
    .systemLibrary(name: "CALSA", pkgConfig: "alsa"),
    .systemLibrary(name: "CEbur128", pkgConfig: "libebur128"),
    .systemLibrary(name: "CLilv", pkgConfig: "lilv-0"),
    .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate"),
    .systemLibrary(name: "CSndFile", pkgConfig: "sndfile"),
    .systemLibrary(name: "CVorbis", pkgConfig: "vorbisenc"),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1"),
    .target(name: "CFiles"),
    // A frame of its own would double what the host costs a cheap plugin.
    .target(
      name: "CLV2Support",
      cSettings: [
        .unsafeFlags(["-Xclang", "-mframe-pointer=none"], .when(configuration: .release))
      ]),
    // Its functions stay inside of what they are linked into: the LV2 shim is loaded by strangers.
    .target(name: "CModule", cSettings: [.unsafeFlags(["-fvisibility=hidden"])]),
    .target(name: "CPictures"),
    .target(name: "CProcess"),
    .target(name: "CRealtime"),
    .target(
      name: "CSamples", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    .target(name: "CWatch", dependencies: ["CRealtime"]),
    .target(name: "ModuleABI"),
    .target(
      name: "ModuleKit", dependencies: ["ModuleABI"], exclude: ["Exports"], swiftSettings: embedded),
    // The rooms, lowest floor first.
    room("Processes", over: ["CProcess"]),
    room("RealtimeKit", over: ["CRealtime"], sampleLoops),
    room("PluginModel", over: ["CProcess", "CRealtime", "RealtimeKit"]),
    room("Builtins", over: ["CRealtime", "PluginModel", "RealtimeKit"], sampleLoops),
    room("ClockFollowing", over: ["CRealtime", "CSampleRate", "RealtimeKit"], sampleLoops),
    room("Reblocking", over: ["CRealtime", "ClockFollowing", "PluginModel", "RealtimeKit"]),
    room(
      "LV2Host",
      over: ["CLV2Support", "CLilv", "CRealtime", "PluginModel", "RealtimeKit", "Reblocking"]),
    room("LV2Export", over: ["LV2Host", "PluginModel"]),
    room("Catalogue", over: ["CProcess", "PluginModel", "Processes"]),
    room("Inspection", over: ["CProcess", "CRealtime", "CWatch", "Catalogue", "PluginModel"]),
    room(
      "ModuleHost", over: ["CModule", "CRealtime", "PluginModel", "RealtimeKit", "Reblocking"]),
    room("ModuleBuild", over: ["Processes"]),
    room("RenderGraph", over: ["CRealtime", "PluginModel", "RealtimeKit"]),
    room("AudioFiles", over: ["CFiles", "CSampleRate", "CSndFile", "CVorbis", "RealtimeKit"]),
    room(
      "Metering",
      over: [
        "AudioFiles", "Builtins", "CEbur128", "CRealtime", "PluginModel", "RealtimeKit",
      ], sampleLoops),
    room(
      "Recording",
      over: ["AudioFiles", "CRealtime", "PluginModel", "RealtimeKit"]),
    room("Playing", over: ["AudioFiles", "CRealtime", "PluginModel", "RealtimeKit"]),
    room("AudioDriver", over: ["CSamples", "RenderGraph"]),
    room(
      "OfflineDriver",
      over: ["AudioDriver", "AudioFiles", "CRealtime", "Metering", "RealtimeKit", "RenderGraph"]),
    room(
      "ALSADriver",
      over: [
        "AudioDriver", "CALSA", "CRealtime", "CSamples", "ClockFollowing", "RealtimeKit",
        "RenderGraph",
      ]),
    room(
      "StreamDriver",
      over: [
        "AudioDriver", "AudioFiles", "CRealtime", "CSamples", "ClockFollowing", "OfflineDriver",
        "RealtimeKit", "RenderGraph",
      ]),
    room("MIDIFiles", over: ["CFiles"]),
    room("ALSASequencer", over: ["CALSA", "CRealtime", "PluginModel", "RealtimeKit"]),
    room("DummyDriver", over: ["AudioDriver", "CRealtime", "RealtimeKit", "RenderGraph"]),
    room("Plotting", over: ["CPictures", "Metering"]),
    room("Console", over: ["PluginModel"]),
    room("Control", over: ["RealtimeKit"]),
    room("Machine", over: ["CRealtime", "RealtimeKit"]),
    room("ServiceManager", over: []),
    room(
      "Rig",
      over: [
        "AudioDriver", "AudioFiles", "Builtins", "CFiles", "CProcess", "CYAML", "Catalogue",
        "Inspection",
        "LV2Export", "LV2Host",
        "Metering", "ModuleBuild", "ModuleHost", "Playing", "PluginModel", "Processes",
        "RealtimeKit", "Reblocking", "Recording", "RenderGraph",
      ]),
    room(
      "Session",
      over: [
        "AudioDriver", "AudioFiles", "Builtins", "CRealtime", "CWatch", "MIDIFiles", "Metering",
        "OfflineDriver", "Playing", "PluginModel", "Processes", "RealtimeKit", "Reblocking",
        "Recording", "RenderGraph", "Rig",
      ]),
    .executableTarget(
      name: "outboard",
      dependencies: [
        "ALSADriver", "ALSASequencer", "AudioDriver", "AudioFiles", "Builtins", "CProcess",
        "Catalogue", "Console", "Control", "DummyDriver", "Inspection", "Machine", "Metering",
        "OfflineDriver",
        "Playing", "Plotting", "PluginModel", "Processes", "RealtimeKit", "Recording",
        "RenderGraph", "Rig", "ServiceManager",
        "Session", "StreamDriver",
        argumentParser,
      ], swiftSettings: strict),
    // Tests mirror the rooms.
    tests(
      "ALSADriverTests",
      of: ["ALSADriver", "AudioDriver", "CALSA", "CSamples", "RenderGraph"]),
    tests("ALSASequencerTests", of: ["ALSASequencer", "CALSA", "RealtimeKit"]),
    tests("AudioDriverTests", of: ["AudioDriver"]),
    tests("AudioFilesTests", of: ["AudioFiles", "AudioTestSupport", "RealtimeKit"]),
    tests("BuiltinsTests", of: ["Builtins", "FixtureSupport", "PluginModel"]),
    tests(
      "CatalogueTests",
      of: ["Catalogue", "LV2Fixtures", "LV2Host", "PluginModel", "catalogue-child"]),
    tests("ClockFollowingTests", of: ["ClockFollowing", "ClockSimulation", "RealtimeKit"]),
    tests("ConsoleTests", of: ["Console"]),
    tests("MIDIFilesTests", of: ["MIDIFiles"]),
    tests(
      "MeteringTests", of: ["AudioFiles", "CEbur128", "Metering", "PluginModel", "RealtimeKit"]),
    tests("ControlTests", of: ["Control"]),
    tests("CorpusCheckTests", of: ["corpus-check"]),
    tests("DummyDriverTests", of: ["AudioDriver", "DummyDriver", "RenderGraph"]),
    tests(
      "InspectionTests",
      of: [
        "Catalogue", "FixtureSupport", "Inspection", "LV2Fixtures", "PluginModel",
        "catalogue-child",
      ]),
    tests(
      "LV2HostTests",
      of: [
        "FixtureSupport", "LV2Fixtures", "LV2Host", "PluginModel", "RealtimeKit", "RenderGraph",
      ]),
    tests("LV2ExportTests", of: ["LV2Export", "PluginModel"]),
    tests("MachineTests", of: ["Machine"]),
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
        "AudioFiles", "CRealtime", "GraphTestSupport", "OfflineDriver", "PluginModel",
        "RealtimeKit", "RenderGraph",
      ]),
    tests("OutboardTests", of: ["FixtureSupport", "LV2Fixtures", "outboard"]),
    tests("PlayingTests", of: ["AudioFiles", "Playing", "PluginModel"]),
    tests("PlottingTests", of: ["Metering", "Plotting"]),
    tests("PluginModelTests", of: ["CRealtime", "PluginModel", "RealtimeKit"]),
    tests("RealtimeKitTests", of: ["CRealtime", "RealtimeKit"]),
    tests(
      "RecordingTests",
      of: [
        "AudioFiles", "AudioTestSupport", "LV2Fixtures", "PluginModel", "RealtimeKit", "Recording",
        "recording-child",
      ]),
    tests("ReblockingTests", of: ["FixtureSupport", "PluginModel", "RealtimeKit", "Reblocking"]),
    tests(
      "RenderGraphTests",
      of: ["CRealtime", "GraphTestSupport", "PluginModel", "RealtimeKit", "RenderGraph"]),
    tests(
      "RigTests",
      of: [
        "AudioDriver", "AudioFiles", "Catalogue", "FixtureSupport", "LV2Fixtures", "LV2Host",
        "PluginModel", "RealtimeKit", "Playing", "Recording", "RenderGraph", "Rig",
        "RigTestSupport",
      ]),
    tests("ScriptedPCMTests", of: ["driver-check"]),
    tests("ServiceManagerTests", of: ["ServiceManager"]),
    tests(
      "SessionTests",
      of: [
        "AudioDriver", "AudioFiles", "Builtins", "DummyDriver", "GraphTestSupport", "LV2Fixtures",
        "Metering", "OfflineDriver", "Playing", "PluginModel", "RealtimeKit", "Recording",
        "RenderGraph", "Rig", "RigTestSupport", "Session",
      ]),
    tests(
      "StreamDriverTests",
      of: [
        "AudioDriver", "AudioFiles", "ClockFollowing", "DummyDriver", "GraphTestSupport",
        "RealtimeKit", "RenderGraph", "StreamDriver",
      ]),
    // What tests lean on; scripts/test-vm runs driver-check in its machine.
    .executableTarget(
      name: "driver-check",
      dependencies: [
        "ALSADriver", "ALSASequencer", "AudioDriver", "ClockSimulation", "RealtimeKit",
        "RenderGraph",
      ],
      path: "Tests/VM/DriverCheck", swiftSettings: strict),
    .executableTarget(
      name: "catalogue-child",
      dependencies: ["Catalogue", "Inspection", "LV2Host", "PluginModel", "Rig"],
      path: "Tests/CatalogueChild", swiftSettings: strict),
    // Records until it is killed.
    .executableTarget(
      name: "recording-child",
      dependencies: ["AudioFiles", "PluginModel", "Recording"],
      path: "Tests/RecordingChild", swiftSettings: strict),
    // Measures what docs/clocks.md says; scripts/check-realtime runs it too.
    .executableTarget(
      name: "edit-check",
      dependencies: [
        "CRealtime", "GraphTestSupport", "PluginModel", "RealtimeKit", "RenderGraph",
      ],
      path: "Tests/EditCheck", swiftSettings: strict),
    .executableTarget(
      name: "clock-check",
      dependencies: ["ClockFollowing", "ClockSimulation", "RealtimeKit"],
      path: "Tests/ClockCheck", swiftSettings: strict),
    // Compares what comes of every plugin in Debian with Tests/Corpus; scripts/corpus runs it.
    .executableTarget(
      name: "corpus-check", dependencies: ["LV2Fixtures"], path: "Tests/CorpusCheck",
      swiftSettings: strict),
    .target(
      name: "AudioTestSupport", dependencies: ["AudioFiles"], path: "Tests/AudioTestSupport",
      swiftSettings: tested),
    .target(
      name: "ClockSimulation",
      dependencies: ["Builtins", "CRealtime", "ClockFollowing", "RealtimeKit"],
      path: "Tests/ClockSimulation", swiftSettings: tested),
    .target(
      name: "FixtureSupport", dependencies: ["CRealtime", "PluginModel"],
      path: "Tests/FixtureSupport", swiftSettings: tested),
    .target(
      name: "GraphTestSupport", dependencies: ["CRealtime", "PluginModel", "RealtimeKit"],
      path: "Tests/GraphTestSupport", swiftSettings: tested),
    .target(name: "LV2Fixtures", path: "Tests/LV2Fixtures", swiftSettings: tested),
    .target(
      name: "RigTestSupport",
      dependencies: ["Catalogue", "PluginModel", "Rig", "outboard"],
      path: "Tests/RigTestSupport", swiftSettings: tested),
    // The kit once more, by a link: tests, which are not Embedded Swift, cannot import what is.
    .target(
      name: "ModuleKitUnderTest", dependencies: ["ModuleABI"], path: "Tests/ModuleKitUnderTest",
      exclude: ["Exports"], swiftSettings: tested),
    .target(name: "ModuleTestSupport", path: "Tests/ModuleTestSupport", swiftSettings: tested),
  ]
)

// MARK: - The modules alone

// The Makefile links modules otherwise than the program, and the package manager builds one product or all
// there are. With this set the modules are all there is: planned once, and compiled side by side.
if Context.environment["OUTBOARD_MODULES_ALONE"] != nil {
  let names = Set(swiftModules + cModules + ["CModule", "LV2Shim", "ModuleABI", "ModuleKit"])
  package.targets.removeAll { !names.contains($0.name) }
  package.products.removeAll { $0.name == "outboard" }
}
