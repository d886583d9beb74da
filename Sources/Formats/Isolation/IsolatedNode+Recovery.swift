// IsolatedNode+Recovery.swift: faults of a worker process, and the state that survives them.
// SPDX-License-Identifier: MIT

internal import CIsolation
internal import Glibc
package import PluginCatalogue
package import PluginModel
internal import Synchronization

/// Why an isolated node passes its inputs on.
package enum IsolationFault: Equatable {
  /// The worker process ended.
  case ended(ChildExit)
  /// The plugin did not return from a block for a time in seconds.
  case stalled(seconds: Double)
  /// The plugin took too long for several blocks.
  case slow

  /// The fault as a phrase after the node's name. [any]
  package var text: String {
    switch self {
    case .ended(let exit): exit.text
    case .stalled(let seconds): "did not return from a block for \(Int(seconds * 1_000)) ms"
    case .slow: "answered too late in several periods"
    }
  }
}

extension IsolatedNode {
  /// How long the state before a crash is kept although newer ones are saved, in seconds: as long as faults are
  /// counted.
  private static let olderSeconds = 60

  /// Why the node passes its inputs on; nil while it works. [main]
  package var fault: IsolationFaultKind? {
    // Pairs with the releasing store of the audio thread.
    let bits = state.pointee.fault.load(ordering: .acquiring)
    return IsolationFaultKind(rawValue: bits)
  }

  /// Whether the process ended in a block of this node, or because of this node. [main]
  package var isCulprit: Bool {
    let open = state.pointee.open
    switch fault {
    case .stalled, .slow: return open.chainIndex == open.block.pointee.progress
    case .ended, nil:
      return state.pointee.hasOpenRequest.load(ordering: .relaxed) && !hasAnsweredEarly
        && open.chainIndex == open.block.pointee.progress
    }
  }

  /// Whether the answer to the open request is there already, and is only used one block later.
  private var hasAnsweredEarly: Bool {
    state.pointee.delay != nil && state.pointee.block.pointee.answered == state.pointee.request
  }

  /// Whether the worker reported a crash in the thread of this node; it may be wrong. [main]
  package var hasCrashed: Bool { state.pointee.open.block.pointee.has_crashed != 0 }

  /// The number of blocks in which the node passed its inputs on because its answer was late. [main]
  package var lateCount: UInt64 { state.pointee.lateCount.load(ordering: .relaxed) }

  /// Returns the fault with the reason for the end of the process; nil while the node works. [main]
  ///
  /// A process that ended between two blocks counts as well.
  package func describeFault() -> IsolationFault? {
    switch fault {
    case .stalled:
      worker.end()
      return .stalled(seconds: Double(state.pointee.stallNanoseconds) * 1e-9)
    case .slow:
      worker.end()
      return .slow
    case .ended: return .ended(exitAfterEnd())
    case nil:
      guard let exit = worker.exit else { return nil }
      worker.awaitCrashReport()
      return .ended(exit)
    }
  }

  /// Where the process crashed, as in `late.c:7, module.so+0x114d (process)`; nil if it is unknown. [main]
  ///
  /// A system tool searches for the source line, which takes up to some seconds.
  package var crashLocation: String? { worker.crash?.location(in: plugin.library) }

  /// Returns how the process ended.
  ///
  /// The handler of the process may have reported a signal before the process was killed.
  private func exitAfterEnd() -> ChildExit {
    let signal = Int32(bitPattern: state.pointee.block.pointee.signal)
    if 1 ..< 32 ~= signal { worker.awaitCrashReport() }
    let exit = worker.end()
    return exit == .signalled(SIGKILL) && 1 ..< 32 ~= signal ? .signalled(signal) : exit
  }

  /// Makes the process save the state about once a second from now on. [main]
  ///
  /// - Throws: `IsolationError`.
  func keepState(_ kept: KeptState, olderSeconds: Int) throws(IsolationError) {
    try call(.keepState(directory: kept.directory, olderSeconds: olderSeconds))
    self.kept = kept
  }

  /// Restores the last saved state of a node whose process ended; parameters are unchanged. [main]
  ///
  /// - Parameters:
  ///   - other: a node of the same plugin.
  ///   - usesOlder: whether the last state is left out, because it may be the reason for the end.
  /// - Throws: `IsolationError`; the node then starts without the state.
  package func recoverState(of other: IsolatedNode, usesOlder: Bool) throws {
    guard let saved = other.kept, plugin.identifier == other.plugin.identifier else { return }
    worker.sandbox?.inherit(saved)
    let kept = worker.sandbox?.kept ?? saved
    let generations: [KeptGeneration] = usesOlder ? [.older] : [.newer, .older]
    let found = generations.lazy.compactMap(kept.path).first
    try keepState(kept, olderSeconds: Self.olderSeconds)
    guard let found else { return }
    let values = plugin.parameters.indices.map(parameter)
    try restoreState(from: found)
    for (index, value) in values.enumerated() { setParameter(index, to: value) }
  }
}

/// Copies states between nodes of one plugin in different processes.
package enum StateTransfer {
  /// Copies the state of a node to another one of the same plugin, including parameters. [main, while rendering
  /// too]
  ///
  /// - Throws: errors of the plugins; the node then keeps its present state.
  package static func copy(from old: any Node, to node: any Node, of plugin: PluginDescription)
    throws
  {
    guard let source = old.capabilities.directoryState, source.hasState else { return }
    let draft = try KeptState(for: plugin.name)
    guard try source.saveState(to: draft.directory + "/state") else { return }
    try node.capabilities.directoryState?.restoreState(from: draft.directory + "/state")
  }
}

extension IsolatedNode: StateTransferNode {
  /// Copies the state of another isolated node of the same plugin, but not its parameters. [main]
  ///
  /// - Throws: `IsolationError`.
  package func copyState(from other: any Node) throws {
    guard let other = other.capabilities[IsolatedNode.self] else { return }
    guard other.describeFault() == nil else { return try recoverState(of: other, usesOlder: false) }
    let values = plugin.parameters.indices.map(parameter)
    try StateTransfer.copy(from: other, to: self, of: plugin)
    for (index, value) in values.enumerated() { setParameter(index, to: value) }
  }
}
