// LV2RunState+Setup.swift: how the audio thread's part of an LV2 node is made and freed. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

extension LV2RunState {
  /// A state for an instance; `values` are what the parameters start with. [main]
  init(
    _ plugin: LV2Plugin, _ instance: borrowing LV2Instance, _ memory: borrowing LV2Ports,
    values: [Float], worker: OpaquePointer?
  ) {
    self.worker = worker
    handle = instance.handle
    descriptor = instance.descriptor
    audio = Self.audioSlots(plugin, memory)
    parameters = Self.parameterSlots(plugin, memory, values)
    atoms = Self.atomSlots(plugin, memory)
    legacyEvents = LegacyEvents(plugin, memory)
    midiInput = Self.atomPlace(plugin, memory, plugin.midiPort(.atomInput))
    midiOutput = Self.atomPlace(plugin, memory, plugin.midiPort(.atomOutput))
    let sendsMIDI = midiOutput >= 0 || legacyEvents.output != nil
    sentEvents = sendsMIDI ? .allocate(capacity: 1) : nil
    sentEvents?.initialize(to: EventQueue())
    midiType = URIDMap.shared.number(LV2.midiEvent)
    hasTriggers = plugin.ports.contains { $0.isTrigger }
    sequenceType = URIDMap.shared.number(LV2.atom + "Sequence")
    chunkType = URIDMap.shared.number(LV2.atom + "Chunk")
  }

  /// Frees what the state holds; it must not be used afterwards. [main, not rendering]
  func free() {
    audio.deallocate()
    parameters.deinitialize()
    parameters.deallocate()
    atoms.deallocate()
    legacyEvents.free()
    sentEvents?.deinitialize(count: 1)
    sentEvents?.deallocate()
  }

  private static func audioSlots(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports
  ) -> UnsafeMutableBufferPointer<AudioSlot> {
    let inputs = plugin.ports.indices.filter { plugin.ports[$0].role == .audioInput }
    let outputs = plugin.ports.indices.filter { plugin.ports[$0].role == .audioOutput }
    var slots: [AudioSlot] = []
    for index in inputs + outputs {
      guard let scratch = memory.control(index) else { continue }
      slots.append(AudioSlot(port: UInt32(index), connected: scratch))
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
          control: control, bits: Atomic(bits), isTrigger: port.isTrigger, restBits: bits))
    }
    return slots
  }

  /// Where in the atom slots a port is; -1 for none.
  private static func atomPlace(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports, _ port: Int?
  ) -> Int {
    guard let port, memory.addresses[port] != nil else { return -1 }
    var place = 0
    for index in 0 ..< port
    where [.atomInput, .atomOutput].contains(plugin.ports[index].role)
      && memory.addresses[index] != nil
    {
      place += 1
    }
    return place
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
          isInput: port.role == .atomInput))
    }
    return buffer(of: slots)
  }

  private static func buffer<Slot>(of slots: [Slot]) -> UnsafeMutableBufferPointer<Slot> {
    let buffer = UnsafeMutableBufferPointer<Slot>.allocate(capacity: slots.count)
    _ = buffer.initialize(fromContentsOf: slots)
    return buffer
  }
}
