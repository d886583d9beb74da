// StatusLineTests.swift: output to a terminal, and none elsewhere. SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Console

@Suite struct StatusLineTests {
  @Test func `lines are written over the last ones, each cleared to its end`() throws {
    let screen = try Screen(columns: 20)
    var line = StatusLine(screen.terminal)
    line.show(["in", "out"])
    #expect(screen.read() == "\rin\u{1b}[K\n\rout\u{1b}[K\u{1b}[J")
    line.show(["IN", "OUT"])
    #expect(screen.read() == "\u{1b}[1A\rIN\u{1b}[K\n\rOUT\u{1b}[K\u{1b}[J")
    line.show(["one"])
    #expect(screen.read() == "\u{1b}[1A\rone\u{1b}[K\u{1b}[J")
    line.show(["two"])
    #expect(screen.read() == "\rtwo\u{1b}[K\u{1b}[J")
    line.clear()
    #expect(screen.read() == "\r\u{1b}[J")
    line.clear()
    #expect(screen.read() == "")
  }

  @Test func `a line never wraps, because the next update would overwrite the wrong line`() throws {
    let screen = try Screen(columns: 8)
    var line = StatusLine(screen.terminal)
    line.show(["0123456789", "音響効果の", "a\nb\u{1b}[9A"])
    #expect(
      screen.read()
        == "\r0123456\u{1b}[K\n\r音響効\u{1b}[K\n\ra b\\u{1\u{1b}[K\u{1b}[J")
  }

  @Test func `control characters in a text are escaped`() throws {
    let screen = try Screen(columns: 80)
    screen.terminal.writeLine("\u{1b}[2Jname\u{202e}\nnext")
    #expect(screen.read() == "\\u{1B}[2Jname\\u{202E}\nnext\n")
    var table = Table([.init("NAME"), .init("ID")])
    table.add(["a\u{9b}31m\nb", "\u{1b}c"])
    #expect(table.lines(width: nil) == ["NAME          ID", "a\\u{9B}31m b  \\u{1B}c"])
  }

  @Test func `nothing is written without a terminal`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let terminal = Terminal(descriptor: ends[1])
    #expect(!terminal.isInteractive)
    #expect(terminal.columns == nil)
    var line = StatusLine(terminal)
    line.show(["in", "out"])
    line.clear()
    close(ends[1])
    var byte: UInt8 = 0
    #expect(Glibc.read(ends[0], &byte, 1) == 0)
  }

  @Test func `a terminal of unknown width has 80 columns`() throws {
    for (columns, seen) in [(0, 80), (132, 132), (1, 1)] {
      let screen = try Screen(columns: UInt16(columns))
      #expect(screen.terminal.columns == seen)
      withExtendedLifetime(screen) {}
    }
  }

  @Test func `a text is written completely although the reader accepts it in parts`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (source, sink) = (ends[0], ends[1])
    let text = String(repeating: "0123456789abcdef", count: 20_000)
    let writer = Thread { Terminal(descriptor: sink).writeLine(text) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1_000)
    while bytes.count <= text.utf8.count {
      let count = Glibc.read(source, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    writer.join()
    close(source)
    close(sink)
    #expect(bytes.elementsEqual((text + "\n").utf8))
  }
}

/// A terminal whose other end belongs to the test.
private final class Screen {
  let terminal: Terminal
  private let master: Int32
  private let slave: Int32

  init(columns: UInt16) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    // TIOCSPTLCK and TIOCGPTPEER: the Glibc module lacks these constants of the C library.
    try #require(master >= 0 && ioctl(master, 0x4004_5431, &isLocked) == 0)
    slave = ioctl(master, 0x5441, O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
    var settings = termios()
    tcgetattr(slave, &settings)
    cfmakeraw(&settings)
    tcsetattr(slave, TCSANOW, &settings)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    terminal = Terminal(descriptor: slave)
  }

  deinit {
    close(slave)
    close(master)
  }

  /// Everything that was written since the last call.
  func read() -> String {
    // The kernel needs time to transfer it, so this reads up to the mark.
    let mark = "\u{4}"
    terminal.writeRaw(mark)
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while !text.hasSuffix(mark) {
      let count = Glibc.read(master, &bytes, bytes.count)
      guard count > 0 else { break }
      text += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return String(text.dropLast())
  }
}

/// A thread that the test joins.
private final class Thread {
  private var handle = pthread_t()

  init(_ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(work))
    pthread_create(
      &handle, nil,
      { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().work() }
        return nil
      }, box.toOpaque())
  }

  func join() { pthread_join(handle, nil) }

  private final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
