// RigDescription.swift: the content of a rig file. SPDX-License-Identifier: MIT

package import AudioDriver
package import Manifests
package import PluginModel

/// A rig as it was read: devices, nodes, connections and values.
///
/// Everything is checked that needs no plugin or device. Names of plugins, parameters and ports are still
/// text, with their positions for later errors.
package struct RigDescription: Sendable, Equatable {
  /// The path as the user gave it.
  package var file: String
  /// The name of the rig; the file's name if it has none.
  package var name: String
  /// The description; empty if there is none.
  package var summary: String = ""
  /// The requested sample rate in Hz; nil for the device's default.
  package var sampleRateHz: Int?
  /// The requested period in frames; nil for the driver's default.
  package var periodFrames: Int?
  /// Periods in the devices' buffers; nil for the driver's choice.
  package var periodCount: Int?
  /// The capture devices: their channels are the rig's inputs, one device after another.
  package var inputs: [RigDevice] = []
  /// The playback devices: their channels are the rig's outputs, one device after another.
  package var outputs: [RigDevice] = []
  /// Whether the session starts if a device is missing, and waits for the device.
  package var waitsForDevice = false
  /// Whether noise is added before rounding to 16 bits or fewer.
  package var isDithered = false
  /// The maximum number of render threads, at least 1; nil for the number of processors.
  ///
  /// It depends on the computer, so no manifest contains it.
  package var threadCount: Int?
  /// The MIDI devices it is connected to.
  package var midi = RigMIDI()
  /// The MIDI controls that change values, in the order of the manifest.
  package var maps: [RigMap] = []
  /// The tempo, the time signature, and whether the transport rolls.
  package var transport = TransportSettings()
  /// The devices whose clock the transport follows, and that receive its clock.
  package var clock = RigClock()
  /// Whether acoustic feedback is suppressed.
  package var suppressesFeedback = true
  /// Whether overloaded nodes are bypassed.
  package var watchesDeadline = true
  /// Whether nodes that output a DC offset are bypassed.
  package var guardsAgainstOffset = true
  /// The nodes in the order of the manifest.
  package var nodes: [RigNode] = []
  /// The connections in the order of the manifest, chains of arrows taken apart.
  package var connections: [RigConnection] = []
  /// Rigs that are nodes of it: their nodes and connections are among its own.
  package var nested: [NestedRig] = []
  /// The automated parameters, in the order of the manifest.
  package var automation: [RigLane] = []
  /// Values under names, in the order of the manifest.
  package var scenes: [RigScene] = []
  /// Notes about legal but suspicious content, in line order.
  package var notes: [Diagnostic] = []
  /// The text that it was read from.
  package var text = RigText()

  /// A rig without devices, nodes or connections.
  package init(file: String, name: String) {
    self.file = file
    self.name = name
  }

  /// Whether the rig opens no device at all, and so is for rendering files only.
  package var isOffline: Bool { inputs.isEmpty && outputs.isEmpty }

  /// The number of requested input channels; nil for that of the device.
  package var inputChannelCount: Int? { Self.channelCount(inputs) }

  /// The number of requested output channels; nil for that of the device.
  package var outputChannelCount: Int? { Self.channelCount(outputs) }

  /// The request to a driver.
  package var streamRequest: StreamRequest {
    var request = StreamRequest()
    request.inputs = Self.requests(inputs)
    request.outputs = Self.requests(outputs)
    request.sampleRateHz = sampleRateHz
    request.periodFrames = periodFrames
    request.periodCount = periodCount
    request.waitsForDevice = waitsForDevice
    request.isDithered = isDithered
    return request
  }

  /// The number of channels of one device among several that specifies none: the assignment of the rig's
  /// channels must not depend on the devices.
  private static let channelsOfOneAmongSeveral = 2

  private static func channelCount(_ devices: [RigDevice]) -> Int? {
    guard !devices.isEmpty else { return nil }
    return requests(devices).reduce(0) { sum, device in
      sum.flatMap { sum in device.usedChannelCount.map { sum + $0 } }
    }
  }

  private static func requests(_ devices: [RigDevice]) -> [DeviceRequest] {
    devices.map { device in
      var request = device.request
      if devices.count > 1, request.usedChannelCount == nil {
        request.channelCount = channelsOfOneAmongSeveral
      }
      return request
    }
  }
}

/// A device of a rig.
package struct RigDevice: Sendable, Equatable {
  /// The request.
  package var request: DeviceRequest
  /// The position of its name.
  package var position: SourcePosition

  /// Creates a device with its position.
  package init(_ request: DeviceRequest, position: SourcePosition = .unknown) {
    self.request = request
    self.position = position
  }
}

