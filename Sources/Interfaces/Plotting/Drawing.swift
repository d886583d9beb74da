// Drawing.swift: drawing commands, independent of the output format. SPDX-License-Identifier: MIT

/// A colour: components from 0 to 255, alpha from 0 to 1.
struct Colour: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
  var alpha = 1.0

  /// Creates a colour from its hexadecimal value, e.g.
  ///
  /// `0x1f77b4`.
  init(_ code: UInt32, alpha: Double = 1) {
    red = UInt8(code >> 16 & 255)
    green = UInt8(code >> 8 & 255)
    blue = UInt8(code & 255)
    self.alpha = alpha
  }

  static let ink = Colour(0x1f2933)
  static let faint = Colour(0x616e7c)
  static let grid = Colour(0xe4e7eb)
  static let frame = Colour(0xcbd2d9)
  static let wave = Colour(0x2f6f9f)
  static let clipped = Colour(0xd64545)
  static let momentary = Colour(0x8fb8d6)
  static let shortTerm = Colour(0x1d5b87)
  static let integrated = Colour(0xde911d)
  static let highest = Colour(0xa9c9e0)
}

/// A point; x increases to the right, y downwards.
struct Point {
  var x: Double
  var y: Double
}

/// The alignment of text.
enum Anchor: Double {
  case start = 0
  case middle = 0.5
  case end = 1
}

/// An image of colour indices.
struct IndexedImage {
  var columns: Int
  var rows: Int
  /// The rows from top to bottom.
  var cells: [UInt8]
  /// The 256 colours.
  var palette: [Colour]
}

/// A drawing command; later ones are drawn over earlier ones.
enum Shape {
  case area([Point], Colour)
  case line([Point], width: Double, dash: Double, Colour)
  case text(String, Point, size: Double, isBold: Bool, isUpright: Bool, Anchor, Colour)
  case image(IndexedImage, Point, width: Double, height: Double)
}

/// A page with drawing commands.
struct Drawing {
  let width: Double
  let height: Double
  private(set) var marks: [Shape] = []

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  mutating func area(_ points: [Point], _ colour: Colour) { marks.append(.area(points, colour)) }

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ colour: Colour
  ) {
    area(
      [
        Point(x: x, y: y), Point(x: x + width, y: y), Point(x: x + width, y: y + height),
        Point(x: x, y: y + height),
      ], colour)
  }

  mutating func line(_ points: [Point], width: Double = 1, dash: Double = 0, _ colour: Colour) {
    guard points.count > 1 else { return }
    marks.append(.line(points, width: width, dash: dash, colour))
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, size: Double = 12, isBold: Bool = false,
    isUpright: Bool = false, _ anchor: Anchor = .start, _ colour: Colour = .ink
  ) {
    marks.append(
      .text(
        text, Point(x: x, y: y), size: size, isBold: isBold, isUpright: isUpright, anchor, colour))
  }

  mutating func image(
    _ image: IndexedImage, _ x: Double, _ y: Double, width: Double, height: Double
  ) {
    marks.append(.image(image, Point(x: x, y: y), width: width, height: height))
  }
}
