// AudioFileReader+Markers.swift: markers and chapters of an audio file. SPDX-License-Identifier: MIT

import CSndFile

extension AudioFileReader {
  /// The markers of a WAV or AIFF file in order of their positions; regions are points. [any]
  package var markers: [FileMarker] {
    var count: UInt32 = 0
    unsafe sf_command(
      file.handle, Int32(SFC_GET_CUE_COUNT), &count, Int32(MemoryLayout<UInt32>.size))
    guard 1 ... Chapters.maximumCount ~= Int(count) else { return [] }
    // The library's structure: the number of points, then the points.
    let (start, stride) = (MemoryLayout<UInt32>.stride, MemoryLayout<SF_CUE_POINT>.stride)
    let byteCount = start + Int(count) * stride
    let points = UnsafeMutableRawBufferPointer.allocate(
      byteCount: byteCount, alignment: MemoryLayout<SF_CUE_POINT>.alignment)
    defer { unsafe points.deallocate() }
    guard
      unsafe sf_command(
        file.handle, Int32(SFC_GET_CUE), points.baseAddress, Int32(clamping: byteCount)) != 0
    else { return [] }
    let markers = (0 ..< Int(count)).map { index in
      var point = unsafe points.load(fromByteOffset: start + index * stride, as: SF_CUE_POINT.self)
      let text = unsafe withUnsafeBytes(of: &point.name) { name in
        unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      return FileMarker(frame: Int(point.sample_offset), text: text)
    }
    return Chapters.sorted(markers)
  }

  /// The chapters of an MP3, FLAC or Ogg file as markers; none for streams. [any]
  package var chapters: [FileMarker] {
    guard !isStream, let bytes else { return [] }
    return Chapters.read(bytes).map { $0.converted(from: Chapters.rateHz, to: sampleRateHz) }
  }

  /// Whether a FLAC file has a cue sheet, from which `chapters` are read if there are no others; false for streams.
  /// [any]
  package var hasCueSheet: Bool {
    guard !isStream, let bytes else { return false }
    return FLACBlocks(bytes)?.cueSheet != nil
  }

  private var bytes: TruncationCheck.Bytes? {
    TruncationCheck.byteCount(descriptor.number).map {
      .init(descriptor: descriptor.number, length: $0)
    }
  }
}
