// ParameterMailbox.swift: sets plain parameters without the main thread. SPDX-License-Identifier: MIT

import HostModel
import Manifests
import PluginModel
import RenderGraph
import Synchronization

/// Sets plain parameters on the client's thread and keeps the values until the main thread publishes them.
///
/// Every node stores its parameters in atomics, which its step reads once per block. A value takes effect in the next
/// block; of several values for one block, the last one wins. The audio thread takes no lock. Clients and the main
/// thread share one lock. The main thread holds it only to replace the table of nodes or to collect values. No
/// reference to a node leaves the lock, so only the main thread frees nodes.
final class ParameterMailbox: Sendable {
  /// The result of `post`.
  enum Outcome: Equatable {
    /// The value has taken effect; `isFirst` if the main thread must wake to publish it.
    case posted(isFirst: Bool)
    /// The command sets values other than plain parameters, or is invalid.
    case needsMainThread
  }

  /// A node whose parameters can be set.
  struct Target {
    let name: String
    let parameters: [Parameter]
    /// The instances of the node.
    let nodes: [any Node]
    /// The automated parameters, which only the main thread sets.
    let automated: Set<Int>
    /// The parameters that controls move in ramps, of all instances.
    let moves: [ParameterMove]
  }

  /// A value that has taken effect.
  struct PostedValue {
    let node: String
    let parameter: Int
    let symbol: String
    var value: Float
  }

  /// The values of one client since the last publication or since another client's values.
  struct Batch {
    let client: ClientID
    /// The last value of each parameter.
    var values: [PostedValue] = []
    /// The completion of each command, with the notes for its reply.
    var completions: [(notes: [String], complete: @Sendable (Reply) -> Void)] = []

    mutating func set(_ value: PostedValue) {
      let index = values.firstIndex { $0.node == value.node && $0.parameter == value.parameter }
      if let index { values[index].value = value.value } else { values.append(value) }
    }
  }

  private struct State {
    var targets: [String: Target] = [:]
    /// The lower-case names that only one node has.
    var smallNames: [String: String] = [:]
    var batches: [Batch] = []
    /// Whether the main thread has just published values, and will look for more without being woken.
    var isAwaited = false
    /// Whether a client waits, or has just waited, for a reply.
    var hasReplies = false
    /// Whether no block is rendered, or the session is ending.
    var isClosed = false

    /// Returns the node with a name.
    ///
    /// It is used under the lock, and freed by the main thread.
    mutating func target(_ name: String) -> Target? {
      targets[name] ?? smallNames[name.lowercased()].flatMap { targets[$0] }
    }

    /// Sets a value, which waits to be published; returns whether the main thread must wake.
    mutating func set(_ value: PostedValue, of target: Target, from client: ClientID) -> Bool {
      for node in target.nodes { node.setParameter(value.parameter, to: value.value) }
      let isFirst = batches.isEmpty && !isAwaited
      if batches.last?.client != client { batches.append(Batch(client: client)) }
      batches[batches.count - 1].set(value)
      return isFirst
    }
  }

  private let state = Mutex(Box())

  /// Carries nodes, which are used only under the lock.
  private struct Box: @unchecked Sendable {
    // Unchecked because nodes are not `Sendable`. Their parameters may be set from any thread;
    // everything else that is read here never changes.
    var state = State()
  }

  /// Sets all of the values, or none. [any]
  func post(
    _ set: Command.SetValues, from client: ClientID,
    _ completion: @escaping @Sendable (Reply) -> Void
  ) -> Outcome {
    state.withLock { box in
      guard !box.state.isClosed, let target = box.state.target(set.node),
        let (values, notes) = Self.read(set.values, for: target)
      else { return .needsMainThread }
      // The main thread sleeps longer if no client waits for a reply.
      var isFirst = box.state.isAwaited && !box.state.hasReplies
      box.state.hasReplies = true
      for value in values { isFirst = box.state.set(value, of: target, from: client) || isFirst }
      // A command without values has a reply, too.
      if values.isEmpty { box.state.batches.append(Batch(client: client)) }
      box.state.batches[box.state.batches.count - 1].completions.append((notes, completion))
      return .posted(isFirst: isFirst || values.isEmpty)
    }
  }

  /// Sets a parameter to the legal value that is nearest to a number, without a reply. [any]
  func post(
    _ symbol: String, ofNode node: String, _ number: Float, from client: ClientID
  ) -> Outcome {
    state.withLock { box in
      guard !box.state.isClosed, let target = box.state.target(node),
        let index = target.parameters.index(ofSymbol: symbol), !target.automated.contains(index)
      else { return .needsMainThread }
      let parameter = target.parameters[index]
      // The name of a choice can be a number.
      guard parameter.choices.isEmpty else { return .needsMainThread }
      let value = PostedValue(
        node: target.name, parameter: index, symbol: parameter.symbol,
        value: parameter.nearestValid(to: number))
      return .posted(isFirst: box.state.set(value, of: target, from: client))
    }
  }

