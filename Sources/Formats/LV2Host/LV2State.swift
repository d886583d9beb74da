// LV2State.swift: the state of a plugin: properties and port values. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CLilv
internal import PluginModel

/// A snapshot of a plugin's state, read from a bundle or taken of an instance.
///
/// Belongs to the thread of its world.
final class LV2State {
  /// lilv's own; its nodes belong to `world`.
  let pointer: OpaquePointer
  private let world: LV2World
  /// The folder that its relative paths begin at; nil for a state in memory.
  let base: String?
  /// Files that a state in memory refers to.
  let scratches: [LV2ScratchDirectory]
  /// Whether a plugin gave it as all that it has: then having nothing is a state, too.
  var isWhole = false

  /// Takes a state over from lilv. [main]
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

  /// Whether there is nothing in it that `restore` is to be called for: lilv, too, says of a state without properties
  /// that the values of ports are set alone. [main]
  var isOfPortsAlone: Bool { propertyCount == 0 && !isWhole }

  /// How many values there are beside those of ports. [main]
  var propertyCount: Int { Int(lilv_state_get_num_properties(pointer)) }

  /// The values of ports, by symbol. [main]
  var portValues: [(symbol: String, value: Float)] {
    let found = PortValues()
    lilv_state_emit_port_values(
      pointer, takePortValue, Unmanaged.passUnretained(found).toOpaque())
    return withExtendedLifetime(found) { found.values }
  }

  /// Makes a call of the plugin's `restore` with it. [main]
  func restore(_ call: LV2StateCall) {
    call.withInstance { lilv_state_restore(pointer, $0, nil, nil, 0, nil) }
  }

  // MARK: - Writing

  /// Writes it as a preset without a URI into a folder, with a manifest. [main]
  func write(to folder: String, file: String, name: String?, bank: String?) throws(LV2StateError) {
    if let name { lilv_state_set_label(pointer, name) }
    if let bank {
      let text = Array(bank.utf8CString)
      // Plain data are copied.
      lilv_state_set_metadata(
        pointer, URIDMap.shared.number(LV2.presets + "bank"), text, text.count,
        URIDMap.shared.number(LV2.atom + "URI"),
        LV2_STATE_IS_POD.rawValue | LV2_STATE_IS_PORTABLE.rawValue)
    }
    var map = LV2_URID_Map(handle: nil, map: mapURID)
    var unmap = LV2_URID_Unmap(handle: nil, unmap: unmapURID)
    guard lilv_state_save(world.world, &map, &unmap, pointer, nil, folder, file) == 0 else {
      throw .file(path: folder, reason: "the state could not be written")
    }
  }
}

/// Collects what lilv tells of ports.
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

/// An atom's number, as presets have whole numbers and truths for ports, too; nil for anything else.
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
