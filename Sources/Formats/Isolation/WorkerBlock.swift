// WorkerBlock.swift: renders the blocks of a node in a worker process. SPDX-License-Identifier: MIT
//
// Real-time code, apart from the creation: nothing here allocates, locks or throws. The thread waits only for the
// next block.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// The context of a worker's render thread, at a fixed address.
struct WorkerBlock: ~Copyable {
  let block: UnsafeMutablePointer<cisolation_block>
  let layout: BlockLayout
  let inputCount: Int
  let outputCount: Int
  /// The step, and its function for fixed buffers; nil if the node has none.
  var step: crealtime_step
  let begin: crealtime_step?
  let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let unconnected = UnconnectedInput.row
  let events: NodeEventInput?
  let sent: UnsafeMutablePointer<EventQueue>?
  let parameters: NodeParameterInput?
  let transport: UnsafeMutablePointer<TransportState>?
  /// The values and the bytes of MIDI of the request that the node has received.
  var takenChanges = 0
  var takenEventBytes: UInt32 = 0
  /// The number of rendered requests.
  let renderedCount = Atomic<UInt32>(0)
  /// The number of frames of the last request.
  var renderedFrames = 0
  /// The nodes that this one renders in the same request, by their indices.
  let chain: UnsafeMutablePointer<UnsafeMutablePointer<WorkerBlock>>
  /// The nodes before this one in a request of another node.
  var predecessors: UnsafeMutablePointer<UnsafeMutablePointer<WorkerBlock>>?
  /// All nodes of the process.
  let table: WorkerTable
  /// Whether the node knows the addresses of its buffers.
  var hasBegun = false
  /// The id of the thread once it owns the memory; `UInt32.max` if it cannot.
  let owner = Atomic<UInt32>(0)

  /// The level above which the host may silence a node: +40 dBFS, linear.
  static var soundLimit: Float { @_noLocks get { 100 } }

  /// Prepares a node for the blocks in shared memory. [main]
  init(
    _ memory: SharedMemory, _ node: any Node, _ transport: Transport?, _ table: WorkerTable
  ) {
    self.table = table
    chain = .allocate(capacity: Int(CISOLATION_CHAIN))
    (block, layout) = (memory.block, memory.layout)
    (inputCount, outputCount) = (node.audioInputCount, node.audioOutputCount)
    buffers = .allocate(capacity: max(1, inputCount + outputCount))
    for channel in 0 ..< inputCount + outputCount {
      (buffers + channel).initialize(to: layout.channel(block, channel))
    }
    let rows = UnsafePointer(buffers)
    let nodeStep = node.fixedStep?.step ?? node.step
    step = crealtime_step(function: nodeStep.function, context: nodeStep.context, buffers: rows)
    begin = node.fixedStep.map {
      crealtime_step(function: $0.begin, context: $0.step.context, buffers: rows)
    }
    (events, sent, parameters) = (node.eventInput, node.eventOutput, node.parameterInput)
    self.transport = transport?.pointer
  }

  deinit {
    buffers.deallocate()
    chain.deallocate()
  }
}

/// Renders blocks until the memory is closed. [a worker's thread]
nonisolated func runWorkerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let state = context.assumingMemoryBound(to: WorkerBlock.self)
  let owner = cisolation_own(state.pointee.block)
  // Pairs with the acquiring load in `WorkerNode.share`.
  state.pointee.owner.store(owner == 0 ? .max : owner, ordering: .releasing)
  guard owner != 0 else { return nil }
  renderRequests(state, owner: owner)
  return nil
}

@_noLocks
private func renderRequests(_ state: UnsafeMutablePointer<WorkerBlock>, owner: UInt32) {
  let block = state.pointee.block
  var request: UInt32 = 0
  while true {
    let next = cisolation_next_request(block, request)
    guard next != request else { return }
    request = next
    cisolation_follow_waiter(block.pointee.waiter)
    renderRequest(state)
    cisolation_answer(block, owner, request)
    cisolation_follow_processor(block.pointee.processor)
  }
}

@_noLocks
private func renderRequest(_ state: UnsafeMutablePointer<WorkerBlock>) {
  let mode = crealtime_flush_denormals()
  let block = state.pointee.block
  block.pointee.progress = 0
  renderNode(state)
  let count = max(1, min(block.pointee.chain_count, UInt32(CISOLATION_CHAIN)))
  var chainIndex: UInt32 = 1
  state.pointee.chain[0] = state
  while chainIndex < count, let next = follower(of: state, at: chainIndex) {
    block.pointee.progress = chainIndex
    renderNode(next)
    chainIndex &+= 1
  }
  block.pointee.rendered_count = chainIndex
  crealtime_check_x87(nil)
  crealtime_restore_denormals(mode)
}

/// Returns a node of the chain whose inputs are complete; nil if it does not exist, or if the outputs of the node
/// before it are a fault, which the host handles first.
@_noLocks
private func follower(
  of state: UnsafeMutablePointer<WorkerBlock>, at chainIndex: UInt32
) -> UnsafeMutablePointer<WorkerBlock>? {
  guard isSound(state.pointee.chain[Int(chainIndex) &- 1]),
    let next = state.pointee.table.node(
      cisolation_chain_at(state.pointee.block, chainIndex).pointee)
  else { return nil }
  state.pointee.chain[Int(chainIndex)] = next
  next.pointee.predecessors = state.pointee.chain
  return next
}

