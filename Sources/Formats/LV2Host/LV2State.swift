// LV2State.swift: the state of a plugin: properties and port values. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CLilv
internal import PluginModel

/// A snapshot of a plugin's state, from a bundle or an instance.
///
/// Use it on the thread of its world.
final class LV2State {
  /// lilv's state; its nodes belong to `world`.
  let pointer: OpaquePointer
  private let world: LV2World
  /// The base directory of relative paths; nil for a state in memory.
  let base: String?
  /// The directories of files that a state in memory refers to.
  let scratches: [LV2ScratchDirectory]
  /// Whether the state is complete: everything that an instance saves.
  ///
  /// Then an empty state is also valid.
  var isWhole = false

  /// Takes ownership of a lilv state. [main]
  init(
    _ pointer: OpaquePointer, _ world: LV2World, base: String? = nil,
    scratches: [LV2ScratchDirectory] = []
  ) {
    self.pointer = pointer
    self.world = world
    self.base = base
    self.scratches = scratches
  }

  deinit { lilv_state_free(pointer) }

  /// Whether `restore` need not be called: without properties, lilv only sets port values.
  /// [main]
  var isOfPortsAlone: Bool { propertyCount == 0 && !isWhole }

  /// The number of properties. [main]
  var propertyCount: Int { Int(lilv_state_get_num_properties(pointer)) }

  /// The values of ports, by symbol. [main]
  var portValues: [(symbol: String, value: Float)] {
    let found = PortValues()
    lilv_state_emit_port_values(
      pointer, takePortValue, Unmanaged.passUnretained(found).toOpaque())
    return withExtendedLifetime(found) { found.values }
  }

  /// Restores it with a call of the plugin's `restore`. [main]
  func restore(_ call: LV2StateCall) {
    call.withInstance { lilv_state_restore(pointer, $0, nil, nil, 0, nil) }
  }

  // MARK: - Writing

  /// Writes it as a preset without a URI into a directory, with a manifest. [main]
  func write(to directory: String, file: String, name: String?, bank: String?) throws(LV2StateError)
  {
    if let name { lilv_state_set_label(pointer, name) }
    if let bank {
      let text = Array(bank.utf8CString)
      // POD values are copied.
      lilv_state_set_metadata(
        pointer, URIDMap.shared.number(LV2.presets + "bank"), text, text.count,
        URIDMap.shared.number(LV2.atom + "URI"),
        LV2_STATE_IS_POD.rawValue | LV2_STATE_IS_PORTABLE.rawValue)
    }
    var map = LV2_URID_Map(handle: nil, map: mapURID)
    var unmap = LV2_URID_Unmap(handle: nil, unmap: unmapURID)
    guard lilv_state_save(world.world, &map, &unmap, pointer, nil, directory, file) == 0 else {
      throw .file(path: directory, reason: "the state could not be written")
    }
  }
}

/// Collects port values from lilv.
private final class PortValues {
  var values: [(symbol: String, value: Float)] = []
}

private func takePortValue(
  _ symbol: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?, _ value: UnsafeRawPointer?,
  _ size: UInt32, _ type: UInt32
) {
  guard let symbol, let context, let value, let number = number(value, size, type) else { return }
  Unmanaged<PortValues>.fromOpaque(context).takeUnretainedValue().values
    .append((String(cString: symbol), number))
}

/// Returns the value of a number or Boolean atom; nil for other types.
private func number(_ value: UnsafeRawPointer, _ size: UInt32, _ type: UInt32) -> Float? {
  func load<Value: BitwiseCopyable>(_: Value.Type) -> Value? {
    size >= MemoryLayout<Value>.size ? value.loadUnaligned(as: Value.self) : nil
  }
  switch URIDMap.shared.text(type).map({ String(cString: $0) })?.tail(after: LV2.atom) {
  case "Float": return load(Float.self)
  case "Double": return load(Double.self).map { Float($0) }
  case "Int": return load(Int32.self).map { Float($0) }
  case "Long": return load(Int64.self).map { Float($0) }
  case "Bool": return load(Int32.self).map { $0 == 0 ? 0 : 1 }
  default: return nil
  }
}
