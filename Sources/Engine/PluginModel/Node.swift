// Node.swift: the small protocol behind which every source of nodes stands. SPDX-License-Identifier: MIT

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
  /// Whether every block is meant to have `maximumFrameCount` frames, so that nodes which want such
  /// blocks need not be delayed for them.
  ///
  /// It is a plan, not a promise: a card that comes back may insist on shorter blocks.
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

/// What the program calls for one block of a node.
///
/// Plain data: the node it comes from must outlive it.
package struct NodeStep {
  /// Called with `context`, the inputs followed by the outputs, and 1 to the maximum of frames. [render]
  package var function: crealtime_step_function
  /// The node's state as its function knows it.
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
  /// The node's state as its function knows it.
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
  /// The node's state as its function knows it.
  package var context: UnsafeMutableRawPointer
  /// What a block may be cut into without another delay: pieces of so many frames, or of multiples.
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

/// One instance of a plugin or built-in, ready to be called from a program.
///
/// A node is made, set up and destroyed on the main thread, and owns the state that its `step`
/// points to; a program that uses the step keeps the node alive. Inputs are never written unless
/// `canRunInPlace`. Parameters are set from the main thread while it renders.
package protocol Node: AnyObject {
  /// How many audio inputs the step takes. [any]
  var audioInputCount: Int { get }
  /// How many audio outputs the step fills, following the inputs. [any]
  var audioOutputCount: Int { get }
  /// How many of the outputs, the last ones, are control voltages, which may stand still. [any]
  var voltageOutputCount: Int { get }
  /// The delay from input to output, in frames, once active. [main]
  var latencyFrames: Int { get }
  /// Whether outputs may be given the inputs' memory, channel by channel. [any]
  var canRunInPlace: Bool { get }
  /// Whether it changes its inputs' memory though it must not, so that it is given copies. [main]
  var writesInputs: Bool { get }
  /// Whether it is known to make sound from silence, so that what it gives out is no tail. [main]
  var soundsAlone: Bool { get }
  /// What the program calls. [main; the function itself: render, active]
  var step: NodeStep { get }
  /// What the program calls instead, where there is something cheaper for buffers that never move; nil for
  /// nodes to which it makes no difference. [main; the functions themselves: render, active]
  var fixedStep: PreboundNodeStep? { get }
  /// Where it takes MIDI; nil if it takes none. [main; the function itself: render, active]
  var eventInput: NodeEventInput? { get }
  /// Where the step leaves the MIDI of its block, having emptied it first; read until the next step,
  /// and living as long as the node. Nil if it sends none. [main; what is in it: render, active]
  var eventOutput: UnsafeMutablePointer<EventQueue>? { get }

  /// Where it takes values that are due at a frame; nil if it has no parameters. [main; the function
  /// itself: render, active]
  var parameterInput: NodeParameterInput? { get }

  /// Sets the parameter at a position of the description's `parameters`, in its unit; a legal value,
  /// heard from the next block on. [main]
  func setParameter(_ index: Int, to value: Float)
  /// The value last set. [main]
  func parameter(_ index: Int) -> Float
  /// Gets ready to render; called once before the first block. [main, inactive]
  func activate() throws
  /// The opposite of `activate`; no block follows. [main, not rendering]
  func deactivate()
  /// Goes back to silence. [main, not rendering]
  func reset()
  /// Whether an input that nothing is connected to shall be given `UnconnectedInput.row` rather than silence,
  /// as the node knows of something better. [any]
  func knowsUnconnected(_ input: Int) -> Bool
  /// Tells by how many frames what the node hears is late, for nodes that go by musical time. [main]
  func setInputLatency(frameCount: Int)
}

/// What a step is given in the place of an input's buffer where nothing is connected.
package enum UnconnectedInput {
  /// An address that stands for no buffer: nothing is to be read there.
  // Never written, and only compared.
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
  /// Silence is all that most nodes know of.
  package func knowsUnconnected(_ input: Int) -> Bool { false }
  /// To most nodes all time is the same.
  package func setInputLatency(frameCount: Int) {}
}
