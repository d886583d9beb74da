// PNGRenderer.swift: renders a drawing as PNG. SPDX-License-Identifier: MIT

import CCairo
import Glibc

/// Renders with cairo, which is loaded on demand.
enum PNGRenderer {
  /// Pixels per point, for high-resolution screens and print.
  private static let scale = 1.5

  /// Returns the content of the file; nil if cairo is not installed.
  static func bytes(of drawing: Drawing) -> [UInt8]? {
    guard let canvas = unsafe cpictures_create(drawing.width, drawing.height, scale) else {
      return nil
    }
    defer { unsafe cpictures_destroy(canvas) }
    for mark in drawing.marks { unsafe draw(mark, canvas) }
    var count = 0
    guard let data = unsafe cpictures_png(canvas, &count) else { return nil }
    defer { unsafe free(data) }
    return unsafe Array(UnsafeBufferPointer(start: data, count: count))
  }

  private static func draw(_ mark: Shape, _ canvas: OpaquePointer) {
    switch mark {
    case .area(let points, let colour):
      unsafe cpictures_fill(canvas, flattened(points), points.count, part(colour))
    case .line(let points, let width, let dash, let colour):
      unsafe cpictures_stroke(canvas, flattened(points), points.count, width, dash, part(colour))
    case .text(let text, let position, let size, let isBold, let isUpright, let anchor, let colour):
      unsafe cpictures_text(
        canvas, position.x, position.y, size, isBold, isUpright, anchor.rawValue, part(colour), text
      )
    case .image(let image, let position, let width, let height):
      let codes = image.palette.map {
        0xff00_0000 | UInt32($0.red) << 16 | UInt32($0.green) << 8 | UInt32($0.blue)
      }
      unsafe cpictures_image(
        canvas, position.x, position.y, width, height, image.cells.map { codes[Int($0)] },
        Int32(image.columns), Int32(image.rows))
    }
  }

  private static func flattened(_ points: [Point]) -> [Double] { points.flatMap { [$0.x, $0.y] } }

  private static func part(_ colour: Colour) -> cpictures_colour {
    cpictures_colour(
      red: Double(colour.red) / 255, green: Double(colour.green) / 255,
      blue: Double(colour.blue) / 255, alpha: colour.alpha)
  }
}
