// RigDescription.swift: what a rig's manifest says. SPDX-License-Identifier: MIT

package import AudioDriver
package import PluginModel

/// A rig as it was written: devices, nodes, connections and values.
///
/// All that can be known without looking for a plugin or a device is checked; names of plugins,
/// parameters and ports are still text, and keep their places for whoever looks them up.
package struct RigDescription: Sendable, Equatable {
  /// The path as the user gave it.
  package var file: String
  /// What a person calls it; the file's name where it says nothing.
  package var name: String
  /// What it is for; empty where it says nothing.
  package var summary: String = ""
  /// Frames a second that are asked of the devices; nil for their choice.
  package var sampleRateHz: Int?
  /// Frames in a period that are asked of the devices; nil for the driver's choice.
  package var periodFrames: Int?
  /// Periods in the devices' buffers; nil for the driver's choice.
  package var periodCount: Int?
  /// Where sound is recorded: the rig's input channels are theirs, one device after the other.
  package var inputs: [RigDevice] = []
  /// Where sound is played: the rig's output channels go to them, one device after the other.
  package var outputs: [RigDevice] = []
  /// Whether it starts where a device is missing, and waits for it.
  package var waitsForDevice = false
  /// Whether noise is added before rounding to 16 bits or fewer.
  package var isDithered = false
  /// Threads that render it at most, from 1; nil for as many as there are processors.
  ///
  /// A matter of the machine, which no manifest tells.
  package var threadCount: Int?
  /// The MIDI devices it is connected to.
  package var midi = RigMIDI()
  /// Tempo, meter, and whether time goes on.
  package var transport = TransportSettings()
  /// Whether a howl between its loudspeaker and its microphone is ended by itself.
  package var guardsAgainstHowls = true
  /// Whether sound is led past a node that takes too much time, and past one that puts out a constant offset.
  package var watchesDeadline = true
  package var guardsAgainstOffset = true
  /// The nodes in the order of the manifest.
  package var nodes: [RigNode] = []
  /// The connections in the order of the manifest, chains of arrows taken apart.
  package var connections: [RigConnection] = []
  /// Rigs that are nodes of it: their nodes and connections are among its own.
  package var nested: [NestedRig] = []
  /// Parameters that move by themselves, in the order of the manifest.
  package var automation: [RigLane] = []
  /// Values under names, in the order of the manifest.
  package var scenes: [RigScene] = []
  /// What is legal but probably not meant, in line order.
  package var notes: [Diagnostic] = []

  /// A rig without devices, nodes or connections.
  package init(file: String, name: String) {
    self.file = file
    self.name = name
  }

  /// Whether it opens no device at all, and so is for rendering files only.
  package var isOffline: Bool { inputs.isEmpty && outputs.isEmpty }

  /// The input channels that it asks for; nil where it leaves them to the device.
  package var inputChannelCount: Int? { Self.channelCount(inputs) }

  /// The output channels that it asks for; nil where it leaves them to the device.
  package var outputChannelCount: Int? { Self.channelCount(outputs) }

  /// What it asks of a driver.
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

  /// Channels of one of several devices that does not say how many: which channel of the rig is
  /// whose must not depend on what the devices happen to have.
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
  /// What is asked of it.
  package var request: DeviceRequest
  /// Where it is named.
  package var position: SourcePosition

  /// A device, and where it is named.
  package init(_ request: DeviceRequest, position: SourcePosition = .unknown) {
    self.request = request
    self.position = position
  }
}

/// The MIDI devices of a rig, as they are named: see `docs/guides/midi.md`.
package struct RigMIDI: Sendable, Equatable {
  /// Devices that it hears, or one of the words `none`, `hardware` and `all`; empty where it does not
  /// say.
  package var inputs: [String] = []
  /// Devices that it plays; empty where it does not say.
  package var outputs: [String] = []

  /// Nothing said.
  package init() {}
}

/// A node of a rig.
package struct RigNode: Sendable, Equatable {
  /// Where a node comes from.
  package enum Source: Sendable, Equatable {
    /// A plugin by URI, id, name or path.
    case plugin(String)
    /// A part of the host by its word.
    case builtin(String)
  }

  /// The name that connections use.
  package var name: String
  /// Where it is named.
  package var position: SourcePosition
  /// Where it comes from.
  package var source: Source
  /// Where the plugin or built-in is named.
  package var sourcePosition: SourcePosition
  /// How often it runs side by side, each with its own state; nil where it is not said.
  package var instanceCount: Int?
  /// The preset that it begins with, by its name or URI; nil for none.
  package var preset: BuiltinSetting?
  /// The folder with its state, seen from the rig's; nil for none.
  package var state: BuiltinSetting?
  /// Values that differ from the defaults, the preset and the state, in the order of the manifest.
  package var parameters: [RigParameter]
  /// Properties that are set at the start, in the order of the manifest.
  package var properties: [RigParameter] = []
  /// Keys whose meaning only the built-in knows, in the order of the manifest.
  package var settings: [BuiltinSetting]
  /// How much of what goes on is its own sound, 0 to 1; the rest goes past it.
  package var wetShare: Float = 1
  /// Whether all goes past it, whatever `wetShare` says.
  package var isBypassed = false
  /// What the rig within says that it is a node of; nil for a node of the rig itself.
  package var origin: NestedNodeDefaults?

  /// A node that comes from somewhere, its parameters at their defaults.
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
  /// Where the symbol stands.
  package var position: SourcePosition
  /// The file that it stands in; nil for that of its node.
  package var place: SourceLocation?

  /// A symbol and what it is set to.
  package init(symbol: String, text: String, position: SourcePosition = .unknown) {
    self.symbol = symbol
    self.text = text
    self.position = position
  }
}

/// A key of a node whose meaning another room knows.
package struct BuiltinSetting: Sendable, Equatable {
  /// The key.
  package var key: String
  /// The items of a list, or a single value, as written.
  package var texts: [String]
  /// Where the key stands.
  package var position: SourcePosition
  /// The file that it stands in; nil for that of its node.
  package var place: SourceLocation?

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
