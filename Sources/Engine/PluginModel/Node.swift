// Node.swift: the protocol of every node. SPDX-License-Identifier: MIT

package import CRealtime
package import RealtimeKit

/// The settings of a node at its creation, which are the same for the whole graph.
package struct NodeConfiguration: Sendable, Equatable {
  /// Frames a second.
  package var sampleRateHz: Double
  /// The longest block of a step, in frames.
  package var maximumFrameCount: Int
  /// Whether the node is rendered faster or slower than real time, to a file.
  package var isOffline: Bool
  /// Whether every block should have `maximumFrameCount` frames, so that nodes which need such
  /// blocks have no latency.
  ///
  /// This is not guaranteed: a reopened card may require shorter blocks.
  package var hasConstantBlocks: Bool
  /// The musical time, which the engine advances; nil if there is none.
  package var transport: Transport?
  /// In which process this node runs.
  package var isolation = NodeIsolation.off
  /// The sandbox of its worker process; nil for none.
  package var sandbox: NodeSandbox?

  /// A rate above 0 and a maximum of at least 1.
  package init(
    sampleRateHz: Double, maximumFrameCount: Int, isOffline: Bool = false,
    hasConstantBlocks: Bool = false, transport: Transport? = nil
  ) {
    self.sampleRateHz = sampleRateHz
    self.maximumFrameCount = maximumFrameCount
    self.isOffline = isOffline
    self.hasConstantBlocks = hasConstantBlocks
    self.transport = transport
  }
}

/// The call for one block of a node in a render sequence.
///
/// Plain data: its node must outlive it.
package struct NodeStep {
  /// Called with `context`, the inputs followed by the outputs, and 1 to the maximum of frames. [render]
  package var function: crealtime_step_function
  /// The node's state, as its function expects it.
  package var context: UnsafeMutableRawPointer

  /// Creates a step from a function and its context.
  package init(function: crealtime_step_function, context: UnsafeMutableRawPointer) {
    self.function = function
    self.context = context
  }
}

/// An alternative to a node's step for buffers at fixed addresses, which the node receives only
/// once.
///
/// Plain data: the node must outlive it.
package struct PreboundNodeStep {
  /// Called like the step, but with 0 frames, once before the first block of each render sequence.
  ///
  /// The buffers are the same until the next call. [render]
  package var begin: crealtime_step_function
  /// Called in each block.
  package var step: NodeStep

  /// Creates a step from both functions.
  package init(begin: crealtime_step_function, step: NodeStep) {
    self.begin = begin
    self.step = step
  }
}

/// The event input of a node: complete MIDI messages without running status.
///
/// Plain data: the node must outlive it.
package struct NodeEventInput {
  /// Called with `context` before the step, once for each event of the next block, in the order of
  /// their frames.
  ///
  /// The bytes are valid during the call. [render]
  package var function: crealtime_event_function
  /// The node's state, as its function expects it.
  package var context: UnsafeMutableRawPointer

  /// Creates an input from a function and its context.
  package init(function: crealtime_event_function, context: UnsafeMutableRawPointer) {
    self.function = function
    self.context = context
  }
}

/// The parameter input of a node, for values from its render thread.
///
/// Plain data: the node must outlive it.
package struct NodeParameterInput {
  /// Called with `context` before the step, with a legal value for the frames that the step renders
  /// next. [render]
  package var function: crealtime_parameter_function
  /// The node's state, as its function expects it.
  package var context: UnsafeMutableRawPointer
  /// The length of the pieces that a block may be split into without additional latency: this
  /// number of frames, or multiples.
  package var unitFrameCount: Int
  /// The variable from which the node reads the offset of a piece from the start of its block, in frames; nil for a
  /// node that does not use musical time.
  package var pieceStart: UnsafeMutablePointer<Int>?
  /// How a value is used in place of the one that `setParameter` stores; nil if it cannot be.
  package var hold: NodeParameterHold?

  /// Creates an input from a function and its context, for a node whose blocks may be split
  /// anywhere.
  package init(
    function: crealtime_parameter_function, context: UnsafeMutableRawPointer,
    unitFrameCount: Int = 1, pieceStart: UnsafeMutablePointer<Int>? = nil,
    hold: NodeParameterHold? = nil
  ) {
    (self.function, self.context) = (function, context)
    (self.unitFrameCount, self.pieceStart) = (unitFrameCount, pieceStart)
    self.hold = hold
  }
}

