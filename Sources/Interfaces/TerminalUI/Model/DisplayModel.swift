// DisplayModel.swift: what the screen shows. SPDX-License-Identifier: MIT

import HostModel

/// The session as the display knows it, and what the user has selected. [main]
final class DisplayModel {
  /// A page of the screen.
  enum Page: Int, CaseIterable {
    case chain, scenes, transport, status
  }

  /// The pane of the first page that receives keys.
  enum Focus {
    case chain, controls
  }

  /// A message for the user.
  struct Message: Equatable {
    var text: String
    var isError: Bool
  }

  /// Identifies a value that this display moves.
  struct PendingValueKey: Hashable {
    var target: String
    var symbol: String
  }

  /// The number of messages that are kept.
  private static let longestLog = 200

  var sessionName = ""
  var connection = SessionLink.Status.connecting
  /// Whether the session is connected and has sent nothing for some seconds.
  var isSilent = false
  private(set) var state = SessionState(rig: "")
  private(set) var slots: [SignalOrder.Slot] = []
  private(set) var rows: [ControlRow] = []
  /// Descriptions by the name of the plugin.
  var descriptions: [String: PluginDescription] = [:] { didSet { updateRows() } }
  /// Values that this display has set, and whose replies have not arrived.
  var pendingValues: [PendingValueKey: Double] = [:]

  // Levels and load.
  var input = LevelDisplay()
  var output = LevelDisplay()
  var nodeLevels: [String: Event.Levels.Node] = [:]
  var loads: [String: NodeLoadInfo] = [:]
  /// The loudness of meters, by the name of the node.
  var loudness: [String: LoudnessHistory] = [:]
  /// The spectra of meters and analysers that are part of the host, by the name of the node.
  var spectra: [String: [NodePlot.Band]] = [:]
  /// The load as a fraction of the period; nil before the first event.
  var load: Double?
  var xruns = 0
  var device = ""
  var rate = ""

  // The selection.
  var page = Page.chain
  var focus = Focus.chain
  private(set) var selectedSlot = ""
  var selectedRow = 0
  var selectedScene = 0
  var selectedDevice = 0
  /// Whether a node with a plot shows it above its controls.
  var showsPlots = true
  /// The first visible line of each list.
  var chainTop = 0
  var controlsTop = 0
  var scenesTop = 0
  var logTop = 0
  /// States of recorders and players as messages, by name.
  var transport: [String: String] = [:]
  /// The part of the rig whose control waits for a MIDI control; nil for none.
  var learning: String?
  var message: Message?
  private(set) var log: [Message] = []

  // MARK: - State

  /// Takes a state; the selection stays with the same part of the rig if it still exists.
  func take(_ state: SessionState) {
    let symbol = selectedControl.map { ($0.target, $0.symbol) }
    let oldIndex = slots.firstIndex { $0.name == selectedSlot } ?? 1
    self.state = state
    slots = SignalOrder(state).slots
    forgetReports()
    if !slots.contains(where: { $0.name == selectedSlot }) {
      selectedSlot = slots[min(max(oldIndex, slots.count > 2 ? 1 : 0), slots.count - 1)].name
      selectedRow = 0
    }
    updateRows()
    if let symbol,
      let index = rows.firstIndex(where: { $0.target == symbol.0 && $0.symbol == symbol.1 })
    {
      selectedRow = index
    }
    selectedScene = min(selectedScene, max(0, state.scenes.count - 1))
    selectedDevice = min(selectedDevice, max(0, devices.count - 1))
  }

  /// Selects a slot by its name.
  func select(slot name: String) {
    guard name != selectedSlot else { return }
    selectedSlot = name
    (selectedRow, controlsTop) = (0, 0)
    updateRows()
  }

  private func updateRows() {
    guard let slot else { return rows = [] }
    rows = ControlRow.rows(of: slot, in: state, node.flatMap { descriptions[$0.plugin] })
    if !(rows.indices.contains(selectedRow) && rows[selectedRow].isSelectable) {
      selectedRow = rows.firstIndex(where: \.isSelectable) ?? 0
    }
  }

  /// The selected slot.
  var slot: SignalOrder.Slot? { slots.first { $0.name == selectedSlot } }

  /// The selected node; nil for nested rigs and the ends.
  var node: SessionState.Node? { state.nodes.first { $0.name == selectedSlot } }

  /// The selected control.
  var selectedControl: ControlRow? {
    rows.indices.contains(selectedRow) && rows[selectedRow].isSelectable ? rows[selectedRow] : nil
  }

  /// Recorders and players.
  var devices: [SessionState.Node] {
    state.nodes.filter { $0.plugin == "recorder" || $0.plugin == "player" }
  }

  /// The value of a control: the one that is being sent, or the session's.
  func value(of row: ControlRow) -> Double? {
    guard case .value(_, let value) = row.kind else { return nil }
    return pendingValues[PendingValueKey(target: row.target, symbol: row.symbol)] ?? value
  }

  /// Whether a node or nested rig is bypassed by the user.
  func isBypassed(_ name: String) -> Bool {
    state.nodes.first { $0.name == name }?.bypass
      ?? state.nestedRigs.first { $0.name == name }?.bypass ?? false
  }

  /// The MIDI control that is mapped to a control; nil for none.
  func mapping(of row: ControlRow) -> String? {
    let suffix = " -> \(row.learnTarget)"
    return state.maps?.compactMap { line -> String? in
      guard let end = line.firstRange(of: suffix) else { return nil }
      let rest = line[end.upperBound...]
      return rest.isEmpty || rest.first == " " ? String(line[..<end.lowerBound]) : nil
    }.first
  }

  // MARK: - Messages

  /// Shows a message, and keeps it in the log.
  func showMessage(_ text: String, isError: Bool) {
    message = Message(text: text, isError: isError)
    note(text, isError: isError)
  }

  /// Keeps a message in the log.
  func note(_ text: String, isError: Bool = false) {
    log.insert(Message(text: text, isError: isError), at: 0)
    if log.count > Self.longestLog { log.removeLast() }
  }

  /// The names of faulty nodes.
  var faultyNodes: [String] { state.nodes.filter(\.faulty).map(\.name) }

  /// The number of interruptions in words.
  var xrunText: String { xruns == 0 ? "no xruns" : xruns == 1 ? "1 xrun" : "\(xruns) xruns" }

  /// The faults in words.
  var faultText: String {
    switch faultyNodes.count {
    case 0: "no faults"
    case 1: "faulty: \(faultyNodes[0])"
    default: "\(faultyNodes.count) faulty nodes"
    }
  }
}
