// LV2RunState+Setup.swift: allocates and frees the render state of an LV2 node. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

extension LV2RunState {
  /// Creates the state of an instance; `values` are the initial parameter values. [main]
  init(
    _ plugin: LV2Plugin, _ instance: borrowing LV2Instance, _ memory: borrowing LV2Ports,
    values: [Float], worker: OpaquePointer?, transport: Transport?, state: LV2StateManager
  ) {
    self.worker = worker
    gate = state.gate
    watch = state.watch
    fixed = .allocate(capacity: 1)
    audio = Self.audioSlots(plugin, memory)
    parameters = Self.parameterSlots(plugin, memory, values)
    atoms = Self.atomSlots(plugin, memory)
    time = LV2TimeState.make(plugin, memory, UnsafeBufferPointer(atoms), transport)
    legacyEvents = LegacyEvents(plugin, memory)
    let sendsMIDI =
      atoms.contains { !$0.isInput && $0.isForMIDI } || legacyEvents.output != nil
    sentEvents = sendsMIDI ? .allocate(capacity: 1) : nil
    sentEvents?.initialize(to: EventQueue())
    midiType = URIDMap.shared.number(LV2.midiEvent)
    hasTriggers = plugin.ports.contains { $0.isTrigger }
    sequenceType = URIDMap.shared.number(LV2.atom + "Sequence")
    chunkType = URIDMap.shared.number(LV2.atom + "Chunk")
  }

  /// Connects the data of `clv2_fixed_step` to the state at its final address. [main]
  static func bindPreboundStep(
    _ state: UnsafeMutablePointer<LV2RunState>, to instance: borrowing LV2Instance
  ) {
    clv2_bind(
      state.pointee.fixed, instance.handle, instance.descriptor, updatePreboundStep,
      UnsafeMutableRawPointer(state))
  }

  /// Frees the state.
  ///
  /// Do not use it afterwards. [main, not rendering]
  func free() {
    fixed.deallocate()
    audio.deallocate()
    parameters.deinitialize()
    parameters.deallocate()
    atoms.deallocate()
    legacyEvents.free()
    if let time { LV2TimeState.free(time) }
    sentEvents?.deinitialize(count: 1)
    sentEvents?.deallocate()
  }

  /// Whether the plugin has only audio and parameters, and needs nothing after a run. [main]
  var canUsePreboundStep: Bool {
    atoms.isEmpty && legacyEvents.inputs.isEmpty && legacyEvents.outputs.isEmpty && time == nil
      && worker == nil && gate == nil && !hasTriggers
  }

  /// In the order of the step's buffers.
  private static func audioSlots(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports
  ) -> UnsafeMutableBufferPointer<AudioSlot> {
    var slots: [AudioSlot] = []
    for index in plugin.signalPorts {
      let row = memory.control(index)
      slots.append(
        AudioSlot(port: UInt32(index), connected: row ?? UnconnectedInput.row, rest: row))
    }
    return buffer(of: slots)
  }

  private static func parameterSlots(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports, _ values: [Float]
  ) -> UnsafeMutableBufferPointer<ParameterSlot> {
    let slots = UnsafeMutableBufferPointer<ParameterSlot>.allocate(capacity: values.count)
    for (index, port) in plugin.ports.enumerated() {
      guard case .parameter(let position) = port.role, let control = memory.control(index) else {
        continue
      }
      let bits = values[position].bitPattern
      control.pointee = values[position]
      slots.initializeElement(
        at: position,
        to: ParameterSlot(
          control: control, bits: Atomic(bits), isTrigger: port.isTrigger, defaultBits: bits))
    }
    return slots
  }

  private static func atomSlots(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports
  ) -> UnsafeMutableBufferPointer<AtomSlot> {
    var slots: [AtomSlot] = []
    for (index, port) in plugin.ports.enumerated() {
      guard port.role == .atomInput || port.role == .atomOutput,
        let address = memory.addresses[index]
      else { continue }
      slots.append(
        AtomSlot(
          buffer: address, capacityBytes: UInt32(memory.capacitiesBytes[index]),
          reservedBytes: UInt32(memory.reservesBytes[index]), port: UInt32(index),
          isInput: port.role == .atomInput, isForMIDI: plugin.midiPorts.contains(index)))
    }
    return buffer(of: slots)
  }

  private static func buffer<Slot>(of slots: [Slot]) -> UnsafeMutableBufferPointer<Slot> {
    let buffer = UnsafeMutableBufferPointer<Slot>.allocate(capacity: slots.count)
    _ = buffer.initialize(fromContentsOf: slots)
    return buffer
  }
}