/// The MIDI devices of a rig, as they are named: see `docs/guides/midi.md`.
package struct RigMIDI: Sendable, Equatable {
  /// The source devices, or one of the words `none`, `hardware` and `all`; empty if not specified.
  package var inputs: [String] = []
  /// The destination devices; empty if not specified.
  package var outputs: [String] = []

  /// Creates settings without devices.
  package init() {}
}

/// The clocks that share the tempo of a rig: see `docs/guides/clock-and-tempo.md`.
package struct RigClock: Sendable, Equatable {
  /// The device that the transport follows, or `link`; nil for none.
  package var input: String?
  /// Whether the transport follows Ableton Link.
  package var followsLink: Bool { input?.lowercased() == "link" }
  /// The devices that receive its clock.
  package var outputs: [String] = []

  /// Creates settings without clocks.
  package init() {}
}

/// A node of a rig.
package struct RigNode: Sendable, Equatable {
  /// The origin of a node.
  package enum Source: Sendable, Equatable {
    /// A plugin by URI, id, name or path.
    case plugin(String)
    /// A part of the host by its word.
    case builtin(String)
  }

  /// The name that connections use.
  package var name: String
  /// The position of its name.
  package var position: SourcePosition
  /// The plugin or built-in.
  package var source: Source
  /// The position of the plugin's or built-in's name.
  package var sourcePosition: SourcePosition
  /// The number of parallel instances, each with its own state; nil if not specified.
  package var instanceCount: Int?
  /// The preset at its start, by name or URI; nil for none.
  package var preset: BuiltinSetting?
  /// The directory with its state, relative to the rig's; nil for none.
  package var state: BuiltinSetting?
  /// In which process it runs.
  package var isolation = NodeIsolation.automatic
  /// Whether its worker process has a sandbox.
  package var isSandboxed = false
  /// Values that differ from the defaults, the preset and the state, in the order of the manifest.
  package var parameters: [RigParameter]
  /// Properties that are set at the start, in the order of the manifest.
  package var properties: [RigParameter] = []
  /// Keys that only the built-in knows, in the order of the manifest.
  package var settings: [BuiltinSetting]
  /// The wet level, 0 to 1; the rest is the bypass signal.
  package var wetLevel: Float = 1
  /// Whether the node is bypassed, which overrides `wetLevel`.
  package var isBypassed = false
  /// The settings in its nested rig; nil for a node of the rig itself.
  package var origin: NestedNodeDefaults?

  /// Creates a node with its parameters at their defaults.
  package init(
    name: String, source: Source, position: SourcePosition = .unknown,
    sourcePosition: SourcePosition = .unknown, instanceCount: Int? = nil,
    parameters: [RigParameter] = [], settings: [BuiltinSetting] = []
  ) {
    self.name = name
    self.position = position
    self.source = source
    self.sourcePosition = sourcePosition
    self.instanceCount = instanceCount
    self.parameters = parameters
    self.settings = settings
  }

  /// The keys that lead to the node in its manifest.
  package var keyPath: String {
    "nodes.\(origin == nil ? name : name.split(separator: "/").last.map(String.init) ?? name)"
  }
}

/// A parameter's value in a rig, or a property's.
package struct RigParameter: Sendable, Equatable {
  /// The parameter's symbol, or the property's, its name or URI.
  package var symbol: String
  /// The value as written, which is read once the parameter or property is known.
  package var text: String
  /// The position of the symbol.
  package var position: SourcePosition
  /// The file that contains it; nil for that of its node.
  package var location: SourceLocation?

  /// Creates a parameter value.
  package init(symbol: String, text: String, position: SourcePosition = .unknown) {
    self.symbol = symbol
    self.text = text
    self.position = position
  }
}

/// A key of a node that another target interprets.
package struct BuiltinSetting: Sendable, Equatable {
  /// The key.
  package var key: String
  /// The items of a list, or a single value, as written.
  package var texts: [String]
  /// The position of the key.
  package var position: SourcePosition
  /// The file that contains it; nil for that of its node.
  package var location: SourceLocation?

  /// The value as written; the first item of a list, or empty.
  package var text: String {
    get { texts.first ?? "" }
    set { texts = [newValue] }
  }

  /// A key and its value.
  package init(key: String, text: String, position: SourcePosition = .unknown) {
    self.init(key: key, texts: [text], position: position)
  }

  /// A key and the items of a list.
  package init(key: String, texts: [String], position: SourcePosition = .unknown) {
    self.key = key
    self.texts = texts
    self.position = position
  }
}
