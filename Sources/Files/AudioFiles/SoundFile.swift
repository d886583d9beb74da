// SoundFile.swift: the one owner of a libsndfile handle. SPDX-License-Identifier: MIT

import CSndFile
import Glibc

/// An open libsndfile handle, which is closed when it is freed.
@safe struct SoundFile: ~Copyable {
  /// The handle; valid as long as this value.
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe sf_close(handle)
  }

  /// Opens a handle; calls `open` again if it failed and the reason is uncertain. [any]
  ///
  /// libsndfile stores the reason of a failed opening in global variables, which another thread
  /// overwrites. So files are opened one at a time, and pipes once they have data. A thread waits at
  /// most one second for another one, which may be delayed by a slow disk or writer. As such a thread
  /// can still overwrite a reason, a file is refused if two attempts in a row have the same one.
  static func open(
    isStream: Bool, _ open: () -> OpaquePointer?, refusal: () -> AudioFileError
  ) throws(AudioFileError) -> OpaquePointer {
    let hasTurn = takeTurn()
    defer { if hasTurn { unsafe pthread_mutex_unlock(turn) } }
    var previous: String?
    for _ in 1 ..< (isStream ? 1 : maximumAttemptCount) {
      if let handle = unsafe open() { return unsafe handle }
      // Each opening sets the reason to "no error" when it begins.
      let number = sf_error(nil)
      let reason = refusal()
      let text = "\(reason)"
      let hasReason = number != Int32(SF_ERR_NO_ERROR) && sf_error(nil) == number
      if hasReason, text == previous { throw reason }
      previous = hasReason ? text : nil
    }
    guard let handle = unsafe open() else { throw refusal() }
    return unsafe handle
  }

  /// Waits until a pipe has data or was closed, without keeping others from opening files. [any]
  static func waitForData(_ descriptor: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&polled, 1, -1) < 0 && errno == EINTR {}
  }

  private static let maximumAttemptCount = 100

  /// Waits for this reader's turn; returns false if another one takes too long, for example because
  /// of a network file system that hangs.
  private static func takeTurn() -> Bool {
    var limit = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += 1
    return unsafe pthread_mutex_timedlock(turn, &limit) == 0
  }

  /// Never freed, because threads may open files until the process ends.
  nonisolated(unsafe) private static let turn: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    return unsafe lock
  }()

  /// The library's message about the last error.
  var faultText: String { unsafe String(cString: sf_strerror(handle)) }

  /// Returns the library's log of a handle, or, with nil, of the last one that failed to open.
  static func log(of handle: OpaquePointer?) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { text in
      unsafe text.initialize(repeating: 0)
      unsafe sf_command(handle, Int32(SFC_GET_LOG_INFO), text.baseAddress, 16_383)
      return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
    }
  }
}

/// An open file descriptor, which is closed when it is freed unless it was borrowed.
struct FileDescriptorOwner: ~Copyable {
  /// The descriptor of the file.
  let number: Int32
  private let closesOnDeinit: Bool

  init(_ number: Int32, closesOnDeinit: Bool) {
    self.number = number
    self.closesOnDeinit = closesOnDeinit
  }

  deinit {
    if closesOnDeinit { close(number) }
  }
}

/// The system's words for an error number.
func errorMessage(_ number: Int32) -> String {
  let message = unsafe String(cString: strerror(number))
  // This program uses no descriptor after it has closed it.
  return number == EBADF ? "\(message); a plugin may have closed it" : message
}
