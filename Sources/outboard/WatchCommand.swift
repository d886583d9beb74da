// WatchCommand.swift: `outboard watch`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import HostModel

/// Prints the events of a running session.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the events of a running session.",
    discussion: """
      outboard watch
      outboard watch --events changed,level --json | my-display

      Without --events all kinds are printed except level, analysis and meter. Press Ctrl-C to stop.
      """)

  @OptionGroup var choice: SessionOption
  @Option(
    help: ArgumentHelp("Only these kinds, comma-separated, or all.", valueName: "kinds"))
  var events: String?
  @Flag(help: "Print JSON.")
  var json = false

  /// Levels need a client that confirms each event.
  private static let watchable = Event.Kind.allCases.filter { $0 != .levels }

  private var kinds: [Event.Kind] {
    get throws {
      guard let events else { return Self.watchable.filter { !$0.isReplaceable } }
      if events == "all" { return Self.watchable }
      return try events.split(separator: ",", omittingEmptySubsequences: false).map { word in
        guard let kind = Self.watchable.first(where: { $0.rawValue == word }) else {
          let known = Self.watchable.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("\"\(word)\" is not a kind of event. Use \(known) or all.")
        }
        return kind
      }
    }
  }

  func validate() throws { _ = try kinds }

  func run() throws {
    let stopper = TerminationSignals()
    stopper.begin()
    let client = try ControlClient(run: choice.session)
    _ = try client.send(.subscribe(.init(events: try kinds)))
    var hasEnded = false
    while !stopper.isRaised {
      guard let line = try client.nextEvent(within: 0.25) else {
        if hasEnded { return }
        throw ControlError.ended(name: client.name)
      }
      guard let message = JSONLine.read(EventMessage.self, line) else { continue }
      if case .stopped = message.event { hasEnded = true }
      show(message)
    }
  }

  private func show(_ message: EventMessage) {
    if json {
      JSONOutput.printLine(message)
    } else {
      for line in EventFormatter.lines(message) { Terminal.output.writeLine(line.printable) }
    }
  }
}