/// Whether the outputs of a node are below the levels at which the host silences a node.
@_noLocks
private func isSound(_ state: UnsafeMutablePointer<WorkerBlock>) -> Bool {
  for channel in 0 ..< state.pointee.outputCount {
    let output = state.pointee.layout.channel(
      state.pointee.block, state.pointee.inputCount &+ channel)
    guard PeakMeter.peak(output, state.pointee.renderedFrames) <= WorkerBlock.soundLimit else {
      return false
    }
  }
  return true
}

@_noLocks
private func renderNode(_ state: UnsafeMutablePointer<WorkerBlock>) {
  takeTime(state)
  state.pointee.block.pointee.sent_bytes = 0
  state.pointee.takenChanges = 0
  state.pointee.takenEventBytes = 0
  var start = 0
  for index in 0 ..< state.pointee.block.pointee.piece_count {
    let piece = cisolation_piece_at(state.pointee.block, index).pointee
    renderPiece(state, piece, from: start)
    start &+= Int(piece.frame_count)
  }
  state.pointee.renderedFrames = start
  state.pointee.renderedCount.add(1, ordering: .relaxed)
}

@_noLocks
private func renderPiece(
  _ state: UnsafeMutablePointer<WorkerBlock>, _ piece: cisolation_piece, from start: Int
) {
  connect(state, from: start)
  state.pointee.parameters?.pieceStart?.pointee = Int(piece.start)
  takeChanges(state, piece)
  takeEvents(state, piece)
  withUnsafePointer(to: &state.pointee.step) {
    crealtime_run_checked_step($0, piece.frame_count)
  }
  sendEvents(state, from: start)
}

/// Passes the addresses of the buffers from a frame on to a node that receives them only once, and again if they have
/// changed.
@_noLocks
private func connect(_ state: UnsafeMutablePointer<WorkerBlock>, from start: Int) {
  for channel in 0 ..< state.pointee.inputCount &+ state.pointee.outputCount {
    let buffer = buffer(of: channel, state, from: start)
    guard buffer != state.pointee.buffers[channel] else { continue }
    state.pointee.buffers[channel] = buffer
    state.pointee.hasBegun = false
  }
  guard !state.pointee.hasBegun else { return }
  state.pointee.hasBegun = true
  guard var begin = state.pointee.begin else { return }
  crealtime_call_step(&begin, 0)
}

/// Returns the buffer of an input or output from a frame on.
@_noLocks
private func buffer(
  of channel: Int, _ state: UnsafeMutablePointer<WorkerBlock>, from start: Int
) -> UnsafeMutablePointer<Float> {
  let source =
    channel < state.pointee.inputCount
    ? state.pointee.layout.sources(state.pointee.block)[channel] : UInt32(CISOLATION_OWN)
  if source == UInt32(CISOLATION_UNCONNECTED) { return state.pointee.unconnected }
  guard source != UInt32(CISOLATION_OWN), let chain = state.pointee.predecessors else {
    return state.pointee.layout.channel(state.pointee.block, channel) + start
  }
  let before = chain[Int(source >> 16) &- 1]
  return before.pointee.layout.channel(
    before.pointee.block, before.pointee.inputCount &+ Int(source & 0xffff)) + start
}

@_noLocks
private func takeTime(_ state: UnsafeMutablePointer<WorkerBlock>) {
  let block = state.pointee.block
  guard let transport = state.pointee.transport, block.pointee.has_time != 0 else { return }
  var position = transport.pointee.position
  withUnsafePointer(to: &block.pointee.time) { time in
    withUnsafeMutablePointer(to: &position) {
      cisolation_copy($0, time, MemoryLayout<TransportPosition>.size)
    }
  }
  setTransportPosition(transport, position)
}

@_noLocks
private func takeChanges(_ state: UnsafeMutablePointer<WorkerBlock>, _ piece: cisolation_piece) {
  guard let parameters = state.pointee.parameters else { return }
  let changes = state.pointee.layout.changes(state.pointee.block)
  while state.pointee.takenChanges < Int(piece.change_end) {
    let change = changes[state.pointee.takenChanges]
    state.pointee.takenChanges &+= 1
    crealtime_set_parameter(
      parameters.function, parameters.context, change.index, change.value, change.is_jump != 0)
  }
}

@_noLocks
private func takeEvents(_ state: UnsafeMutablePointer<WorkerBlock>, _ piece: cisolation_piece) {
  guard let input = state.pointee.events else { return }
  let area = state.pointee.layout.events(state.pointee.block)
  while true {
    let event = cisolation_next_event(area, piece.event_end, &state.pointee.takenEventBytes)
    guard let bytes = event.bytes else { return }
    crealtime_send_event(input.function, input.context, event.frame, bytes, event.count)
  }
}

/// Appends the MIDI of a piece that begins at a frame of the request.
@_noLocks
private func sendEvents(_ state: UnsafeMutablePointer<WorkerBlock>, from start: Int) {
  guard let sent = state.pointee.sent else { return }
  let area = state.pointee.layout.sentEvents(state.pointee.block)
  var used = state.pointee.block.pointee.sent_bytes
  for index in 0 ..< sent.pointee.count {
    _ = cisolation_add_event(
      area, &used, sent.pointee.frame(at: index) &+ UInt32(truncatingIfNeeded: start),
      sent.pointee.message(at: index), sent.pointee.byteCount(at: index))
  }
  state.pointee.block.pointee.sent_bytes = used
}
