// LV2Plugin.swift: the data of an LV2 plugin, independent of lilv. SPDX-License-Identifier: MIT

package import PluginModel

/// The data of a plugin: its description and what instantiation needs.
///
/// A plain value, copied from lilv, so that only the world's thread uses lilv.
package struct LV2Plugin: Sendable, Equatable {
  /// The public description.
  ///
  /// Ranges relative to the sample rate are in Hz at `nominalRateHz`.
  package var description: PluginDescription
  /// Minor and micro version, which decide between two plugins with the same URI.
  package var version = LV2Version()
  /// All ports by index.
  var ports: [LV2Port] = []
  /// The minimum and maximum block length in its data, in frames; nil if it has none.
  var blockLimits: ClosedRange<Int>?

  /// Whether the plugin supports resizable event buffers. [any]
  var resizesPorts: Bool { description.requestsFeature(LV2.resizePort + "resize") }

  /// The ports for MIDI input or output. [any]
  ///
  /// All output ports are used. Of several inputs only the designated one is used, because the same events would
  /// otherwise take effect twice. Without a designation all inputs are used.
  var midiPorts: [Int] {
    let indices = ports.indices.filter { ports[$0].carriesMIDI }
    let inputs = indices.filter { ports[$0].role == .atomInput }
    let designated = inputs.filter { ports[$0].isControl }
    return indices.filter { ports[$0].role == .atomOutput }
      + (designated.isEmpty ? inputs : designated)
  }

  /// The ports with buffers of the step, in order. [any]
  var signalPorts: [Int] {
    let roles: [LV2Port.Role] = [.audioInput, .cvInput, .audioOutput, .cvOutput]
    return roles.flatMap { role in ports.indices.filter { ports[$0].role == role } }
  }

  /// The port for property messages: the designated one, otherwise the first that accepts them; nil if there is
  /// none. [any]
  var patchPort: Int? {
    let inputs = ports.indices.filter { ports[$0].role == .atomInput }
    let able = inputs.filter { ports[$0].carriesPatch }
    return able.first { ports[$0].isControl } ?? able.first
      // Some data do not designate their only control port.
      ?? inputs.first { ports[$0].isControl }
  }

  /// The sample rate for ranges that depend on it.
  package static let nominalRateHz = 48_000.0
}

/// The version of an LV2 plugin: even minor numbers are releases, 0 is a pre-release.
package struct LV2Version: Sendable, Equatable, Comparable {
  /// Minor version.
  package var minor = 0
  /// Micro version.
  package var micro = 0

  /// Version 0.0.
  package init() {}

  /// Whether one is older than the other. [any]
  package static func < (one: LV2Version, other: LV2Version) -> Bool {
    (one.minor, one.micro) < (other.minor, other.micro)
  }
}

/// A port of an instance.
struct LV2Port: Sendable, Equatable {
  /// The role of a port.
  enum Role: Sendable, Equatable {
    /// The next of the node's audio inputs.
    case audioInput
    /// The next of the node's audio outputs.
    case audioOutput
    /// The parameter at a position of the description.
    case parameter(Int)
    /// The readout at a position of the description.
    case readout(Int)
    /// 1 for offline rendering, otherwise 0.
    case freeWheeling
    /// The latency of the plugin.
    case latency
    /// A field of musical time.
    case time(LV2TimeField)
    /// Events to the plugin.
    case atomInput
    /// Events from the plugin.
    case atomOutput
    /// Events to the plugin in the format before 2012: one of them receives MIDI.
    case eventInput
    /// Events from the plugin in that format: the MIDI of one of them is forwarded.
    case eventOutput
    /// The next of the node's CV inputs.
    case cvInput
    /// The next of the node's CV outputs.
    case cvOutput
    /// An unknown port; allowed only if it is optional.
    case unknown
  }

  /// The role.
  var role: Role
  /// Whether the port may stay unconnected.
  var isOptional = false
  /// Whether the port is an atom port for MIDI.
  var carriesMIDI = false
  /// Whether the port is an atom port for messages about properties.
  var carriesPatch = false
  /// Whether the port is an atom port for musical time.
  var carriesTime = false
  /// The value of an unconnected signal port.
  var restValue: Float = 0
  /// Whether the port is designated as the control port.
  var isControl = false
  /// The minimum size of an atom port's buffer, in bytes.
  var minimumSizeBytes = 0
  /// Whether its value applies to one run only (a trigger).
  var isTrigger = false
  /// Whether its range is relative to the sample rate.
  var isScaledByRate = false
  /// Whether its default is relative to the sample rate.
  var isDefaultScaledByRate = false
}
