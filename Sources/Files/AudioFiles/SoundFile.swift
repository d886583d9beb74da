// SoundFile.swift: the one owner of a libsndfile handle. SPDX-License-Identifier: MIT

import CSndFile
import Glibc
import Synchronization

/// An open libsndfile handle, closed when it goes.
struct SoundFile: ~Copyable {
  /// The handle; valid as long as this value.
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sf_close(handle)
  }

  /// Opens a handle; `open` is called again if its reason was lost.
  ///
  /// libsndfile keeps the reason of a failed opening in variables of the process, which another thread
  /// overwrites. Files are therefore opened in turn, except pipes, which may wait without a limit. A turn that
  /// lasts longer than a second, on a slow disk, is not waited for. A file whose reason may be that of an
  /// opening out of turn is opened again. [any]
  static func open(
    isStream: Bool, _ open: () -> OpaquePointer?, refusal: () -> AudioFileError
  ) throws(AudioFileError) -> OpaquePointer {
    guard !isStream && takeTurn() else {
      openingsOutOfTurn.add(1, ordering: .sequentiallyConsistent)
      defer { openingsOutOfTurn.add(1, ordering: .sequentiallyConsistent) }
      guard let handle = open() else { throw refusal() }
      return handle
    }
    defer { pthread_mutex_unlock(turn) }
    var attempts = 0
    while true {
      let before = openingsOutOfTurn.load(ordering: .sequentiallyConsistent)
      if let handle = open() { return handle }
      let reason = refusal()
      let after = openingsOutOfTurn.load(ordering: .sequentiallyConsistent)
      attempts += 1
      if before == after || attempts == 100 { throw reason }
    }
  }

  /// Counts the beginnings and ends of openings without the turn.
  private static let openingsOutOfTurn = Atomic<Int>(0)

  /// Whether it is this reader's turn; false if another one takes longer than a file on a network that hangs should
  /// hold up others.
  private static func takeTurn() -> Bool {
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += 1
    return pthread_mutex_timedlock(turn, &limit) == 0
  }

  /// Never freed: threads may open files until the process ends.
  nonisolated(unsafe) private static let turn: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    return lock
  }()

  /// What the library has to say about the last fault.
  var faultText: String { String(cString: sf_strerror(handle)) }

  /// What the library noted while it read the header.
  var log: String { Self.log(of: handle) }

  /// What the library noted about a handle, or, with nil, about the last one that failed to open.
  static func log(of handle: OpaquePointer?) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { text in
      text.initialize(repeating: 0)
      sf_command(handle, Int32(SFC_GET_LOG_INFO), text.baseAddress, 16_383)
      return text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }
}

/// An open file descriptor, closed when it goes unless it was lent.
struct FileDescriptorOwner: ~Copyable {
  /// The descriptor of the file.
  let number: Int32
  private let isOwned: Bool

  init(_ number: Int32, isOwned: Bool) {
    self.number = number
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { close(number) }
  }
}

/// The system's words for an error number.
func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
