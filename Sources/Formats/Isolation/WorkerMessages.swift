// WorkerMessages.swift: requests to a worker process and its replies. SPDX-License-Identifier: MIT
//
// The binary format is in WorkerMessages+BinaryCoding.swift. A change requires another `CISOLATION_VERSION`.

internal import PluginCatalogue
internal import PluginModel

/// A request to a worker process about one of its nodes.
struct WorkerRequest {
  /// The action.
  enum Action {
    /// Compares the versions of both programs.
    case hello
    /// Enters the sandbox; the descriptor of its record follows the reply, and another reply with the parts in force.
    case sandbox(readable: [String], directory: String)
    /// Creates the node.
    case create(NodeRequest)
    /// Takes the shared memory, whose descriptor follows the reply.
    case share
    case activate
    case deactivate
    case reset
    case destroy
    /// Returns the status, on request with current readouts.
    case poll(refreshesReadouts: Bool)
    case setProperty(Int, PropertyValue)
    case loadPreset(PluginPreset)
    case savePreset(name: String, bank: PluginPreset.Bank?, directory: String, replaces: Bool)
    case saveState(directory: String)
    case restoreState(directory: String)
    /// Returns the state as bytes.
    case saveBytes
    case restoreBytes([UInt8])
    case setBlockLength(Int)
    case setInputLatency(Int)
    /// Saves the state regularly from now on, and keeps the older of two saved states for some seconds.
    case keepState(directory: String, olderSeconds: Int)
  }

  /// The number of the node in its worker.
  var node: UInt32 = 0
  /// The value of every parameter, which is set first; empty for no change.
  var values: [Float] = []
  /// The action.
  var action: Action
}

/// The settings for a new node in a worker process.
struct NodeRequest {
  var plugin: PluginDescription
  var traits: Preflight.Traits
  var sampleRateHz: Double
  var maximumFrameCount: Int
  var isOffline: Bool
  var hasConstantBlocks: Bool
  var hasTransport: Bool
}

/// The reply of a worker process.
struct WorkerReply {
  /// The first byte of a crash report; that of a reply is 0 or 1.
  static let crashKind: UInt8 = 2

  /// The message of an error of the plugin; nil for success.
  var error: String?
  /// The reason why a property was not set; nil for success.
  var propertyError: PropertyError?
  /// The result of actions that return a yes or no.
  var flag = false
  /// A version, or the id of a thread.
  var number: UInt32 = 0
  /// The result of `saveBytes`; nil if there is no state.
  var bytes: [UInt8]?
  /// The shape of a new node.
  var shape: NodeShape?
  /// The status after the action; nil if there is no such node.
  var status: NodeStatus?
}

/// What does not change in the life of a node.
struct NodeShape: Equatable {
  /// Capabilities as bits.
  struct Flags: OptionSet, Equatable {
    let rawValue: UInt32
    static let generatesAudio = Flags(rawValue: 1)
    static let takesEvents = Flags(rawValue: 2)
    static let sendsEvents = Flags(rawValue: 4)
    static let takesParameters = Flags(rawValue: 8)
    static let hasState = Flags(rawValue: 16)
    static let hasDirectoryState = Flags(rawValue: 32)
    static let mayHaveDirectoryState = Flags(rawValue: 64)
    static let transfersState = Flags(rawValue: 128)
    static let hasPresets = Flags(rawValue: 256)
    static let hasProperties = Flags(rawValue: 512)
    static let acceptsPropertiesWhileRendering = Flags(rawValue: 1_024)
    static let hasReadouts = Flags(rawValue: 2_048)
    static let logs = Flags(rawValue: 4_096)
    static let observesBlockLength = Flags(rawValue: 8_192)
    static let usesPieceStart = Flags(rawValue: 16_384)
  }

  var flags: Flags = []
  var inputCount = 0
  var outputCount = 0
  var voltageOutputCount = 0
  /// The pieces into which blocks may be split, in frames.
  var unitFrameCount = 1
  /// The smallest and the largest value of each parameter at the node's rate.
  var ranges: [ClosedRange<Float>] = []
  /// Whether each input has a default other than silence.
  var unconnectedDefaults: [Bool] = []

  /// The most channels in one direction that a reply may claim.
  static let channelLimit = 4_096
}

/// What may change while a node exists.
struct NodeStatus: Equatable {
  var latencyFrames = 0
  var adaptation: NodeAdaptation?
  var hasChangedState = false
  var parameters: [Float] = []
  var readouts: [Float] = []
  /// The values of all properties; nil if they are the same as in the last status.
  var properties: [PropertyValue?]?
  /// The properties that the plugin has changed.
  var changedProperties: [Int] = []
  var messages: [PluginLogMessage] = []
  var droppedMessageCount = 0

  /// The longest latency that is believed, in frames, as for plugins in this process.
  static let longestLatencyFrames = 16_777_216
}
