// OggHeaders.swift: the first two packets of an Ogg file. SPDX-License-Identifier: MIT

import CVorbis

/// The packets with the format and the comments of an Ogg file.
struct OggHeaders {
  /// The part of a file that is searched; comments may contain pictures.
  private static let longestHeaders = 16_777_216
  private static let pieceLength = 65_536

  var packets: [[UInt8]] = []
  /// The pages of the packets.
  private(set) var byteCount = 0
  private(set) var pageCount = 0
  private var serial: Int32 = 0

  /// Reads the headers; nil if they are damaged or incomplete. [any]
  init?(_ file: TruncationCheck.Bytes) {
    var (sync, stream, page) = unsafe (ogg_sync_state(), ogg_stream_state(), ogg_page())
    unsafe ogg_sync_init(&sync)
    unsafe ogg_stream_init(&stream, 0)
    defer {
      unsafe ogg_sync_clear(&sync)
      unsafe ogg_stream_clear(&stream)
    }
    var offset = 0
    while packets.count < 2 {
      let found = unsafe ogg_sync_pageout(&sync, &page)
      if found == 0 {
        let piece = file.bytes(at: offset, Self.pieceLength)
        guard !piece.isEmpty, offset < Self.longestHeaders,
          let buffer = unsafe ogg_sync_buffer(&sync, piece.count)
        else { return nil }
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: piece.count).copyBytes(
          from: piece)
        unsafe ogg_sync_wrote(&sync, piece.count)
        offset += piece.count
      }
      // Bytes that are not a page are skipped.
      if found != 1 { continue }
      if pageCount == 0 {
        serial = unsafe ogg_page_serialno(&page)
        unsafe ogg_stream_reset_serialno(&stream, serial)
      }
      pageCount += 1
      unsafe byteCount += page.header_len + page.body_len
      guard unsafe ogg_stream_pagein(&stream, &page) == 0 else { continue }
      var packet = unsafe ogg_packet()
      while packets.count < 2, unsafe ogg_stream_packetout(&stream, &packet) == 1 {
        unsafe packets.append(Array(UnsafeBufferPointer(start: packet.packet, count: packet.bytes)))
      }
    }
  }

  /// The position at which the comments start in the second packet; nil for an unknown codec.
  var commentStart: Int? {
    if packets[1].starts(with: "OpusTags".utf8) { return 8 }
    if packets[1].starts(with: "\u{3}vorbis".utf8) { return 7 }
    // FLAC in Ogg: a block.
    return packets[0].starts(with: "\u{7f}FLAC".utf8) ? 4 : nil
  }

  /// Returns the pages of the packets, and their number.
  func pages() -> (bytes: [UInt8], count: Int) {
    var (stream, page) = unsafe (ogg_stream_state(), ogg_page())
    unsafe ogg_stream_init(&stream, serial)
    defer { unsafe ogg_stream_clear(&stream) }
    var (bytes, count) = ([UInt8](), 0)
    for (index, content) in packets.enumerated() {
      var content = content
      unsafe content.withUnsafeMutableBufferPointer { buffer in
        var packet = unsafe ogg_packet()
        unsafe (packet.packet, packet.bytes) = (buffer.baseAddress, buffer.count)
        unsafe (packet.b_o_s, packet.packetno) = (index == 0 ? 1 : 0, Int64(index))
        unsafe ogg_stream_packetin(&stream, &packet)
      }
      while unsafe ogg_stream_flush(&stream, &page) != 0 {
        unsafe bytes += UnsafeBufferPointer(start: page.header, count: page.header_len)
        unsafe bytes += UnsafeBufferPointer(start: page.body, count: page.body_len)
        count += 1
      }
    }
    return (bytes, count)
  }
}
