// LV2Properties.swift: the properties of a node, on the main thread. SPDX-License-Identifier: MIT

internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// Stores the values of an instance's properties and exchanges messages with the plugin.
final class LV2Properties {
  /// The audio thread's part; valid as long as this object.
  let pointer: UnsafeMutablePointer<LV2PatchState>

  private let list: [Property]
  /// Property indices by URID.
  private let indices: [UInt32: Int]
  private var values: [PropertyValue?]
  private var isChanged: [Bool]
  private let types = LV2AtomTypes()
  private let limitBytes: Int
  private var seenDroppedCount = 0
  /// Whether a request is pending until there is space.
  private var isAsking = false
  /// Whether a request was sent and not answered yet.
  private var isAnswerDue = false
  private let propertyKey = URIDMap.shared.number(LV2.patch + "property")
  private let valueKey = URIDMap.shared.number(LV2.patch + "value")
  private let bodyKey = URIDMap.shared.number(LV2.patch + "body")
  private var scratch: [UInt8]

  /// The maximum message length is half of it.
  private static let ringBytes = 64 * 1_024 ... 2_048 * 1_024

  /// Creates the messages for a port; nil if there is no port or no property. [main]
  init?(_ list: [Property], port: Int?, in state: UnsafeMutablePointer<LV2RunState>) {
    guard let port, !list.isEmpty,
      let input = state.pointee.atoms.firstIndex(where: { $0.port == UInt32(port) })
    else { return nil }
    // The space of an empty port without a position and the frame of the event.
    let slot = state.pointee.atoms[input]
    let taken = 16 + 8 + slot.noteOffReserve + LV2TimeState.messageBytes + 8
    let freeBytes = Int(slot.capacityBytes - min(slot.capacityBytes, taken))
    self.list = list
    indices = Dictionary(
      list.enumerated().map { (URIDMap.shared.number($1.uri), $0) }, uniquingKeysWith: { $1 })
    values = [PropertyValue?](repeating: nil, count: list.count)
    isChanged = [Bool](repeating: false, count: list.count)
    let capacity = min(
      max(2 * freeBytes + 64, Self.ringBytes.lowerBound), Self.ringBytes.upperBound)
    pointer = .allocate(capacity: 1)
    pointer.initialize(
      to: LV2PatchState(
        toPlugin: MessageRing(capacityBytes: capacity),
        fromPlugin: MessageRing(capacityBytes: capacity), input: input, object: types.object,
        blank: types.blank, resource: types.resource,
        set: URIDMap.shared.number(LV2.patch + "Set"),
        put: URIDMap.shared.number(LV2.patch + "Put")))
    limitBytes = min(freeBytes, pointer.pointee.toPlugin.maximumByteCount)
    scratch = [UInt8](repeating: 0, count: pointer.pointee.fromPlugin.maximumByteCount)
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  // MARK: - To the plugin

  /// Sends a new value to the plugin. [main]
  func set(_ index: Int, to value: PropertyValue) throws(PropertyError) {
    let property = list[index]
    try check(value, for: property)
    var forge = LV2Forge(types)
    forge.object(LV2.patch + "Set") { forge in
      forge.key(LV2.patch + "property")
      forge.urid(property.uri)
      forge.key(LV2.patch + "value")
      forge.value(value, elementType: property.elementType)
    }
    guard forge.bytes.count <= limitBytes else {
      throw .tooLong(name: property.name, byteCount: forge.bytes.count, limitBytes: limitBytes)
    }
    // Earlier messages of the plugin are older than this value.
    collect()
    guard pointer.pointee.toPlugin.write(time: 0, forge.bytes) else {
      throw .noRoom(name: property.name)
    }
    values[index] = value
    isChanged[index] = false
    // An answer to an earlier request would contain the old value.
    if isAnswerDue { request() }
  }

  private func check(_ value: PropertyValue, for property: Property) throws(PropertyError) {
    guard property.isWritable else { throw .readOnly(name: property.name) }
    guard property.type != .undeclared else { throw .undeclaredType(name: property.name) }
    guard value.type == property.type else {
      throw .wrongType(name: property.name, type: property.type)
    }
    switch value {
    case .vector(let elements):
      guard elements.allSatisfy({ $0.type == property.elementType }) else {
        throw .wrongType(name: property.name, type: property.type)
      }
    case .string(let text), .path(let text), .uri(let text):
      if text.utf8.contains(0) { throw .zeroInText(name: property.name) }
    default: break
    }
  }

  /// Requests all values from the plugin; if there is no space, the next `collect` repeats it.
  /// [main]
  func request() {
    var forge = LV2Forge(types)
    forge.object(LV2.patch + "Get") { _ in }
    isAsking = !pointer.pointee.toPlugin.write(time: 0, forge.bytes)
    isAnswerDue = true
  }

  /// Marks all values as outdated after a state change and requests them. [main]
  func clear() {
    collect()
    for index in values.indices {
      values[index] = nil
      isChanged[index] = false
    }
    request()
  }

  // MARK: - From the plugin

  /// Returns the last known value. [main]
  func value(_ index: Int) -> PropertyValue? {
    collect()
    return values[index]
  }

  /// Returns the properties that the plugin has changed since the last call. [main]
  func takeChanges() -> [Int] {
    collect()
    let changed = isChanged.indices.filter { isChanged[$0] }
    for index in changed { isChanged[index] = false }
    return changed
  }

  /// Reads all messages of the plugin; requests all values after a loss.
  private func collect() {
    while pointer.pointee.fromPlugin.nextTime() != nil {
      let byteCount = scratch.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { pointer.pointee.fromPlugin.take(into: $0) } ?? 0
      }
      if let atom = LV2AtomReader(scratch[..<byteCount], types) { read(atom) }
    }
    let droppedCount = pointer.pointee.droppedCount.load(ordering: .relaxed)
    if droppedCount != seenDroppedCount || isAsking {
      seenDroppedCount = droppedCount
      request()
    }
  }

  /// A `patch:Set` contains a property and its value, a `patch:Put` an object of properties.
  private func read(_ message: LV2AtomReader) {
    let keys = message.keys
    if let body = keys.first(where: { $0.key == bodyKey })?.value {
      isAnswerDue = false
      for (key, value) in body.keys { learn(key, value) }
    }
    if let property = keys.first(where: { $0.key == propertyKey })?.value.number,
      let value = keys.first(where: { $0.key == valueKey })?.value
    {
      learn(property, value)
    }
  }

  private func learn(_ key: UInt32, _ atom: LV2AtomReader) {
    guard let index = indices[key], let value = atom.value, value != values[index] else { return }
    values[index] = value
    isChanged[index] = true
  }
}
