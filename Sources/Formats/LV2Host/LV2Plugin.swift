// LV2Plugin.swift: an LV2 plugin as its data describe it, free of lilv. SPDX-License-Identifier: MIT

package import PluginModel

/// Everything that was read of one plugin: what people see of it, and what instantiating it takes.
///
/// A plain value, copied out of lilv, so that nothing outside the world's thread touches lilv.
package struct LV2Plugin: Sendable, Equatable {
  /// What people see.
  ///
  /// Ranges that the plugin gives as parts of the sample rate are in Hz at
  /// `nominalRateHz`.
  package var description: PluginDescription
  /// Minor and micro version, by which the newer of two plugins of one URI is known.
  package var version = LV2Version()
  /// All its ports, by index.
  var ports: [LV2Port] = []
  /// The shortest and the longest block that its data allow, in frames; nil if they say nothing.
  var blockLimits: ClosedRange<Int>?

  /// Whether it knows of event buffers that grow. [any]
  var resizesPorts: Bool { description.asks(for: LV2.resizePort + "resize") }

  /// The ports that are given MIDI, or that MIDI is taken from. [any]
  ///
  /// What comes out of any port goes on. Of several inputs the designated one gets all, as
  /// another that got the same would double it; where none is designated all of them do.
  var midiPorts: [Int] {
    let places = ports.indices.filter { ports[$0].carriesMIDI }
    let inputs = places.filter { ports[$0].role == .atomInput }
    let designated = inputs.filter { ports[$0].isControl }
    return places.filter { ports[$0].role == .atomOutput }
      + (designated.isEmpty ? inputs : designated)
  }

  /// The ports that a step has buffers for, in their order. [any]
  var signalPorts: [Int] {
    let roles: [LV2Port.Role] = [.audioInput, .cvInput, .audioOutput, .cvOutput]
    return roles.flatMap { role in ports.indices.filter { ports[$0].role == role } }
  }

  /// The port that is told of properties: the designated one, else the first that takes messages; nil
  /// where none does. [any]
  var patchPort: Int? {
    let inputs = ports.indices.filter { ports[$0].role == .atomInput }
    let able = inputs.filter { ports[$0].carriesPatch }
    return able.first { ports[$0].isControl } ?? able.first
      // Some data do not say what their one control port is for.
      ?? inputs.first { ports[$0].isControl }
  }

  /// The rate at which ranges that depend on the rate are described.
  package static let nominalRateHz = 48_000.0
}

/// The version of an LV2 plugin: even minor numbers are releases, 0 is not one.
package struct LV2Version: Sendable, Equatable, Comparable {
  /// Minor version.
  package var minor = 0
  /// Micro version.
  package var micro = 0

  /// Version 0.0.
  package init() {}

  /// Whether one is older than another. [any]
  package static func < (one: LV2Version, other: LV2Version) -> Bool {
    (one.minor, one.micro) < (other.minor, other.micro)
  }
}

/// One port, as the instance needs it.
struct LV2Port: Sendable, Equatable {
  /// What is connected to it.
  enum Role: Sendable, Equatable {
    /// The next of the node's audio inputs.
    case audioInput
    /// The next of the node's audio outputs.
    case audioOutput
    /// The parameter at a position of the description.
    case parameter(Int)
    /// The readout at a position of the description.
    case readout(Int)
    /// 1 while rendering to a file, else 0.
    case freeWheeling
    /// Where the plugin writes its delay.
    case latency
    /// Told one fact of musical time.
    case time(LV2TimeField)
    /// Events to the plugin.
    case atomInput
    /// Events from the plugin.
    case atomOutput
    /// Events to the plugin in the form before 2012: MIDI to one of them, none to the others.
    case eventInput
    /// Events from the plugin in that form: of one of them the MIDI goes on.
    case eventOutput
    /// The next of the node's control-voltage inputs.
    case cvInput
    /// The next of the node's control-voltage outputs.
    case cvOutput
    /// Nothing that this host knows; legal only for an optional port.
    case unknown
  }

  /// What is connected to it.
  var role: Role
  /// Whether it may be left unconnected.
  var isOptional = false
  /// Whether it is an atom port for MIDI.
  var carriesMIDI = false
  /// Whether it is an atom port for messages about properties.
  var carriesPatch = false
  /// Whether it is an atom port that wants to be told of musical time.
  var carriesTime = false
  /// What a signal port is given where nothing is connected to it.
  var restValue: Float = 0
  /// Whether it is designated as the port by which the plugin is controlled.
  var isControl = false
  /// The least size of an atom port's buffer, in bytes.
  var minimumSizeBytes = 0
  /// Whether a value stands for one run only.
  var isTrigger = false
  /// Whether its range is in parts of the sample rate.
  var isScaledByRate = false
  /// Whether its default is so too.
  var isDefaultScaledByRate = false
}
