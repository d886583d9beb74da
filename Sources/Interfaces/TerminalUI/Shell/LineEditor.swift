// LineEditor.swift: reads lines from a terminal, with editing, history and completion. SPDX-License-Identifier: MIT

package import Console
import Glibc
import Synchronization

/// Reads lines from standard input, which is a terminal.
///
/// One thread reads lines; others may announce messages, which appear above the line that is edited.
package final class LineEditor: Sendable {
  /// The end of reading a line.
  package enum Line: Equatable, Sendable {
    /// A line.
    case text(String)
    /// Ctrl-C: the line is dropped.
    case cancelled
    /// Ctrl-D on an empty line, or the end of the input.
    case ended
  }

  /// The pause after which an escape is a key, in milliseconds.
  private static let escapeMilliseconds: Int32 = 50

  private struct State {
    var field = TextField()
    var history = LineHistory()
    var decoder = InputDecoder()
    /// Events that were read and not handled yet.
    var pending: [InputEvent] = []
    var isEditing = false
  }

  private let state = Mutex(State())
  private let mode = Mutex(RawMode(STDIN_FILENO, keepsLineBreaks: true))
  private let prompt: String
  private let output: Terminal

  /// Prepares an editor; nothing is read yet.
  package init(prompt: String, output: Terminal = .output) {
    (self.prompt, self.output) = (prompt, output)
  }

  /// Restores the terminal when signals end or stop the program. [main]
  package func handleSignals() {
    TerminalSignals.start { [self] signal in
      switch signal {
      case SIGINT, SIGWINCH: break
      case SIGTSTP: suspend()
      case SIGCONT: resume()
      default:
        end()
        _exit(128 + signal)
      }
    }
  }

  /// Reads a line; `complete` returns what the text before the cursor can become. [one thread]
  package func readLine(complete: (String) -> ShellCompletion.Result) -> Line {
    // It stays so between lines, so that keys during a command are not lost.
    mode.withLock { $0.begin() }
    state.withLock { state in
      state.field = TextField()
      state.isEditing = true
      show(state.field)
    }
    while true {
      if let event = nextEvent() {
        if let line = handle(event, complete) { return finish(line) }
      } else if !state.withLock({ $0.isEditing }) {
        return finish(.ended)
      }
    }
  }

  /// Restores the settings of the terminal. [the thread that reads lines]
  package func end() { mode.withLock { $0.end() } }

  /// Writes a line above the one that is edited. [any]
  package func announce(_ text: String) {
    state.withLock { state in
      guard state.isEditing else { return output.writeLine(text.printable) }
      output.writeRaw("\r\u{1b}[K" + text.printable + "\r\n")
      show(state.field)
    }
  }

  // MARK: - Input

  /// The next event; nil if there was none in time, or the input has ended.
  private func nextEvent() -> InputEvent? {
    let waiting = state.withLock { state in
      state.pending.isEmpty ? nil : state.pending.removeFirst()
    }
    if let waiting { return waiting }
    receive()
    return nil
  }

  /// Waits for bytes, and decodes them; ends the editing at the end of the input.
  private func receive() {
    let isWaiting = state.withLock { $0.decoder.isWaiting }
    var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&polled, 1, isWaiting ? Self.escapeMilliseconds : -1)
    if count == 0 { return state.withLock { $0.pending += $0.decoder.flush() } }
    if count < 0 { return }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let length = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    if length < 0, errno == EINTR || errno == EAGAIN { return }
    state.withLock { state in
      if length > 0 {
        state.pending += state.decoder.feed(bytes[..<length])
      } else {
        state.isEditing = false
      }
    }
  }

  private func handle(
    _ event: InputEvent, _ complete: (String) -> ShellCompletion.Result
  ) -> Line? {
    switch event {
    case .key(.enter, _): return .text(state.withLock { $0.field.text })
    case .key(.character("c"), .control): return .cancelled
    case .key(.character("d"), .control) where state.withLock({ $0.field.text.isEmpty }):
      return .ended
    case .key(.character("z"), .control): suspend()
    case .key(.tab, _): completeWord(complete)
    case .key(let key, let modifiers): edit(key, modifiers)
    case .paste(let text): change { $0.field.insert(text) }
    case .mouse: break
    }
    return nil
  }

  private func edit(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) {
    change { state in
      switch (key, modifiers) {
      case (.up, _), (.character("p"), .control):
        if let line = state.history.previous(state.field.text) { state.field = TextField(line) }
      case (.down, _), (.character("n"), .control):
        if let line = state.history.next() { state.field = TextField(line) }
      case (.character("d"), .control): _ = state.field.handle(.delete, [])
      case (.character("l"), .control): output.writeRaw("\u{1b}[H\u{1b}[2J")
      default: _ = state.field.handle(key, modifiers)
      }
    }
  }

  private func change(_ edit: (inout State) -> Void) {
    state.withLock { state in
      edit(&state)
      show(state.field)
    }
  }

  private func finish(_ line: Line) -> Line {
    state.withLock { state in
      state.isEditing = false
      if case .text(let text) = line { state.history.add(text) }
      output.writeRaw(line == .cancelled ? "^C\r\n" : "\r\n")
    }
    return line
  }

  // MARK: - Completion

  private func completeWord(_ complete: (String) -> ShellCompletion.Result) {
    // The names are requested from the session meanwhile, so the lock is free.
    let before = state.withLock { $0.field.beforeCursor }
    let result = complete(before)
    state.withLock { state in
      guard state.field.beforeCursor == before else { return }
      apply(result, &state.field)
      show(state.field)
    }
  }

  private func apply(_ result: ShellCompletion.Result, _ field: inout TextField) {
    if let match = result.words.first, result.words.count == 1 {
      let isOpen = match.hasSuffix("=")
      field.replace(from: result.start, with: isOpen ? match : match + " ")
    } else if let common = result.common {
      field.replace(from: result.start, with: common)
    } else if !result.words.isEmpty {
      list(result.words)
    }
  }

  /// Lists words in columns below the line.
  private func list(_ words: [String]) {
    let columns = output.columns ?? 80
    let width = min(columns, (words.map { $0.columnCount }.max() ?? 0) + 2)
    let perLine = max(1, columns / width)
    var text = "\r\n"
    for (index, word) in words.enumerated() {
      text += word + String(repeating: " ", count: max(0, width - word.columnCount))
      if index % perLine == perLine - 1 || index == words.count - 1 { text += "\r\n" }
    }
    output.writeRaw(text)
  }

  // MARK: - Output

  /// Writes the line again, and sets the cursor; a long line is shown around the cursor.
  private func show(_ field: TextField) {
    let room = max(8, (output.columns ?? 80) - prompt.columnCount - 1)
    var before = field.beforeCursor.printable
    while before.columnCount >= room { before.removeFirst() }
    let rest = String(field.text.dropFirst(field.beforeCursor.count)).printable
    let after = rest.prefix(columns: room - before.columnCount)
    let back = after.columnCount
    output.writeRaw(
      "\r" + prompt + before + after + "\u{1b}[K" + (back > 0 ? "\u{1b}[\(back)D" : ""))
  }

  private func suspend() {
    end()
    kill(getpid(), SIGSTOP)
  }

  private func resume() {
    state.withLock { state in
      mode.withLock { $0.begin() }
      if state.isEditing { show(state.field) }
    }
  }
}
