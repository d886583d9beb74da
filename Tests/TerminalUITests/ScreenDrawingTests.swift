// ScreenDrawingTests.swift: the screen at several sizes. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import TerminalUI

@Suite struct ScreenDrawingTests {
  private static let compressor = JSONValue.object(of: [
    ("name", "Compressor"),
    (
      "parameters",
      .array([
        .object(of: [
          ("symbol", "threshold"), ("name", "Threshold"), ("minimum", .integer(-60)),
          ("maximum", .integer(0)), ("default", .integer(-18)), ("unit", "dB"), ("scale", "linear"),
        ]),
        .object(of: [
          ("symbol", "auto"), ("name", "Automatic"), ("minimum", .integer(0)),
          ("maximum", .integer(1)), ("scale", "toggle"),
        ]),
      ])
    ), ("presets", .array([.object(of: [("name", "Gentle")])])),
    (
      "readouts",
      .array([.object(of: [("symbol", "reduction"), ("name", "Reduction"), ("unit", "dB")])])
    ),
  ])

  private func model() -> DisplayModel {
    let model = DisplayModel()
    model.sessionName = "stage"
    model.connection = .connected
    model.take(
      SessionState(
        rig: "Stage",
        nodes: [
          .init(
            name: "comp", plugin: "compressor",
            parameters: [
              .init(symbol: "threshold", value: -20), .init(symbol: "auto", value: 1),
            ]),
          .init(name: "hall", plugin: "reverb", bypass: true),
          .init(name: "amp", plugin: "amp", faulty: true),
        ],
        connections: [
          .init(name: "in -> comp", gain: 0), .init(name: "comp -> amp", gain: -6),
          .init(name: "amp -> hall", gain: 0), .init(name: "hall -> out", gain: nil),
        ], scenes: [.init(name: "verse", over: 2, current: true)]))
    model.descriptions["compressor"] = PluginDescription(json: Self.compressor)
    return model
  }

  private func lines(
    _ model: DisplayModel, _ rows: Int, _ columns: Int, _ dialog: (any ScreenDialog)? = nil
  ) -> [String] {
    let drawing = ScreenDrawing.screen(
      model, rows: rows, columns: columns, glyphs: .unicode, dialog: dialog)
    return (0 ..< rows).map { drawing.buffer.text(row: $0) }
  }

  @Test func `the chain is in the order of the signal, with bypass and fault in words`() {
    let screen = lines(model(), 24, 80)
    let chain = screen.dropFirst(4).compactMap { line in
      ["In", "comp", "amp", "hall", "Out"].first { line.dropFirst().prefix(12).contains($0) }
    }
    #expect(chain == ["In", "comp", "amp", "hall", "Out"])
    #expect(screen.contains { $0.contains("hall") && $0.contains("bypassed") })
    #expect(screen.contains { $0.contains("! amp") && $0.contains("faulty") })
    #expect(screen[0].contains("faulty: amp"))
  }

  @Test func `controls show values with units, switches and choices`() {
    let screen = lines(model(), 24, 80)
    #expect(
      screen.contains { $0.contains("Threshold") && $0.contains("●") && $0.contains("-20 dB") })
    #expect(screen.contains { $0.contains("Automatic") && $0.contains("● on") })
    #expect(screen.contains { $0.contains("Wet level") && $0.contains("100 %") })
    #expect(
      lines(model(), 24, 120).contains { $0.contains("Gain comp -> amp") && $0.contains("-6 dB") })
  }

  @Test(arguments: [(12, 40), (12, 69), (13, 200), (24, 80), (40, 120), (200, 400), (18, 70)])
  func `every page fits every size`(rows: Int, columns: Int) {
    let model = model()
    for page in DisplayModel.Page.allCases {
      for focus in [DisplayModel.Focus.chain, .controls] {
        (model.page, model.focus) = (page, focus)
        let screen = lines(model, rows, columns)
        #expect(screen.count == rows)
        #expect(screen[0].contains("Stage"))
        #expect(screen[rows - 1].hasSuffix("q Quit"))
      }
    }
    model.page = .chain
    for dialog in dialogs() {
      let screen = lines(model, rows, columns, dialog)
      #expect(screen.contains { $0.contains("Title") || $0.contains("Help") })
      #expect(screen[rows - 1].contains("Esc"))
    }
  }

  private func dialogs() -> [any ScreenDialog] {
    [
      HelpDialog(), EntryDialog("Title", hint: "-60 to 0 dB", text: "-20 dB") { _ in },
      MenuDialog("Title", items: (0 ..< 50).map { .init(text: "Entry \($0)") {} }),
      MenuDialog("Title", prompt: "What?") { _ in },
    ]
  }

  @Test(arguments: [(11, 80), (24, 39), (1, 1), (2, 10), (0, 0)])
  func `a terminal that is too small gets one message`(rows: Int, columns: Int) {
    let screen = lines(model(), rows, columns, HelpDialog())
    #expect(screen.joined(separator: " ").hasPrefix(rows > 1 && columns >= 10 ? "The" : ""))
    #expect(!screen.contains { $0.contains("q Quit") })
  }

  @Test func `a lost connection is shown`() {
    let model = model()
    model.connection = .lost
    let screen = lines(model, 24, 80)
    #expect(screen[0].contains("connection lost"))
    #expect(screen[22].contains("The connection to stage is lost."))
  }

  @Test func `a click finds what is drawn there`() throws {
    let drawing = ScreenDrawing.screen(
      model(), rows: 24, columns: 80, glyphs: .unicode, dialog: nil)
    let row = try #require((0 ..< 24).first { drawing.buffer.text(row: $0).contains("● comp") })
    #expect(drawing.target(row: row, column: 2) == .bypass("comp"))
    #expect(drawing.target(row: row, column: 5) == .slot("comp"))
    let slider = try #require(
      (0 ..< 24).first { drawing.buffer.text(row: $0).contains("Threshold") })
    guard case .scale(let index, let scale)? = drawing.target(row: slider, column: 56) else {
      Issue.record("There is no scale.")
      return
    }
    #expect(drawing.model.rows[index].symbol == "threshold")
    #expect(scale.columns > 8)
    #expect(drawing.target(row: 23, column: 77) == .key(.character("q")))
    #expect(drawing.target(row: 99, column: 0) == nil)
  }

  @Test func `lists scroll so that the selected line is visible`() {
    #expect(ScreenLayout.top(0, selected: 0, count: 100, visible: 10) == 0)
    #expect(ScreenLayout.top(0, selected: 10, count: 100, visible: 10) == 1)
    #expect(ScreenLayout.top(50, selected: 20, count: 100, visible: 10) == 20)
    #expect(ScreenLayout.top(95, selected: 99, count: 100, visible: 10) == 90)
    #expect(ScreenLayout.top(5, selected: 0, count: 0, visible: 10) == 0)
    #expect(ScreenLayout.top(5, selected: 3, count: 9, visible: 0) == 0)
  }

  @Test func `the selection stays with its node when others come and go`() {
    let model = model()
    model.select(slot: "hall")
    var state = model.state
    state.nodes.insert(.init(name: "gate", plugin: "gate"), at: 0)
    model.take(state)
    #expect(model.selectedSlot == "hall")
    state.nodes.removeAll { $0.name == "hall" }
    model.take(state)
    #expect(model.slots.contains { $0.name == model.selectedSlot })
    model.take(SessionState(rig: "empty"))
    #expect(lines(model, 24, 80)[0].contains("empty"))
  }
}
