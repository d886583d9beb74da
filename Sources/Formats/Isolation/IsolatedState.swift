// IsolatedState.swift: what the audio thread uses of an isolated node. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// Why a node gets no more answers.
package enum IsolationFaultKind: UInt32, Sendable {
  /// The worker's thread ended.
  case ended = 1
  /// There was no answer for a long time.
  case stalled = 2
  /// The answers were late too often.
  case slow = 3

  /// The value in atomics, never 0. [render]
  var bits: UInt32 { @_noLocks get { rawValue } }
}

/// A request without an answer so far: plain data.
struct OpenRequest: BitwiseCopyable {
  /// The memory of the node whose thread renders the request: the node itself, or the first one of its chain.
  var block: UnsafeMutablePointer<cisolation_block>
  /// The id of the thread.
  var owner: UInt32
  /// The number of the request.
  var number: UInt32
  /// The index of the node among the nodes of the request.
  var chainIndex: UInt32

  /// Creates a request. [any]
  @_noLocks
  init(
    _ block: UnsafeMutablePointer<cisolation_block>, owner: UInt32, number: UInt32,
    chainIndex: UInt32
  ) {
    (self.block, self.owner, self.number, self.chainIndex) = (block, owner, number, chainIndex)
  }

  /// The state, such as `CISOLATION_ANSWERED`. [any]
  var state: Int32 {
    @_noLocks get {
      // The first node of a chain may have answered later requests since, or may have been destroyed.
      chainIndex > 0 && Int32(bitPattern: block.pointee.answered &- number) >= 0
        ? Int32(CISOLATION_ANSWERED) : cisolation_state(block, owner, number)
    }
  }
}

/// The context of an isolated node's step, at a fixed address.
struct IsolatedState: ~Copyable {
  /// How long a live node may not answer before it counts as stalled, in seconds.
  static let liveStallSeconds = 0.05
  /// The same in a rendering, as for plugins in this process.
  static let offlineStallSeconds = 2.0
  /// The number of periods that a live node may not answer at least.
  private static let liveStallBlocks = 8

  let block: UnsafeMutablePointer<cisolation_block>
  let layout: BlockLayout
  let inputCount: Int
  let outputCount: Int
  /// The id of the worker's thread, and of its process.
  let owner: UInt32
  let process: Int32
  let isOffline: Bool
  let frameNanoseconds: Double
  let stallNanoseconds: UInt64
  let unconnected = UnconnectedInput.row
  let transport: UnsafeMutablePointer<TransportState>?
  /// The start of the last block in which a node was late, of all nodes of a pool.
  let lateBlock: UnsafeMutablePointer<Atomic<UInt64>>

  /// What `sent` contains of a value that must be sent again: no number.
  static var unsent: UInt32 { @_noLocks get { .max } }

  /// The value of each parameter, and what was sent of it; as the bits of a `Float`.
  let targets: UnsafeMutablePointer<Atomic<UInt32>>
  let sent: UnsafeMutablePointer<UInt32>
  /// The values that triggers return to after a block.
  let restBits: UnsafeMutablePointer<UInt32>
  let isTrigger: UnsafeMutablePointer<Bool>
  /// Whether the worker has another value than the stored one. [render]
  let isHeld: UnsafeMutablePointer<Bool>
  let parameterCount: Int
  /// Counts the values that were set.
  let changes = Atomic<UInt32>(0)
  var takenChanges: UInt32 = 0

  /// The offset of a piece from the start of its block.
  let pieceStart: UnsafeMutablePointer<Int>
  /// MIDI that waits for an answer, and MIDI of the worker; nil if the node has none.
  let heldEvents: UnsafeMutablePointer<EventQueue>?
  let departures: UnsafeMutablePointer<EventQueue>?

