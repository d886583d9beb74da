// ForeignCode+Calls.swift: records of calls into plugins, for those that never return. SPDX-License-Identifier: MIT

internal import CRealtime
internal import Synchronization

extension ForeignCode {
  /// The node that the calling thread works on, by its name in the rig; nil if unknown.
  @TaskLocal package static var node: String?

  /// The owner of the called code.
  package struct Owner: Sendable, Hashable {
    /// The name of the plugin.
    package let plugin: String
    /// The name of the node in the rig; nil if unknown.
    package let node: String?

    /// A plugin for the node that this thread works on. [any]
    package init(_ plugin: String) { (self.plugin, node) = (plugin, ForeignCode.node) }
  }

  /// A function of a plugin.
  package struct Function: Sendable, Hashable {
    /// How the plugin calls it.
    package let name: String
    /// Whether the function may load files or libraries, and take as long as a preflight allows.
    package let isSlow: Bool

    /// A function that returns within 2 s.
    package static func quick(_ name: String) -> Function { Function(name: name, isSlow: false) }
    /// A function that may read files.
    package static func slow(_ name: String) -> Function { Function(name: name, isSlow: true) }
    /// The loader of shared libraries.
    package static let open = slow("dlopen")
    /// The loader, which calls the destructors of a library.
    package static let close = quick("dlclose")
  }

  /// A call that is under way.
  package struct Call: Sendable, Hashable {
    /// The owner of the called code.
    package let owner: Owner
    /// The name of the called function.
    package let function: Function
  }

  /// The calls of this process, each with a unique address that is never freed.
  private struct Calls {
    var addresses: [Call: UInt] = [:]
    var calls: [UInt: Call] = [:]
  }
  private static let calls = Mutex(Calls())

  /// Returns the call with this record; nil if it is not the record of a call. [any, never render]
  package static func call(of record: UInt) -> Call? { calls.withLock { $0.calls[record] } }

  /// Calls foreign code that changes nothing of the process, so that a hang can be reported. [any, never render]
  ///
  /// - Parameters:
  ///   - owner: the owner of the code.
  ///   - function: the name of the called function.
  ///   - body: the call.
  /// - Returns: its result.
  /// - Throws: its error.
  package static func watched<Value: ~Copyable, Failure: Error>(
    _ owner: Owner, _ function: Function, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    crealtime_begin_thread()
    let outer = crealtime_begin_call(record(of: Call(owner: owner, function: function)))
    defer { crealtime_end_call(outer) }
    return try body()
  }

  private static func record(of call: Call) -> UnsafeRawPointer {
    let address = calls.withLock { calls in
      if let known = calls.addresses[call] { return known }
      let fresh = UInt(
        bitPattern: UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
      calls.addresses[call] = fresh
      calls.calls[fresh] = call
      return fresh
    }
    guard let record = UnsafeRawPointer(bitPattern: address) else {
      preconditionFailure("an allocation has an address")
    }
    return record
  }
}