/// The functions that hold a parameter at another value than the stored one, with the context of the input.
///
/// Plain data: the node must outlive it.
package struct NodeParameterHold {
  /// Called before the step with a value for it and whether to hold it.
  ///
  /// A node that is held ignores the stored value. When it is no longer held, it takes the stored value as if that
  /// had just been set. [render]
  package var function: crealtime_parameter_function
  /// Returns the stored value. [render]
  package var stored: crealtime_value_function

  /// Creates the functions.
  package init(_ function: crealtime_parameter_function, stored: crealtime_value_function) {
    (self.function, self.stored) = (function, stored)
  }
}

/// One instance of a plugin or built-in that a render sequence can call.
///
/// A node is created, set up and destroyed on the main thread, and owns the state of its `step`. A
/// render sequence that uses the step keeps the node alive. Inputs are never written unless
/// `canRunInPlace`. Parameters are set from the main thread during rendering.
package protocol Node: AnyObject {
  /// The number of audio inputs of the step. [any]
  var audioInputCount: Int { get }
  /// The number of audio outputs of the step, which follow the inputs. [any]
  var audioOutputCount: Int { get }
  /// The number of control voltages, the last outputs, which may be constant. [any]
  var voltageOutputCount: Int { get }
  /// The latency from input to output, in frames, once active. [main]
  var latencyFrames: Int { get }
  /// Whether outputs may share the memory of the inputs, channel by channel. [any]
  var canRunInPlace: Bool { get }
  /// Whether its code is a plugin's, which may write to its inputs although it must not. So it gets
  /// copies of inputs that have other readers. [any]
  var mayWriteInputs: Bool { get }
  /// Whether the node is known to produce audio from silence, so that its output is not a tail.
  /// [main]
  var generatesAudio: Bool { get }
  /// An object that all `ChainableNode`s share which can be rendered together; nil for other nodes. [main]
  var chainHost: AnyObject? { get }
  /// The step of the render sequence. [main; the function itself: render, active]
  var step: NodeStep { get }
  /// A faster step for buffers at fixed addresses; nil if there is none. [main; the functions
  /// themselves: render, active]
  var fixedStep: PreboundNodeStep? { get }
  /// The MIDI input; nil if the node has none. [main; the function itself: render, active]
  var eventInput: NodeEventInput? { get }
  /// The buffer to which the step writes the MIDI of its block, after clearing it.
  ///
  /// It is valid until the next step, and lives as long as the node. Nil if it sends none. [main;
  /// its content: render, active]
  var eventOutput: UnsafeMutablePointer<EventQueue>? { get }

  /// The input for values at exact frames; nil if the node has no parameters. [main; the function
  /// itself: render, active]
  var parameterInput: NodeParameterInput? { get }

  /// Sets the parameter at an index of the description's `parameters`, in its unit, to a legal
  /// value, effective from the next block. [main]
  func setParameter(_ index: Int, to value: Float)
  /// The value last set. [main]
  func parameter(_ index: Int) -> Float
  /// Prepares to render; called once before the first block. [main, inactive]
  func activate() throws
  /// The opposite of `activate`; no block follows. [main, not rendering]
  func deactivate()
  /// Goes back to silence. [main, not rendering]
  func reset()
  /// Whether an unconnected input gets `UnconnectedInput.row` instead of silence, because the node
  /// has a better default. [any]
  func hasUnconnectedDefault(_ input: Int) -> Bool
  /// Sets the latency of the node's inputs in frames, for nodes that use musical time. [main]
  func setInputLatency(frameCount: Int)
  /// The capabilities besides rendering. [main]
  var capabilities: NodeCapabilities { get }
}

/// The buffer of unconnected inputs.
package enum UnconnectedInput {
  /// The address that marks an unconnected input: it must not be read.
  ///
  /// Never written, and only compared.
  package nonisolated(unsafe) static let row: UnsafeMutablePointer<Float> = {
    let row = UnsafeMutablePointer<Float>.allocate(capacity: 1)
    row.initialize(to: 0)
    return row
  }()
}

extension Node {
  /// Default: no control voltages.
  package var voltageOutputCount: Int { 0 }
  /// Default: the inputs are not written.
  package var mayWriteInputs: Bool { false }
  /// Default: silence for silent inputs.
  package var generatesAudio: Bool { false }
  /// Default: rendered alone.
  package var chainHost: AnyObject? { nil }
  /// No prebound step: most nodes read the buffer pointers in each block.
  package var fixedStep: PreboundNodeStep? { nil }
  /// Default: no MIDI.
  package var eventInput: NodeEventInput? { nil }
  /// Default: none.
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { nil }
  /// Default: none.
  package var parameterInput: NodeParameterInput? { nil }
  /// Returns false: most nodes use silence.
  package func hasUnconnectedDefault(_ input: Int) -> Bool { false }
  /// Default: ignored.
  package func setInputLatency(frameCount: Int) {}
  /// Default: none.
  package var capabilities: NodeCapabilities { NodeCapabilities() }
}
