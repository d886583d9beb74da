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

  /// The port that is given MIDI, or that MIDI is taken from: the designated one, else the first. [any]
  func midiPort(_ role: LV2Port.Role) -> Int? {
    let places = ports.indices.filter { ports[$0].role == role && ports[$0].carriesMIDI }
    return places.first { ports[$0].isControl } ?? places.first
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
    /// Events to the plugin: MIDI to one of them, none to the others.
    case atomInput
    /// Events from the plugin: of one of them the MIDI goes on, all others are dropped.
    case atomOutput
    /// Events to the plugin in the form before 2012: MIDI to one of them, none to the others.
    case eventInput
    /// Events from the plugin in that form: of one of them the MIDI goes on.
    case eventOutput
    /// Control voltage to the plugin; zeroes.
    case cvInput
    /// Control voltage from the plugin; dropped.
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
  /// Whether it is designated as the port by which the plugin is controlled.
  var isControl = false
  /// The least size of an atom port's buffer, in bytes.
  var minimumSizeBytes = 0
  /// Whether a value stands for one run only.
  var isTrigger = false
  /// Whether its range is in parts of the sample rate.
  var isScaledByRate = false
}
