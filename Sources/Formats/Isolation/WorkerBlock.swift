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
  connectInputs(state)
  takeTime(state)
  takeChanges(state)
  takeEvents(state)
  withUnsafePointer(to: &state.pointee.step) {
    crealtime_run_checked_step($0, state.pointee.block.pointee.frame_count)
  }
  crealtime_check_x87(nil)
  sendEvents(state)
  crealtime_restore_denormals(mode)
}

/// Passes the addresses of the buffers to a node that receives them only once, and again if an input was connected
/// or disconnected.
@_noLocks
private func connectInputs(_ state: UnsafeMutablePointer<WorkerBlock>) {
  let flags = state.pointee.layout.unconnected(state.pointee.block)
  for channel in 0 ..< state.pointee.inputCount {
    let buffer =
      flags[channel] == 0
      ? state.pointee.layout.channel(state.pointee.block, channel) : state.pointee.unconnected
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
  state.pointee.parameters?.pieceStart?.pointee = Int(block.pointee.piece_start)
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
private func takeChanges(_ state: UnsafeMutablePointer<WorkerBlock>) {
  guard let parameters = state.pointee.parameters else { return }
  let changes = state.pointee.layout.changes(state.pointee.block)
  for place in 0 ..< Int(state.pointee.block.pointee.change_count) {
    let change = changes[place]
    crealtime_set_parameter(
      parameters.function, parameters.context, change.index, change.value, change.is_jump != 0)
  }
}

@_noLocks
private func takeEvents(_ state: UnsafeMutablePointer<WorkerBlock>) {
  guard let input = state.pointee.events else { return }
  let area = state.pointee.layout.events(state.pointee.block)
  var offset: UInt32 = 0
  while true {
    let event = cisolation_next_event(area, state.pointee.block.pointee.event_bytes, &offset)
    guard let bytes = event.bytes else { return }
    crealtime_send_event(input.function, input.context, event.frame, bytes, event.count)
  }
}

@_noLocks
private func sendEvents(_ state: UnsafeMutablePointer<WorkerBlock>) {
  guard let sent = state.pointee.sent else { return }
  let area = state.pointee.layout.sentEvents(state.pointee.block)
  var used: UInt32 = 0
  for index in 0 ..< sent.pointee.count {
    _ = cisolation_add_event(
      area, &used, sent.pointee.frame(at: index), sent.pointee.message(at: index),
      sent.pointee.byteCount(at: index))
  }
  state.pointee.block.pointee.sent_bytes = used
}
