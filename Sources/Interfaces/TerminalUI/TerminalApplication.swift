// TerminalApplication.swift: the display of a session in a terminal. SPDX-License-Identifier: MIT

import Console
import Control
import FoundationEssentials
import Glibc
import HostModel

/// Shows a session in a terminal until the user quits. [main]
package final class TerminalApplication {
  /// A message from another thread.
  private enum Arrival: Sendable {
    case bytes([UInt8]?)
    case signal(Int32)
    case link(SessionLink.Arrival)
  }

  /// The shortest time between two screens, in seconds.
  private static let frameSeconds = 0.02
  /// How long an escape waits for the rest of a key, in seconds; a slow network may separate them.
  private static let escapeSeconds = 0.05
  /// How often loads and the states of recorders are requested, in seconds.
  private static let pollSeconds = 1.0
  /// After a longer silence a session is stopped or hangs, in seconds: it sends levels all the time.
  private static let silenceSeconds = 3.0

  let model = DisplayModel()
  let link: SessionLink
  var dialog: (any ScreenDialog)?
  /// The last screen, for clicks and the wheel.
  private(set) var drawing: ScreenDrawing?
  /// The control that the mouse holds, with its scale.
  var drag: (row: Int, scale: Rectangle)?
  /// The search for plugins.
  let search = NewestRequest()
  /// All plugins, once they are known.
  var catalogue: [PluginSummary] = []
  /// The nodes before one is added, which is selected then.
  var nodesBefore: [String] = []

  private let screen: TerminalScreen
  private let glyphs: Glyphs
  private let queue = EventQueue<Arrival>()
  private var decoder = InputDecoder()
  /// Since when the decoder has waited for the rest of a key; nil if it does not.
  private var incompleteSince: ContinuousClock.Instant?
  private var isEnded = false
  private var needsScreen = true
  private var lastScreen: ContinuousClock.Instant?
  private var lastPoll: ContinuousClock.Instant?
  private var lastMessage = ContinuousClock.now
  private let start = ContinuousClock.now

  /// Prepares the display of a session.
  ///
  /// - Parameters:
  ///   - sessionName: the name of the session.
  ///   - environment: TERM, COLORTERM and NO_COLOR.
  ///   - isASCII: whether only ASCII characters are drawn.
  ///   - hasMouse: whether the mouse is used.
  package init(
    sessionName: String, environment: [String: String], isASCII: Bool, hasMouse: Bool
  ) {
    glyphs = isASCII ? .ascii : .unicode
    screen = TerminalScreen(
      .output, depth: ColourDepth(environment: environment), hasMouse: hasMouse)
    let queue = queue
    link = SessionLink(sessionName) { queue.post(.link($0)) }
    model.sessionName = sessionName
    link.onChange = { [unowned self] in stateChanged($0) }
    link.onEvent = { [unowned self] in take($0) }
    link.onStatus = { [unowned self] in statusChanged() }
    link.showMessage = { [unowned self] in model.showMessage($0, isError: $1) }
  }

  /// Shows the session until the user quits, the terminal is closed, or a signal ends the program.
  package func run() {
    let queue = queue
    TerminalSignals.start { queue.post(.signal($0)) }
    screen.begin()
    defer { screen.end() }
    TerminalReader.start { queue.post(.bytes($0)) }
    link.connect()
    while !isEnded {
      let arrivals = queue.take(within: pause)
      arrivals.forEach(take)
      let now = ContinuousClock.now
      flushKeys(now)
      link.tick(now)
      poll(now)
      showScreen(now)
    }
    link.close()
  }

  /// Ends the display.
  func quit() { isEnded = true }

  // MARK: - Arrivals

  private func take(_ arrival: Arrival) {
    needsScreen = true
    switch arrival {
    case .bytes(nil): isEnded = true
    case .bytes(let bytes?):
      incompleteSince = nil
      decoder.feed(bytes).forEach(handle)
    case .link(let arrival):
      lastMessage = ContinuousClock.now
      model.isSilent = false
      link.receive(arrival)
    case .signal(SIGWINCH): break
    case .signal(SIGTSTP): suspend()
    case .signal(SIGCONT):
      screen.end()
      screen.begin()
    case .signal: isEnded = true
    }
    model.pendingValues = model.pendingValues.filter { link.isMoving($0.key.target, $0.key.symbol) }
  }

  /// Restores the terminal, and stops until the shell continues the program.
  func suspend() {
    screen.end()
    kill(getpid(), SIGSTOP)
  }

  private func handle(_ event: InputEvent) {
    let target: ScreenDrawing.Target? =
      if case .mouse(let mouse) = event {
        drawing?.target(row: mouse.row, column: mouse.column)
      } else { nil }
    if let dialog {
      // The dialog that a choice opens stays.
      if !dialog.handle(event, target), self.dialog === dialog { self.dialog = nil }
    } else {
      handleCommand(event, target)
    }
  }

  private func take(_ event: Event) {
    switch event {
    case .levels(let levels): take(levels)
    case .started(let started):
      let names = started.devices.map { $0.name.isEmpty ? $0.device : $0.name }
      model.device = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }
        .map(\.element).joined(separator: ", ")
      model.rate =
        "\(NumberFormat.short(started.sampleRateHz)) Hz, \(started.periodFrames) frames"
    case .rate(let rate): model.rate = "\(NumberFormat.short(rate.sampleRateHz)) Hz"
    case .xrun(let xrun):
      model.xruns = xrun.xruns
      let lost = NumberFormat.fixed(xrun.lostSeconds, places: 2)
      model.showMessage("The audio was interrupted. \(lost) s are lost so far.", isError: true)
    case .device(let device):
      if let reason = device.reason { model.showMessage(reason, isError: true) }
    case .notice(let notice), .midi(let notice): model.showMessage(notice.notice, isError: false)
    case .refused(let refused): model.showMessage(refused.notice, isError: true)
    case .failure(let failure): model.showMessage(failure.failure, isError: true)
    case .analysis(let analysis): model.take(analysis.analysis)
    case .meter(let meter): model.take(meter.meter, at: seconds)
    case .changed, .level, .property, .feedback, .stopped: break
    }
  }

  /// The time since the start, in seconds.
  private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  private func take(_ levels: Event.Levels) {
    let seconds = seconds
    model.input.take(levels.inputPeakDBFS, at: seconds)
    model.output.take(levels.outputPeakDBFS, at: seconds)
    model.take(nodes: levels.nodes, at: seconds)
    (model.load, model.xruns) = (levels.load, levels.xruns)
    link.acknowledge(levels.sequence)
  }

  private func statusChanged() {
    model.connection = link.status
    if link.status == .connected {
      lastPoll = nil
      model.message = nil
    } else {
      model.load = nil
      model.input = LevelDisplay()
      model.output = LevelDisplay()
      (model.nodeLevels, model.learning) = ([:], nil)
    }
  }

  private func stateChanged(_ changes: [StateChange]) {
    for change in changes {
      if case .fault(let node, let isFaulty) = change {
        model.showMessage(
          isFaulty
            ? "\(node) had a fault and is bypassed." : "\(node) is active again.",
          isError: isFaulty)
      }
    }
    model.take(link.mirror.state)
    let isNew = changes.isEmpty || changes.contains { $0.kind == .rig }
    if isNew { forgetOutdatedDescriptions() }
    describePlugins()
  }

  /// The source of a module may have been changed, so that its nodes have other parameters.
  private func forgetOutdatedDescriptions() {
    for node in model.state.nodes {
      guard let known = model.descriptions[node.plugin], known.problem == nil else { continue }
      let symbols = Set(known.parameters.map(\.symbol))
      if !node.parameters.allSatisfy({ symbols.contains($0.symbol) }) {
        model.descriptions[node.plugin] = nil
      }
    }
  }

  /// Asks for the descriptions of plugins that are not known yet.
  private func describePlugins() {
    for node in model.state.nodes where model.descriptions[node.plugin] == nil {
      if let known = PluginDescription(builtIn: node) {
        model.descriptions[node.plugin] = known
        continue
      }
      // Until the reply arrives, so that it is requested once.
      model.descriptions[node.plugin] = PluginDescription(name: node.plugin)
      link.request(.plugin(node.plugin)) { [self] result in
        switch result {
        case .success(let reply):
          guard case .plugin(let json)? = reply.result else { return }
          model.descriptions[node.plugin] = PluginDescription(json: json)
        case .failure(let error):
          let isLost = link.status != .connected
          model.descriptions[node.plugin] =
            isLost ? nil : PluginDescription(undescribed: node, problem: error.message)
        }
      }
    }
  }

  // MARK: - Time

  /// Takes an escape for the key if nothing has followed it.
  private func flushKeys(_ now: ContinuousClock.Instant) {
    guard decoder.isWaiting else { return incompleteSince = nil }
    let since = incompleteSince ?? now
    incompleteSince = since
    guard now - since >= .seconds(Self.escapeSeconds) else { return }
    incompleteSince = nil
    needsScreen = true
    decoder.flush().forEach(handle)
  }

  /// The time until something must happen without an arrival, in seconds.
  private var pause: Double {
    let now = ContinuousClock.now
    var pause = decoder.isWaiting ? Self.escapeSeconds / 2 : Self.pollSeconds
    if let time = link.nextAttempt { pause = min(pause, (time - now) / .seconds(1)) }
    if needsScreen, let lastScreen {
      pause = min(pause, Self.frameSeconds - (now - lastScreen) / .seconds(1))
    }
    return max(0, pause)
  }

  private func poll(_ now: ContinuousClock.Instant) {
    guard link.status == .connected else { return }
    if let lastPoll, now - lastPoll < .seconds(Self.pollSeconds) { return }
    lastPoll = now
    if now - lastMessage > .seconds(Self.silenceSeconds), !model.isSilent {
      model.isSilent = true
      needsScreen = true
    }
    // Requests would only wait.
    guard !model.isSilent else { return }
    link.request(.top) { [self] result in
      guard case .success(let reply) = result, case .nodeLoads(let loads)? = reply.result else {
        return
      }
      model.loads = Dictionary(loads.map { ($0.name, $0) }) { first, _ in first }
    }
    if model.page == .transport { pollTransport() }
  }

  private func showScreen(_ now: ContinuousClock.Instant) {
    guard needsScreen else { return }
    if let lastScreen, now - lastScreen < .seconds(Self.frameSeconds) { return }
    needsScreen = false
    lastScreen = now
    let size = screen.size
    let drawing = ScreenDrawing.screen(
      model, rows: size.rows, columns: size.columns, glyphs: glyphs, dialog: dialog)
    self.drawing = drawing
    screen.show(drawing.buffer)
  }
}