  /// The pieces, frames, values and bytes of MIDI that the next request has so far.
  var pieceCount: UInt32 = 0
  var frameCount = 0
  var changeCount = 0
  var eventBytes: UInt32 = 0
  /// The values and the MIDI of the next request: the areas in shared memory, or separate ones if the worker may read
  /// those for the last request meanwhile.
  let stagedChanges: UnsafeMutablePointer<cisolation_change>
  let stagedEvents: UnsafeMutablePointer<UInt8>
  /// The delay of a node whose answers are used one block later; nil for other nodes.
  let delay: UnsafeMutablePointer<BlockDelay>?
  /// The number of the last request.
  var request: UInt32 = 0
  /// The last request, of this node or of the first one of its chain.
  var open: OpenRequest
  /// Whether the first node of the chain has written the current block, apart from the inputs, and whether the
  /// worker has answered it already.
  var isPrepared = false
  var isAnswered = false
  /// The outputs that the inputs of a prepared block were taken from, nil for unconnected ones, and whether an input
  /// was different.
  var preparedInputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
  var hasOtherInputs = false
  /// Whether the request is still open although its block is over; the time of the last look at it, and how long it was
  /// waited for until then, in ns.
  var isWaiting = false
  var waitsSince: UInt64 = 0
  var waited: UInt64 = 0
  /// The real-time priority of the worker's thread while it has a lower one; otherwise 0.
  var priority: Int32 = 0
  /// A measure of how often answers were late.
  var lateness = 0
  /// Whether the node is called no more.
  var hasFailed = false
  /// Why; 0 while it works.
  let fault = Atomic<UInt32>(0)
  /// Whether the worker has not answered the last request: if the process ended, it rendered this node then.
  let hasOpenRequest = Atomic<Bool>(false)
  /// The number of blocks without an answer in time.
  let lateCount = Atomic<UInt64>(0)
  var dry: DryFade

  /// Creates the state of a node. [main]
  init(
    _ memory: SharedMemory, _ shape: NodeShape, _ parameters: [Parameter],
    _ configuration: NodeConfiguration, owner: UInt32, process: Int32,
    lateBlock: UnsafeMutablePointer<Atomic<UInt64>>, values: [Float]
  ) {
    (block, layout) = (memory.block, memory.layout)
    (inputCount, outputCount) = (shape.inputCount, shape.outputCount)
    (self.owner, self.process) = (owner, process)
    open = OpenRequest(memory.block, owner: owner, number: 0, chainIndex: 0)
    isOffline = configuration.isOffline
    frameNanoseconds = 1e9 / configuration.sampleRateHz
    let period = Double(configuration.maximumFrameCount) / configuration.sampleRateHz
    let seconds =
      isOffline
      ? max(Self.offlineStallSeconds, 50 * period)
      : max(Self.liveStallSeconds, Double(Self.liveStallBlocks) * period)
    stallNanoseconds = UInt64(seconds * 1e9)
    transport = configuration.transport?.pointer
    self.lateBlock = lateBlock
    parameterCount = parameters.count
    let capacity = max(1, parameterCount)
    (targets, sent) = (.allocate(capacity: capacity), .allocate(capacity: capacity))
    (restBits, isTrigger) = (.allocate(capacity: capacity), .allocate(capacity: capacity))
    isHeld = .allocate(capacity: capacity)
    isHeld.initialize(repeating: false, count: capacity)
    for (index, parameter) in parameters.enumerated() {
      (targets + index).initialize(to: Atomic(values[index].bitPattern))
      (sent + index).initialize(to: values[index].bitPattern)
      (restBits + index).initialize(to: parameter.defaultValue.bitPattern)
      (isTrigger + index).initialize(to: parameter.traits.contains(.trigger))
    }
    pieceStart = .allocate(capacity: 1)
    pieceStart.initialize(to: 0)
    heldEvents = shape.flags.contains(.takesEvents) ? Self.queue() : nil
    departures = shape.flags.contains(.sendsEvents) ? Self.queue() : nil
    if configuration.isolation.isBlockLate {
      delay = .allocate(capacity: 1)
      delay?.initialize(to: BlockDelay(shape, configuration))
      stagedChanges = .allocate(capacity: layout.changeCapacity)
      stagedEvents = .allocate(capacity: Int(CISOLATION_EVENT_BYTES))
    } else {
      delay = nil
      stagedChanges = layout.changes(block)
      stagedEvents = layout.events(block)
    }
    dry = DryFade(
      inputCount: inputCount, outputCount: outputCount, sampleRateHz: configuration.sampleRateHz,
      unconnected: unconnected)
  }

  private static func queue() -> UnsafeMutablePointer<EventQueue> {
    let queue = UnsafeMutablePointer<EventQueue>.allocate(capacity: 1)
    queue.initialize(to: EventQueue())
    return queue
  }

  deinit {
    targets.deinitialize(count: parameterCount)
    targets.deallocate()
    sent.deallocate()
    restBits.deallocate()
    isTrigger.deallocate()
    isHeld.deallocate()
    pieceStart.deallocate()
    if let delay {
      delay.deinitialize(count: 1)
      delay.deallocate()
      stagedChanges.deallocate()
      stagedEvents.deallocate()
    }
    for queue in [heldEvents, departures] {
      queue?.deinitialize(count: 1)
      queue?.deallocate()
    }
  }
}
