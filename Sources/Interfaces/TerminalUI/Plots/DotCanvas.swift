// DotCanvas.swift: curves of small dots. SPDX-License-Identifier: MIT

/// A grid of dots, two by four in each character; the dots of a usual font are square.
struct DotCanvas: Equatable, Sendable {
  /// The bits of the dots of a Braille character, by row and column.
  private static let bits: [[UInt32]] = [
    [0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80],
  ]
  private static let firstBraille: UInt32 = 0x2800

  /// The size in characters.
  let rows: Int
  let columns: Int
  private var cells: [UInt32]

  /// Creates an empty canvas; the size is in characters.
  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (max(0, rows), max(0, columns))
    cells = Array(repeating: 0, count: self.rows * self.columns)
  }

  /// The size in dots.
  var width: Int { columns * 2 }
  var height: Int { rows * 4 }

  /// Sets a dot; the first row is the highest.
  ///
  /// Dots outside are left out.
  mutating func set(_ x: Int, _ y: Int) {
    guard 0 ..< width ~= x, 0 ..< height ~= y else { return }
    cells[y / 4 * columns + x / 2] |= Self.bits[y % 4][x % 2]
  }

  /// Draws a curve with a height for each column of dots; nil interrupts it.
  mutating func draw(_ heights: [Int?]) {
    var last: Int?
    for (x, height) in heights.enumerated() {
      guard let y = height else {
        last = nil
        continue
      }
      // A steep part has no gaps: each column reaches halfway to its neighbours.
      let start = last ?? y
      for step in min(start, y) ... max(start, y) {
        let isNearStart = abs(step - start) < abs(step - y)
        set(isNearStart ? x - 1 : x, step)
      }
      last = y
    }
  }

  /// The character at a cell, of Braille or ASCII; nil without dots.
  func character(row: Int, column: Int, isASCII: Bool) -> String? {
    let cell = cells[row * columns + column]
    guard cell != 0 else { return nil }
    guard isASCII else {
      return Unicode.Scalar(Self.firstBraille + cell).map { String(Character($0)) }
    }
    let used = Self.bits.indices.filter { cell & (Self.bits[$0][0] | Self.bits[$0][1]) != 0 }
    return used.count > 2 ? "|" : used[0] == 0 ? "'" : used[0] == 3 ? "." : "-"
  }
}
