// Node.swift: the protocol of every node. SPDX-License-Identifier: MIT

package import CRealtime
package import RealtimeKit

/// How a node is made: the same for the whole graph.
package struct NodeConfiguration: Sendable, Equatable {
  /// Frames a second.
  package var sampleRateHz: Double
  /// The longest block that a step will be given, in frames.
  package var maximumFrameCount: Int
  /// Whether the node is rendered faster or slower than real time, to a file.
  package var isOffline: Bool
  /// Whether every block is meant to have `maximumFrameCount` frames, so that nodes that need such
  /// blocks are not delayed.
  ///
  /// It is not a guarantee: a reopened card may require shorter blocks.
  package var hasConstantBlocks: Bool
  /// Musical time, advanced by whoever renders the node; nil where there is none.
  package var transport: Transport?

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

  /// A function and what it is called with.
  package init(function: crealtime_step_function, context: UnsafeMutableRawPointer) {
    self.function = function
    self.context = context
  }
}

/// What a program may call in the place of a node's step, as it hands the same buffers over in every
/// block: a node that has to be told where its buffers are is told once, and need not look again.
///
/// Plain data: the node it comes from must outlive it.
package struct PreboundNodeStep {
  /// Called as the step is, but for 0 frames, once before the first block of each program: the buffers
  /// stay the same until it is called again. [render]
  package var begin: crealtime_step_function
  /// Called in each block.
  package var step: NodeStep

  /// What is called first, and what then.
  package init(begin: crealtime_step_function, step: NodeStep) {
    self.begin = begin
    self.step = step
  }
}

/// Where a node takes events: MIDI messages, each whole and without running status.
///
/// Plain data: the node it comes from must outlive it.
package struct NodeEventInput {
  /// Called with `context` before the step, once for each event of the block that the step renders
  /// next, in the order of their frames; the bytes are valid during the call. [render]
  package var function: crealtime_event_function
  /// The node's state, as its function expects it.
  package var context: UnsafeMutableRawPointer

  /// A function and what it is called with.
  package init(function: crealtime_event_function, context: UnsafeMutableRawPointer) {
    self.function = function
    self.context = context
  }
}

/// Where a node takes values for its parameters from the thread that renders it.
///
/// Plain data: the node it comes from must outlive it.
package struct NodeParameterInput {
  /// Called with `context` before the step, with a legal value for what the step renders next. [render]
  package var function: crealtime_parameter_function
  /// The node's state, as its function expects it.
  package var context: UnsafeMutableRawPointer
  /// The pieces that a block may be cut into without another delay: this number of frames, or
  /// multiples.
  package var unitFrameCount: Int
  /// Where the node reads by how many frames a piece begins behind the start of its block; nil for one
  /// that does not go by musical time.
  package var pieceStart: UnsafeMutablePointer<Int>?

  /// A function and what it is called with, of a node whose blocks may be cut anywhere.
  package init(
    function: crealtime_parameter_function, context: UnsafeMutableRawPointer,
    unitFrameCount: Int = 1, pieceStart: UnsafeMutablePointer<Int>? = nil
  ) {
    (self.function, self.context) = (function, context)
    (self.unitFrameCount, self.pieceStart) = (unitFrameCount, pieceStart)
  }
}

/// One instance of a plugin or built-in that a render sequence can call.
///
/// A node is created, set up and destroyed on the main thread, and owns the state of its `step`. A
/// render sequence that uses the step keeps the node alive. Inputs are never written unless
/// `canRunInPlace`. Parameters are set from the main thread during rendering.
package protocol Node: AnyObject {
  /// How many audio inputs the step takes. [any]
  var audioInputCount: Int { get }
  /// How many audio outputs the step fills, following the inputs. [any]
  var audioOutputCount: Int { get }
  /// The number of control voltages, the last outputs, which may be constant. [any]
  var voltageOutputCount: Int { get }
  /// The delay from input to output, in frames, once active. [main]
  var latencyFrames: Int { get }
  /// Whether outputs may be given the inputs' memory, channel by channel. [any]
  var canRunInPlace: Bool { get }
  /// Whether it changes its inputs' memory though it must not, so that it is given copies. [main]
  var writesInputs: Bool { get }
  /// Whether the node is known to produce audio from silence, so that its output is not a tail.
  /// [main]
  var soundsAlone: Bool { get }
  /// The step of the render sequence. [main; the function itself: render, active]
  var step: NodeStep { get }
  /// A cheaper step for buffers that never move; nil if there is none. [main; the functions
  /// themselves: render, active]
  var fixedStep: PreboundNodeStep? { get }
  /// Where it takes MIDI; nil if it takes none. [main; the function itself: render, active]
  var eventInput: NodeEventInput? { get }
  /// Where the step leaves the MIDI of its block, having emptied it first; read until the next step,
  /// and living as long as the node. Nil if it sends none. [main; what is in it: render, active]
  var eventOutput: UnsafeMutablePointer<EventQueue>? { get }

  /// Where it takes values that are due at a frame; nil if it has no parameters. [main; the function
  /// itself: render, active]
  var parameterInput: NodeParameterInput? { get }

  /// Sets the parameter at an index of the description's `parameters`, in its unit, to a legal
  /// value, effective from the next block. [main]
  func setParameter(_ index: Int, to value: Float)
  /// The value last set. [main]
  func parameter(_ index: Int) -> Float
  /// Gets ready to render; called once before the first block. [main, inactive]
  func activate() throws
  /// The opposite of `activate`; no block follows. [main, not rendering]
  func deactivate()
  /// Goes back to silence. [main, not rendering]
  func reset()
  /// Whether an unconnected input gets `UnconnectedInput.row` instead of silence, because the node
  /// has a better default. [any]
  func knowsUnconnected(_ input: Int) -> Bool
  /// Sets the latency of the node's inputs in frames, for nodes that use musical time. [main]
  func setInputLatency(frameCount: Int)
  /// What it can do besides rendering. [main]
  var abilities: NodeAbilities { get }
}

/// What a step is given in the place of an input's buffer where nothing is connected.
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
  /// None: most nodes give out sound alone.
  package var voltageOutputCount: Int { 0 }
  /// Most nodes leave them alone.
  package var writesInputs: Bool { false }
  /// Most nodes only change sound.
  package var soundsAlone: Bool { false }
  /// None: most nodes look at the buffers as they come.
  package var fixedStep: PreboundNodeStep? { nil }
  /// None: most nodes have to do with sound alone.
  package var eventInput: NodeEventInput? { nil }
  /// None.
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { nil }
  /// None.
  package var parameterInput: NodeParameterInput? { nil }
  /// Returns false: most nodes use silence.
  package func knowsUnconnected(_ input: Int) -> Bool { false }
  /// To most nodes all time is the same.
  package func setInputLatency(frameCount: Int) {}
  /// None.
  package var abilities: NodeAbilities { NodeAbilities() }
}
