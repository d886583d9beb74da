// ScreenLayout.swift: where the parts of the screen are. SPDX-License-Identifier: MIT

/// The parts of a screen for its size.
///
/// On small screens the frames, the tabs and the second pane are left out.
struct ScreenLayout: Equatable {
  /// The smallest size.
  static let smallest = (rows: 12, columns: 40)
  /// From here on there are tabs and frames.
  private static let framedRows = 18
  /// From here on the chain and the controls are next to each other.
  private static let pairedColumns = 70
  private static let chainWidths = 30 ... 44

  let rows: Int
  let columns: Int
  let hasFrames: Bool
  /// Whether both panes of the first page are visible.
  let isPaired: Bool
  let meterRows: Int

  /// Arranges a screen; `channels` is the larger number of channels of the input and the output.
  init(rows: Int, columns: Int, channels: Int) {
    (self.rows, self.columns) = (rows, columns)
    hasFrames = rows >= Self.framedRows
    isPaired = columns >= Self.pairedColumns
    meterRows = max(1, min(channels, rows >= 32 ? 4 : rows >= 22 ? 2 : 1))
  }

  /// Whether the screen is too small for anything.
  var isTooSmall: Bool {
    rows < Self.smallest.rows || columns < Self.smallest.columns
  }

  private func band(_ row: Int, _ count: Int) -> Rectangle {
    Rectangle(row: row, column: 0, rows: count, columns: columns)
  }

  /// The rig, the load, interruptions and faults.
  var header: Rectangle { band(0, 1) }
  /// Input and output.
  var meters: Rectangle { band(1, meterRows) }
  /// The pages; no row on small screens.
  var tabs: Rectangle { band(1 + meterRows, hasFrames ? 1 : 0) }
  /// The page.
  var body: Rectangle {
    let first = tabs.row + tabs.rows
    return band(first, max(0, rows - 2 - first))
  }
  /// The last message.
  var message: Rectangle { band(rows - 2, 1) }
  /// The keys.
  var footer: Rectangle { band(rows - 1, 1) }

  /// The chain, for the pane that receives keys; nil if it is not visible.
  func chain(_ focus: DisplayModel.Focus) -> Rectangle? {
    guard isPaired else { return focus == .chain ? body : nil }
    var pane = body
    pane.columns = chainWidth
    return pane
  }

  /// The controls, for the pane that receives keys; nil if they are not visible.
  func controls(_ focus: DisplayModel.Focus) -> Rectangle? {
    guard isPaired else { return focus == .controls ? body : nil }
    var pane = body
    pane.column = chainWidth
    pane.columns = columns - chainWidth
    return pane
  }

  private var chainWidth: Int {
    min(Self.chainWidths.upperBound, max(Self.chainWidths.lowerBound, columns * 3 / 8))
  }

  /// The first line of a list that is visible, so that the selected one is.
  static func top(_ top: Int, selected: Int, count: Int, visible: Int) -> Int {
    guard visible > 0 else { return 0 }
    let lowest = max(0, selected - visible + 1)
    return max(0, min(max(top, lowest), selected, count - visible))
  }
}
