// ID3Frames.swift: the frames of an ID3 tag. SPDX-License-Identifier: MIT

/// The frames of a tag or of a chapter: a name, a size, two bytes of flags, and their content.
struct ID3Frames {
  private static let headerLength = 10

  private var bytes: [UInt8]
  private var offset: Int
  /// 3 or 4.
  let version: Int
  /// Whether zeros were inserted after bytes of ones in all frames.
  private var isPadded = false
  /// The content of the last frame that was found.
  private(set) var content: [UInt8] = []

  /// Frames that start at an offset.
  init(_ bytes: [UInt8], at offset: Int, version: Int) {
    (self.bytes, self.offset, self.version) = (bytes, offset, version)
  }

  /// The frames of a whole tag; nil for other versions.
  init?(tag: [UInt8]) {
    guard tag.count > Self.headerLength + 4, 3 ... 4 ~= tag[3] else { return nil }
    self.init(tag, at: Self.headerLength, version: Int(tag[3]))
    let flags = tag[5]
    if flags & 0x80 != 0 {
      isPadded = version == 4
      if !isPadded { (bytes, offset) = (Self.withoutPadding(tag, Self.headerLength, tag.count), 0) }
    }
    if flags & 0x40 != 0, bytes.count >= offset + 4 {
      // The size of the extended header includes its size field in 2.4 only.
      let bits = version == 4 ? 7 : 8
      offset += ID3Tag.number(bytes, offset, digitBits: bits) + (version == 4 ? 0 : 4)
    }
  }

  /// Finds the next frame of one of these names, and returns its name.
  mutating func next(_ names: [Int]) -> Int? {
    // Zeros fill the rest of a tag.
    while offset + Self.headerLength < bytes.count, bytes[offset] != 0 {
      let (name, start, size) = (ID3Tag.number(bytes, offset), offset + Self.headerLength, size)
      guard size <= bytes.count - start else { return nil }
      offset = start + size
      if names.contains(name) {
        content = plain(start, flags: bytes[start - 1])
        return name
      }
    }
    return nil
  }

  /// The size of the frame at the present offset.
  ///
  /// ffmpeg and old programs write frames of version 2.4 with sizes as in 2.3. Then the next frame is there.
  private var size: Int {
    let plain = ID3Tag.number(bytes, offset + 4)
    // A digit of seven bits has no eighth bit.
    if version == 3 || plain & 0x8080_8080 != 0 { return plain }
    let safe = ID3Tag.number(bytes, offset + 4, digitBits: 7)
    return safe != plain && !isEnd(safe) && isEnd(plain) ? plain : safe
  }

  /// Whether a frame of a size is followed by another one, by zeros, or by nothing.
  private func isEnd(_ size: Int) -> Bool {
    let next = offset + Self.headerLength + size
    guard next < bytes.count else { return next == bytes.count }
    var (isName, isZero) = (true, true)
    for index in next ..< min(next + Self.headerLength, bytes.count) {
      if index < next + 4, !(0x30 ... 0x5a ~= bytes[index]) { isName = false }
      if bytes[index] != 0 { isZero = false }
    }
    if isZero || !isName || next + Self.headerLength > bytes.count { return isZero }
    // Bits of flags without a meaning are zero.
    return bytes[next + 8] & 0x8f == 0 && bytes[next + 9] & 0xb0 == 0
  }

  /// Returns the content before the present offset without the fields of its flags; empty if it is
  /// compressed or encrypted.
  private func plain(_ start: Int, flags: UInt8) -> [UInt8] {
    if flags & (version == 3 ? 0xc0 : 0x0c) != 0 { return [] }
    var start = start
    if flags & (version == 3 ? 0x20 : 0x40) != 0 { start += 1 }
    if version == 4, flags & 1 != 0 { start += 4 }
    guard start < offset else { return [] }
    let isPadded = isPadded || (version == 4 && flags & 2 != 0)
    return isPadded ? Self.withoutPadding(bytes, start, offset) : Array(bytes[start ..< offset])
  }

  private static func withoutPadding(_ bytes: [UInt8], _ start: Int, _ end: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(end - start)
    for index in start ..< end where index == start || bytes[index] != 0 || bytes[index - 1] != 0xff
    {
      result.append(bytes[index])
    }
    return result
  }
}