  /// The result of `adjust`.
  enum Adjustment {
    /// The value has taken effect; `isFirst` if the main thread must wake to publish it.
    case set(isFirst: Bool)
    /// The list of values was empty, or no block is rendered.
    case unchanged
    /// Only the main thread can set this value.
    case needsMainThread(Float)
    /// Only the main thread can set parameters of this node.
    case isNotHere
  }

  /// Sets a parameter of a node to a value that depends on the present one. [any]
  ///
  /// - Parameters:
  ///   - node: the name of the node.
  ///   - symbol: the parameter of `node`.
  ///   - client: the client that is named as the origin.
  ///   - rampTime: when the control moved, for a ramp between its values; nil for a jump.
  ///   - compute: returns the new, legal value; nil to leave it. Called under the lock.
  /// - Returns: what was done.
  func adjust(
    _ node: String, _ symbol: String, from client: ClientID, rampTime: UInt64? = nil,
    _ compute: (Float) -> Float?
  ) -> Adjustment {
    state.withLock { box in
      guard !box.state.isClosed else { return .unchanged }
      guard let target = box.state.targets[node],
        let index = target.parameters.firstIndex(where: { $0.symbol == symbol })
      else { return .isNotHere }
      let present = target.nodes[0].parameter(index)
      guard let value = compute(present) else { return .unchanged }
      if target.automated.contains(index) { return .needsMainThread(value) }
      guard value != present else { return .unchanged }
      if let rampTime {
        // The ramp comes first, so that the node never jumps to the value.
        for move in target.moves where move.moved.parameter == index {
          move.start(to: value, at: rampTime)
        }
      }
      let posted = PostedValue(node: node, parameter: index, symbol: symbol, value: value)
      return .set(isFirst: box.state.set(posted, of: target, from: client))
    }
  }

  /// Returns legal values for plain parameters; nil if any value is of another kind.
  private static func read(
    _ assignments: [Command.Assignment], for target: Target
  ) -> (values: [PostedValue], notes: [String])? {
    var (values, notes): ([PostedValue], [String]) = ([], [])
    for assignment in assignments {
      guard let index = target.parameters.index(ofSymbol: assignment.symbol),
        !target.automated.contains(index),
        case .success(let read) = ParameterValue.parse(
          assignment.value, for: target.parameters[index],
          from: values.last { $0.parameter == index }?.value ?? target.nodes[0].parameter(index))
      else { return nil }
      values.append(
        PostedValue(
          node: target.name, parameter: index, symbol: target.parameters[index].symbol,
          value: read.value))
      if let note = read.note { notes.append("\(target.name): \(note)") }
    }
    return (values, notes)
  }

  /// Whether no value waits to be published. [any]
  var isEmpty: Bool { state.withLock { $0.state.batches.isEmpty } }

  /// Whether the main thread must call `take` again without being woken. [any]
  var isAwaited: Bool { state.withLock { $0.state.isAwaited || !$0.state.batches.isEmpty } }

  /// Whether a client waits, or has just waited, for a reply. [any]
  var hasReplies: Bool { state.withLock(\.state.hasReplies) }

  /// The parameters that wait to be published. [any]
  var pending: [(node: String, symbol: String)] {
    state.withLock { $0.state.batches.flatMap(\.values).map { ($0.node, $0.symbol) } }
  }

  /// Returns and clears the values that have taken effect since the last call, in order. [main]
  ///
  /// If there are any, more are expected: they do not wake the main thread, which calls this again soon.
  func take() -> [Batch] {
    state.withLock { box in
      let batches = box.state.batches
      box.state.isAwaited = !batches.isEmpty
      box.state.hasReplies = batches.contains { !$0.completions.isEmpty }
      box.state.batches = []
      return batches
    }
  }

  /// Replaces the table of nodes.
  ///
  /// New nodes get the values that wait to be published. [main]
  func replace(targets: [Target]) {
    var next = State()
    next.targets = Dictionary(targets.map { ($0.name, $0) }) { first, _ in first }
    for (small, alike) in Dictionary(grouping: targets, by: { $0.name.lowercased() })
    where alike.count == 1 { next.smallNames[small] = alike[0].name }
    let old = state.withLock { box in
      let old = box.state.targets
      (box.state.targets, box.state.smallNames) = (next.targets, next.smallNames)
      // The values may have been set on nodes that were replaced meanwhile.
      for value in box.state.batches.flatMap(\.values) {
        guard let target = box.state.targets[value.node],
          let index = target.parameters.firstIndex(where: { $0.symbol == value.symbol })
        else { continue }
        for node in target.nodes { node.setParameter(index, to: value.value) }
      }
      return Box(state: State(targets: old))
    }
    // Nodes that are no longer in the graph are freed here.
    _ = old
  }

  /// Sends all values to the main thread while no block is rendered. [main]
  func setClosed(_ isClosed: Bool) { state.withLock { $0.state.isClosed = isClosed } }

  /// Accepts no more values and completes the waiting commands with an error. [main]
  func close() {
    let batches = state.withLock { box in
      defer { box.state.batches = [] }
      box.state.isClosed = true
      return box.state.batches
    }
    for completion in batches.flatMap(\.completions) {
      completion.complete(Reply(HostStateError.ending))
    }
  }
}
