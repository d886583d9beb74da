// DriverKind.swift: one kind of driver, and the device names that it serves. SPDX-License-Identifier: MIT

/// A kind of driver: the device names that it serves, and how it is opened.
///
/// Each driver target declares one as a static member, and a `DriverRegistry` lists them.
package struct DriverKind: Sendable {
  /// Opens the devices of a request that this kind serves.
  package typealias Open =
    @Sendable (_ request: StreamRequest, _ context: DriverContext) throws -> any AudioDriver
  /// Opens the devices of a request that this kind serves, together with those of another driver.
  ///
  /// The other driver clocks the graph; the last parameter opens it.
  package typealias OpenPaired =
    @Sendable (
      _ request: StreamRequest, _ context: DriverContext, _ primary: () throws -> any AudioDriver
    ) throws -> any AudioDriver

  /// The schemes of the device names that it serves, as `DriverRegistry.scheme` finds them.
  ///
  /// Empty for the kind that serves all names that no other kind does.
  package let schemes: Set<String>
  /// Whether one device of this kind replaces the devices of both directions, even if only one is
  /// named.
  package let replacesAllDevices: Bool
  /// The end of the message why its devices cannot be combined with those of other kinds.
  package let exclusion: String?
  /// Opens its devices, which clock the graph.
  package let open: Open
  /// Opens its devices together with those of another driver.
  ///
  /// Nil for a kind that clocks the graph or does not run.
  package let openPaired: OpenPaired?

  /// Creates a kind. [any]
  package init(
    schemes: Set<String>, replacesAllDevices: Bool = false, exclusion: String? = nil,
    open: @escaping Open, openPaired: OpenPaired? = nil
  ) {
    self.schemes = schemes
    self.replacesAllDevices = replacesAllDevices
    self.exclusion = exclusion
    self.open = open
    self.openPaired = openPaired
  }
}

/// Information about the program that opens a driver.
package struct DriverContext {
  /// The channels and blocks of a graph between pipes or files.
  package struct GraphShape: Sendable, Equatable {
    /// The number of output channels.
    package var outputChannelCount: Int
    /// The block length, in frames.
    package var blockFrames: Int

    /// Creates a shape. [any]
    package init(outputChannelCount: Int, blockFrames: Int) {
      self.outputChannelCount = outputChannelCount
      self.blockFrames = blockFrames
    }
  }

  /// The length of the audio, in seconds, for drivers without a clock; nil for all of it.
  package var seconds: Double?
  /// Returns whether the driver may continue to wait for the first audio.
  ///
  /// Called about ten times a second.
  package var canWait: () -> Bool = { true }
  /// Called when the audio has ended. [the driver's thread]
  package var onEnd: @Sendable () -> Void = {}
  /// The graph's shape for a number of input channels at a rate, for drivers without a device that
  /// determines it.
  ///
  /// `defaultFrames` is the block length of a graph that requests none.
  package var shape:
    (_ inputChannelCount: Int, _ plays: Bool, _ sampleRateHz: Int, _ defaultFrames: Int) throws
      -> GraphShape

  /// Creates a context; by default the graph plays as many channels as it captures, at least two.
  /// [any]
  package init(
    shape: @escaping (Int, Bool, Int, Int) throws -> GraphShape = {
      inputs, plays, _, defaultFrames in
      GraphShape(outputChannelCount: plays ? max(2, inputs) : 0, blockFrames: defaultFrames)
    }
  ) {
    self.shape = shape
  }
}
