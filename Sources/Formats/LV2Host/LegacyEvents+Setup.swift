// LegacyEvents+Setup.swift: allocates and frees the legacy event ports of a node. SPDX-License-Identifier: MIT

internal import CLV2Support

extension LegacyEvents {
  /// Creates the empty ports of a plugin in memory that outlives them. [main]
  init(_ plugin: LV2Plugin, _ memory: borrowing LV2Ports) {
    inputs = Self.ports(.eventInput, plugin, memory)
    outputs = Self.ports(.eventOutput, plugin, memory)
    input = Self.portIndex(of: .eventInput, plugin).map { [inputs] in inputs[$0] }
    output = Self.portIndex(of: .eventOutput, plugin).map { [outputs] in outputs[$0] }
    midiType = UInt16(truncatingIfNeeded: URIDMap.shared.number(LV2.midiEvent))
    clearInputs()
    openOutputs()
  }

  /// Frees the lists, but not the ports' memory. [main, not rendering]
  func free() {
    inputs.deallocate()
    outputs.deallocate()
  }

  private static func ports(
    _ role: LV2Port.Role, _ plugin: LV2Plugin, _ memory: borrowing LV2Ports
  ) -> UnsafeMutableBufferPointer<LegacyEventPort> {
    let headerBytes = clv2_event_header_bytes()
    var ports: [LegacyEventPort] = []
    for (index, port) in plugin.ports.enumerated() where port.role == role {
      guard let address = memory.addresses[index] else { continue }
      ports.append(
        LegacyEventPort(
          header: address.bindMemory(to: clv2_event_buffer.self, capacity: 1),
          bytes: (address + headerBytes).assumingMemoryBound(to: UInt8.self),
          capacityBytes: UInt32(memory.capacitiesBytes[index] - headerBytes)))
    }
    let buffer = UnsafeMutableBufferPointer<LegacyEventPort>.allocate(capacity: ports.count)
    _ = buffer.initialize(fromContentsOf: ports)
    return buffer
  }

  /// Returns the index of the first MIDI port with a role.
  private static func portIndex(of role: LV2Port.Role, _ plugin: LV2Plugin) -> Int? {
    plugin.ports.filter { $0.role == role }.firstIndex(where: \.carriesMIDI)
  }
}

extension LV2Port.Role {
  /// Whether the port is an event port in the format before 2012.
  var isLegacyEvents: Bool { self == .eventInput || self == .eventOutput }
}
