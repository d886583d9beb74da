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
  /// Whether the node knows the addresses of its buffers.
  var hasBegun = false
  /// The id of the thread once it owns the memory; `UInt32.max` if it cannot.
  let owner = Atomic<UInt32>(0)

  /// Prepares a node for the blocks in shared memory. [main]
  init(_ memory: SharedMemory, _ node: any Node, _ transport: Transport?) {
    (block, layout) = (memory.block, memory.layout)
    (inputCount, outputCount) = (node.audioInputCount, node.audioOutputCount)
    buffers = .allocate(capacity: max(1, inputCount + outputCount))
    for channel in 0 ..< inputCount + outputCount {
      (buffers + channel).initialize(to: layout.channel(block, channel))
    }
    let rows = UnsafePointer(buffers)
    let own = node.fixedStep?.step ?? node.step
    step = crealtime_step(function: own.function, context: own.context, buffers: rows)
    begin = node.fixedStep.map {
      crealtime_step(function: $0.begin, context: $0.step.context, buffers: rows)
    }
    (events, sent, parameters) = (node.eventInput, node.eventOutput, node.parameterInput)
    self.transport = transport?.pointer
  }

  deinit { buffers.deallocate() }
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
  crealtime_check_x87(nil)
  crealtime_restore_denormals(mode)
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
  let flags = state.pointee.layout.unconnected(state.pointee.block)
  for channel in 0 ..< state.pointee.inputCount &+ state.pointee.outputCount {
    let isUnconnected = channel < state.pointee.inputCount && flags[channel] != 0
    let buffer =
      isUnconnected
      ? state.pointee.unconnected
      : state.pointee.layout.channel(state.pointee.block, channel) + start
    guard buffer != state.pointee.buffers[channel] else { continue }
    state.pointee.buffers[channel] = buffer
    state.pointee.hasBegun = false
  }
  guard !state.pointee.hasBegun else { return }
  state.pointee.hasBegun = true
  guard var begin = state.pointee.begin else { return }
  crealtime_call_step(&begin, 0)
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
