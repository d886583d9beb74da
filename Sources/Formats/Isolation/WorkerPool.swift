// WorkerPool.swift: the worker processes of a host. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginModel
internal import Synchronization

/// Creates nodes in worker processes, alone or in a group. [main]
package final class WorkerPool {
  private struct Group {
    weak var worker: WorkerProcess?
  }

  private let executable: String
  private let isForbidden: Bool
  private var groups: [String: Group] = [:]
  /// The start of the last block in which a node was late, for the audio thread.
  let lateBlock: UnsafeMutablePointer<Atomic<UInt64>>

  /// Creates a pool without processes.
  ///
  /// - Parameter command: the command for helper processes of the same program.
  package init(_ command: ChildCommand) {
    (executable, isForbidden) = (command.executable, command.isInProcess)
    lateBlock = .allocate(capacity: 1)
    lateBlock.initialize(to: Atomic(0))
  }

  deinit {
    lateBlock.deinitialize(count: 1)
    lateBlock.deallocate()
  }

  /// Creates an instance in a worker process, with the default values of the description.
  ///
  /// - Parameters:
  ///   - plugin: the description.
  ///   - configuration: the sample rate, the longest block, and the isolation.
  ///   - traits: the behaviour of the plugin during preflight.
  /// - Returns: the instance, not active.
  /// - Throws: `IsolationError`.
  package func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) throws(IsolationError) -> any Node {
    guard plugin.kind != .builtin else { throw .builtin(name: plugin.name) }
    guard !isForbidden else { throw .noHelpers(name: plugin.name) }
    let worker = try worker(for: plugin, configuration)
    return try IsolatedNode(plugin, configuration, traits, in: worker, of: self)
  }

  private func worker(
    for plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws(IsolationError) -> WorkerProcess {
    if let settings = configuration.sandbox {
      // The rules of a process cannot be widened for another node.
      if case .group = configuration.isolation.process { throw .sharedSandbox(name: plugin.name) }
      let sandbox = try WorkerSandbox(settings, of: plugin)
      return try WorkerProcess(executable, for: plugin.name, in: sandbox)
    }
    guard case .group(let name) = configuration.isolation.process else {
      return try WorkerProcess(executable, for: plugin.name)
    }
    if let worker = groups[name]?.worker, !worker.hasEnded { return worker }
    let worker = try WorkerProcess(executable, for: plugin.name)
    groups[name] = Group(worker: worker)
    return worker
  }
}
