// SessionStatus.swift: a session as `status` and `top` report it. SPDX-License-Identifier: MIT

/// A session, its nodes and their values.
package struct SessionStatus: Sendable, Equatable, Codable {
  /// A value with its unit or name for display.
  package struct ShownValue: Codable, Sendable, Equatable {
    /// The symbol of the parameter or readout.
    package var symbol: String
    /// The name.
    package var name: String
    /// The value.
    package var value: Float
    /// The unit; nil if it has none.
    package var unit: String?
    /// The name of the value: a choice, `on` or `off`; nil for numbers.
    package var choice: String?

    /// A value with its names.
    package init(symbol: String, name: String, value: Float, unit: String?, choice: String?) {
      (self.symbol, self.name, self.value) = (symbol, name, value)
      (self.unit, self.choice) = (unit, choice)
    }
  }

  /// A node.
  package struct Node: Codable, Sendable, Equatable {
    /// The name in the rig.
    package var name: String
    /// The URI, id or built-in word of its plugin.
    package var plugin: String
    /// The values of its parameters by symbol, in their units.
    package var values: [String: Float]
    /// The values of its readouts by symbol, in their units; nil if it has none.
    package var readouts: [String: Float]?
    /// The values for display, in the plugin's order.
    package var shown: [ShownValue]?
    /// The readouts for display.
    package var shownReadouts: [ShownValue]?
    /// The properties by symbol, for example files; nil if it has none.
    package var properties: [String: String]?
    /// The wet level, 0 to 1; nil for 1.
    package var wet: Float?
    /// True if it is bypassed by a user, otherwise nil.
    package var bypass: Bool?
    /// True if it is bypassed after a fault, otherwise nil.
    package var faulty: Bool?

    /// A node by its values.
    package init(
      name: String, plugin: String, values: [String: Float], readouts: [String: Float]? = nil
    ) {
      (self.name, self.plugin, self.values, self.readouts) = (name, plugin, values, readouts)
    }
  }

  /// The version of commands, replies and events.
  package var `protocol`: Int
  /// The process.
  package var process: Int
  /// The number of changes of the state.
  package var revision: UInt64
  /// The rig's name.
  package var rig: String
  /// A message: why no block is rendered at present; nil if blocks are.
  package var stall: String?
  /// The nodes in the order of the rig.
  package var nodes: [Node]
  /// The devices that are open.
  package var devices: [Event.StartedDevice]
  /// The states of all devices, also of missing ones.
  package var deviceStates: [Event.Device]?
  /// The frames per second.
  package var sampleRateHz: Double
  /// The frames of a period.
  package var periodFrames: Int
  /// The tempo; nil if unknown.
  package var transport: TransportInfo?
  /// The addresses of the web page, without the token; nil if the session has no web page.
  package var addresses: [String]?

  /// A session by its values, with the devices as `started` reports them.
  package init(
    process: Int, revision: UInt64, rig: String, stall: String?, nodes: [Node],
    stream: Event.Started
  ) {
    (self.protocol, self.process, self.revision) = (Protocol.version, process, revision)
    (self.rig, self.stall, self.nodes) = (rig, stall, nodes)
    (devices, sampleRateHz) = (stream.devices, stream.sampleRateHz)
    periodFrames = stream.periodFrames
  }
}

/// The load of a node.
package struct NodeLoadInfo: Codable, Sendable, Equatable {
  /// The name in the rig.
  package var name: String
  /// The URI, id or built-in word of its plugin.
  package var plugin: String
  /// The mean share of the period, in percent.
  package var mean: Double
  /// The share that 99 of 100 blocks stayed below, in percent.
  package var p99: Double
  /// The share of the longest block, in percent.
  package var worst: Double
  /// The highest level of its outputs, in dBFS; nil for silence.
  package var peak: Double?
  /// The delay in frames.
  package var latency: Int
  /// The number of its faults.
  package var faults: Int
  /// The last fault: `nan`, `runaway`, `overload`, `dc-offset` or `worker`; nil if there was none.
  package var lastFault: String?
  /// `own` or the group of its worker process; nil if it runs in the process of the session.
  package var isolation: String?
  /// Why it is isolated without a request: `fault`, `preflight`, `new-source` or `untrusted-format`; nil otherwise.
  package var isolationReason: String?
  /// True if its worker process has a sandbox; nil otherwise.
  package var sandbox: Bool?

  /// A node's cost by its values.
  package init(
    name: String, plugin: String, mean: Double, p99: Double, worst: Double, peak: Double?,
    latency: Int, faults: Int, lastFault: String? = nil, isolation: String? = nil,
    isolationReason: String? = nil, sandbox: Bool? = nil
  ) {
    (self.name, self.plugin, self.mean, self.p99) = (name, plugin, mean, p99)
    (self.worst, self.peak, self.latency, self.faults) = (worst, peak, latency, faults)
    self.lastFault = lastFault
    (self.isolation, self.isolationReason, self.sandbox) = (isolation, isolationReason, sandbox)
  }
}
