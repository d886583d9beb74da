// StateKeeper.swift: saves the state of a node for the case that its worker process ends. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CRealtime
internal import Glibc
internal import PluginModel

/// The directories of a state that was saved twice.
enum KeptGeneration: String {
  /// The last saved state.
  case newer
  /// The one before it.
  case older
  /// A state that is not complete yet.
  case draft
}

/// Saves the state of a node about once a second while it renders, and keeps the last two states.
///
/// The older one is kept because the newer one may be the reason for a crash. [main, in the worker]
final class StateKeeper {
  /// The interval between two saves, in seconds.
  static let intervalSeconds = 1.0
  /// A save that takes longer is made less often: it may use this fraction of the time.
  private static let maximumTimeFraction = 0.02

  private let directory: String
  private let keepsOlderUntil: UInt64
  private var due: UInt64
  private var savedBlockCount: UInt32 = 0

  /// Saves into a directory, and keeps an existing older state for some seconds.
  init(directory: String, olderSeconds: Int) {
    self.directory = directory
    let now = crealtime_nanoseconds()
    keepsOlderUntil = now + UInt64(olderSeconds) * 1_000_000_000
    due = now + UInt64(Self.intervalSeconds * 1e9)
  }

  private func path(_ generation: KeptGeneration) -> String {
    "\(directory)/\(generation.rawValue)"
  }

  /// Saves the state if it is time and the node has rendered since the last save.
  func saveIfDue(_ node: WorkerNode) {
    let now = crealtime_nanoseconds()
    guard now >= due, node.renderedBlockCount != savedBlockCount else { return }
    savedBlockCount = node.renderedBlockCount
    waitForEndOfBlock(node)
    let began = crealtime_nanoseconds()
    if (try? node.node.capabilities.directoryState?.saveState(to: path(.draft))) == true {
      rotate()
    }
    let taken = crealtime_nanoseconds() - began
    due =
      began
      + max(UInt64(Self.intervalSeconds * 1e9), UInt64(Double(taken) / Self.maximumTimeFraction))
  }

  /// Begins right after a block, because some plugins cannot render while they save.
  private func waitForEndOfBlock(_ node: WorkerNode) {
    for _ in 0 ..< 200 where node.renderedBlockCount == savedBlockCount { usleep(100) }
    savedBlockCount = node.renderedBlockCount
  }

  /// Makes the complete draft the newer state.
  ///
  /// After the first two saves there is a complete state at every moment.
  private func rotate() {
    if crealtime_nanoseconds() >= keepsOlderUntil, access(path(.newer), F_OK) == 0 {
      cisolation_remove_tree(path(.older))
      rename(path(.newer), path(.older))
    } else {
      cisolation_remove_tree(path(.newer))
    }
    rename(path(.draft), path(.newer))
  }
}
