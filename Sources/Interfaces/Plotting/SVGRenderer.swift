// SVGRenderer.swift: renders a drawing as SVG. SPDX-License-Identifier: MIT

/// Renders a drawing as SVG with real text.
enum SVGRenderer {
  static func text(of drawing: Drawing) -> String {
    let (width, height) = (number(drawing.width), number(drawing.height))
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\""
        + " viewBox=\"0 0 \(width) \(height)\" font-family=\"DejaVu Sans, sans-serif\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    lines += drawing.marks.map(element)
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func element(_ mark: Shape) -> String {
    switch mark {
    case .area(let points, let colour):
      return "<polygon points=\"\(list(points))\" \(paint("fill", colour))/>"
    case .line(let points, let width, let dash, let colour):
      let dashes = dash > 0 ? " stroke-dasharray=\"\(number(dash))\"" : ""
      return "<polyline points=\"\(list(points))\" fill=\"none\" \(paint("stroke", colour))"
        + " stroke-width=\"\(number(width))\" stroke-linejoin=\"round\"\(dashes)/>"
    case .text(let text, let origin, let size, let isBold, let isUpright, let anchor, let colour):
      let (x, y) = (number(origin.x), number(origin.y))
      let anchors: [Anchor: String] = [.start: "start", .middle: "middle", .end: "end"]
      let turn = isUpright ? " transform=\"rotate(-90 \(x) \(y))\"" : ""
      let weight = isBold ? " font-weight=\"bold\"" : ""
      return "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(number(size))\""
        + " text-anchor=\"\(anchors[anchor] ?? "start")\" \(paint("fill", colour))\(weight)\(turn)>"
        + "\(escaped(text))</text>"
    case .image(let image, let origin, let width, let height):
      return "<image x=\"\(number(origin.x))\" y=\"\(number(origin.y))\" width=\"\(number(width))\""
        + " height=\"\(number(height))\" preserveAspectRatio=\"none\""
        + " href=\"data:image/png;base64,\(UncompressedPNG.base64(of: image))\"/>"
    }
  }

  private static func list(_ points: [Point]) -> String {
    points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
  }

  private static func paint(_ what: String, _ colour: Colour) -> String {
    func two(_ part: UInt8) -> String {
      let digits = String(part, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }
    let code = "#\(two(colour.red))\(two(colour.green))\(two(colour.blue))"
    let opacity = colour.alpha < 1 ? " \(what)-opacity=\"\(number(colour.alpha))\"" : ""
    return "\(what)=\"\(code)\"\(opacity)"
  }

  /// Returns a number with at most two decimals.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((value * 100).rounded())
    let sign = hundredths < 0 ? "-" : ""
    let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
    guard rest > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole).\(rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")"
  }

  private static func escaped(_ text: String) -> String {
    text.map { character -> String in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      // Characters that XML forbids.
      default: character.unicodeScalars.contains { $0.value < 32 } ? "?" : String(character)
      }
    }.joined()
  }
}

/// An uncompressed PNG image for SVG, which needs no library.
enum UncompressedPNG {
  /// ISO 15948: signature, IHDR, PLTE, IDAT with stored blocks (RFC 1951), IEND.
  static func bytes(of image: IndexedImage) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    // Eight-bit palette, no interlacing.
    bytes += chunk("IHDR", word(image.columns) + word(image.rows) + [8, 3, 0, 0, 0])
    bytes += chunk("PLTE", image.palette.flatMap { [$0.red, $0.green, $0.blue] })
    var rows: [UInt8] = []
    rows.reserveCapacity(image.rows * (image.columns + 1))
    for row in 0 ..< image.rows {
      rows.append(0)
      rows += image.cells[row * image.columns ..< (row + 1) * image.columns]
    }
    bytes += chunk("IDAT", storedDeflateBlocks(rows))
    return bytes + chunk("IEND", [])
  }

  static func base64(of image: IndexedImage) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let bytes = bytes(of: image)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start ..< min(start + 3, bytes.count)]
      let three = part.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
      for index in 0 ..< 4 {
        let digit = digits[Int(three >> UInt32(18 - 6 * index) & 63)]
        text.append(index <= part.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func word(_ number: Int) -> [UInt8] { word(UInt32(number)) }

  private static func word(_ number: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(number >> UInt32($0) & 255) }
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return word(content.count) + named + word(checkSum(named))
  }

  /// Returns the CRC-32 checksum of a PNG chunk.
  private static func checkSum(_ bytes: [UInt8]) -> UInt32 {
    let table = (0 ..< 256).map { index -> UInt32 in
      (0 ..< 8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1
      }
    }
    return ~bytes.reduce(0xffff_ffff) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }

  /// Returns stored blocks in a zlib stream (RFC 1950) with an Adler-32 checksum.
  private static func storedDeflateBlocks(_ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: max(1, content.count), by: 65_535) {
      let block = content[start ..< min(start + 65_535, content.count)]
      let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
      bytes += [start + 65_535 >= content.count ? 1 : 0, low, high, ~low, ~high] + block
    }
    var (one, two) = (UInt32(1), UInt32(0))
    for byte in content {
      one = (one + UInt32(byte)) % 65_521
      two = (two + one) % 65_521
    }
    return bytes + word(two << 16 | one)
  }
}
