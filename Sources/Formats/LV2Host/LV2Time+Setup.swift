// LV2Time+Setup.swift: allocates and frees the musical time of a plugin. SPDX-License-Identifier: MIT

internal import PluginModel

extension LV2TimeState {
  /// Creates the musical time of a plugin; nil if the plugin or the graph does not use it. [main]
  static func make(
    _ plugin: LV2Plugin, _ memory: borrowing LV2Ports, _ atoms: UnsafeBufferPointer<AtomSlot>,
    _ transport: Transport?
  ) -> UnsafeMutablePointer<LV2TimeState>? {
    guard let transport else { return nil }
    let inputs = atoms.indices.filter { position in
      atoms[position].isInput && plugin.ports[Int(atoms[position].port)].carriesTime
    }
    var controls: [LV2TimeControl] = []
    for (index, port) in plugin.ports.enumerated() {
      guard case .time(let field) = port.role, let control = memory.control(index) else { continue }
      controls.append(LV2TimeControl(control: control, field: field))
    }
    guard !inputs.isEmpty || !controls.isEmpty else { return nil }
    let pieceStart = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    pieceStart.initialize(to: 0)
    let state = UnsafeMutablePointer<LV2TimeState>.allocate(capacity: 1)
    state.initialize(
      to: LV2TimeState(
        transport: transport.pointer, inputs: buffer(of: inputs), controls: buffer(of: controls),
        pieceStart: pieceStart, message: message()))
    return state
  }

  /// Frees a state. [main, not rendering]
  static func free(_ state: UnsafeMutablePointer<LV2TimeState>) {
    state.pointee.inputs.deallocate()
    state.pointee.controls.deallocate()
    state.pointee.message.deallocate()
    state.pointee.pieceStart.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Returns a position whose fields all have their type and the value 0.
  private static func message() -> UnsafeMutableRawPointer {
    var forge = LV2Forge(LV2AtomTypes())
    forge.object(LV2.time + "Position") { forge in
      for field in LV2TimeField.allCases {
        forge.key(LV2.time + field.rawValue)
        forge.value(zero(field))
      }
    }
    precondition(forge.bytes.count == Int(messageBytes), "a position of another length")
    let message = UnsafeMutableRawPointer.allocate(byteCount: forge.bytes.count, alignment: 8)
    message.copyMemory(from: forge.bytes, byteCount: forge.bytes.count)
    return message
  }

  private static func zero(_ field: LV2TimeField) -> PropertyValue {
    switch field {
    case .bar, .frame: .long(0)
    case .beat: .double(0)
    case .beatUnit: .int(0)
    case .barBeat, .beatsPerBar, .beatsPerMinute, .framesPerSecond, .speed: .float(0)
    }
  }

  private static func buffer<Element>(of list: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: list.count)
    _ = buffer.initialize(fromContentsOf: list)
    return buffer
  }
}
