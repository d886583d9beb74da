// SndfileIO.swift: lets libsndfile write to an OutputFile. SPDX-License-Identifier: MIT
//
// These calls are used instead of a descriptor, because the library loses the error number of a
// write that fails while it closes a file.

import CSndFile
import Glibc

/// The calls that libsndfile makes for all of its input and output; the user data is an unretained
/// `OutputFile`.
enum SndfileIO {
  static var calls: SF_VIRTUAL_IO {
    unsafe SF_VIRTUAL_IO(
      get_filelen: virtualLength, seek: virtualSeek, read: virtualRead, write: virtualWrite,
      tell: virtualTell)
  }
}

private func outputFile(_ user: UnsafeMutableRawPointer?) -> OutputFile? {
  unsafe user.map { unsafe Unmanaged<OutputFile>.fromOpaque($0).takeUnretainedValue() }
}

private func virtualLength(_ user: UnsafeMutableRawPointer?) -> sf_count_t {
  unsafe sf_count_t(outputFile(user)?.length ?? 0)
}

private func virtualSeek(
  _ offset: sf_count_t, _ whence: Int32, _ user: UnsafeMutableRawPointer?
) -> sf_count_t {
  guard let output = unsafe outputFile(user) else { return -1 }
  let origin =
    switch whence {
    case SEEK_CUR: output.position
    case SEEK_END: output.length
    default: 0
    }
  return sf_count_t(output.seek(to: origin + Int(offset)))
}

private func virtualRead(
  _ bytes: UnsafeMutableRawPointer?, _ count: sf_count_t, _ user: UnsafeMutableRawPointer?
) -> sf_count_t {
  guard let bytes = unsafe bytes, let output = unsafe outputFile(user) else { return 0 }
  return unsafe sf_count_t(output.get(bytes, Int(count)))
}

private func virtualWrite(
  _ bytes: UnsafeRawPointer?, _ count: sf_count_t, _ user: UnsafeMutableRawPointer?
) -> sf_count_t {
  guard let bytes = unsafe bytes, let output = unsafe outputFile(user) else { return 0 }
  return unsafe sf_count_t(output.put(bytes, Int(count)))
}

private func virtualTell(_ user: UnsafeMutableRawPointer?) -> sf_count_t {
  unsafe sf_count_t(outputFile(user)?.position ?? 0)
}
