// LV2Time.swift: musical time for an LV2 plugin, as messages and control ports. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. LV2Time+Setup.swift allocates and frees it.

internal import PluginModel
internal import Synchronization

/// A control port for a field of musical time.
struct LV2TimeControl {
  let control: UnsafeMutablePointer<Float>
  let field: LV2TimeField
}

/// The musical time of a plugin, at a fixed address.
struct LV2TimeState: ~Copyable {
  /// The transport, advanced by the engine before each block.
  let transport: UnsafeMutablePointer<TransportState>
  /// The index of the atom slot for position messages.
  let inputs: UnsafeMutableBufferPointer<Int>
  let controls: UnsafeMutableBufferPointer<LV2TimeControl>
  /// The latency of the node's input, in frames.
  let delayFrames = Atomic<Int>(0)
  /// The offset of the next part from the start of the block, in frames; used only by the audio thread.
  let pieceStart: UnsafeMutablePointer<Int>
  /// A `time:Position` atom whose values are updated before it is copied.
  let message: UnsafeMutableRawPointer
  /// The last change that was sent, and its latency.
  var sentChangeCount: UInt32 = 0
  var sentDelayFrames = 0
}

extension LV2TimeState {
  /// The atom's header, the object's id and type, and nine properties of 24 bytes each.
  static var messageBytes: UInt32 { @_noLocks get { 16 &+ 9 &* 24 } }

  /// The offset of a field's value in the message.
  @_noLocks
  static func offset(ofFact index: Int) -> Int { 32 &+ 24 &* index }
}

/// Updates the plugin's musical time; sends messages only after a jump or change. [render]
@_noLocks
func deliverTime(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard let time = state.pointee.time else { return }
  let delay = time.pointee.delayFrames.load(ordering: .relaxed)
  let position = time.pointee.transport.pointee.position.position(
    delayedBy: delay &- time.pointee.pieceStart.pointee)
  guard position.changeCount > 0 else { return }
  writeTimeControls(time, position)
  guard
    position.changeCount != time.pointee.sentChangeCount || delay != time.pointee.sentDelayFrames
  else { return }
  time.pointee.sentChangeCount = position.changeCount
  time.pointee.sentDelayFrames = delay
  fill(time.pointee.message, position)
  let inputCount = time.pointee.inputs.count
  guard let inputs = time.pointee.inputs.baseAddress, let slots = state.pointee.atoms.baseAddress
  else { return }
  for index in 0 ..< inputCount {
    let slot = slots[inputs[index]]
    guard slot.hasRoom(forAtomBytes: LV2TimeState.messageBytes, sparing: 0) else { continue }
    let event = slot.end
    event.storeBytes(of: 0, as: Int64.self)
    (event + 8).copyMemory(
      from: time.pointee.message, byteCount: Int(LV2TimeState.messageBytes))
    slot.grow(byAtomBytes: LV2TimeState.messageBytes)
  }
}

@_noLocks
private func writeTimeControls(
  _ time: UnsafeMutablePointer<LV2TimeState>, _ position: TransportPosition
) {
  let count = time.pointee.controls.count
  guard let controls = time.pointee.controls.baseAddress else { return }
  for index in 0 ..< count {
    controls[index].control.pointee = position.control(controls[index].field)
  }
}

/// In the order of `LV2TimeField`.
@_noLocks
private func fill(_ message: UnsafeMutableRawPointer, _ position: TransportPosition) {
  func offset(_ index: Int) -> Int { LV2TimeState.offset(ofFact: index) }
  message.storeBytes(of: position.bar, toByteOffset: offset(0), as: Int64.self)
  message.storeBytes(of: Float(position.barBeat), toByteOffset: offset(1), as: Float.self)
  message.storeBytes(of: position.beat, toByteOffset: offset(2), as: Double.self)
  message.storeBytes(of: position.beatUnit, toByteOffset: offset(3), as: Int32.self)
  message.storeBytes(of: Float(position.beatsPerBar), toByteOffset: offset(4), as: Float.self)
  message.storeBytes(of: Float(position.beatsPerMinute), toByteOffset: offset(5), as: Float.self)
  message.storeBytes(of: position.frame, toByteOffset: offset(6), as: Int64.self)
  message.storeBytes(of: Float(position.framesPerSecond), toByteOffset: offset(7), as: Float.self)
  message.storeBytes(of: Float(position.speed), toByteOffset: offset(8), as: Float.self)
}
