// ShellNames.swift: the names that `outboard shell` completes. SPDX-License-Identifier: MIT

import Control
import HostModel
import Synchronization
import TerminalUI

/// Asks the session for names when they are needed.
final class ShellNames {
  private var descriptions: [String: JSONValue] = [:]
  private var plugins: [String] = []

  /// Returns the names for a line; nothing if the session does not answer.
  func current(for line: String) -> ShellCompletion.Names {
    guard let client = try? ControlClient(run: SessionOption.shell.withLock { $0?.name }),
      // Without kinds of events, only the state is sent.
      case .subscribed(let begun)? = try? client.send(.subscribe(.init(events: []))).result,
      let state = begun.snapshot?.state
    else { return .init(state: SessionState(rig: "")) }
    let words = (try? ShellWords.split(line)) ?? line.split(separator: " ").map(String.init)
    for node in state.nodes where words.dropFirst().first == node.name {
      describe(node.plugin, client)
    }
    if ["insert", "replace", "info"].contains(words.first), plugins.isEmpty,
      case .plugins(let found)? = try? client.send(.plugins(.init())).result
    {
      plugins = found.map(\.plugin)
    }
    return .init(state: state, descriptions: descriptions, plugins: plugins)
  }

  private func describe(_ plugin: String, _ client: ControlClient) {
    guard descriptions[plugin] == nil,
      case .plugin(let json)? = try? client.send(.plugin(plugin)).result
    else { return }
    descriptions[plugin] = json
  }
}
