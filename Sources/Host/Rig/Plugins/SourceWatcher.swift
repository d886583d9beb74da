// SourceWatcher.swift: a source compiled again whenever it is saved. SPDX-License-Identifier: MIT

import Dispatch
package import FoundationEssentials
import Glibc
import ModuleBuild
import PluginCatalogue
package import PluginModel
import RealtimeKit
import Synchronization

/// Watches what a module was made from, and makes it anew on a thread of its own.
package final class SourceWatcher: Sendable {
  /// What became of a change.
  package enum Update: Sendable {
    /// It compiles, and its trial has not ended yet; what plays goes on.
    case trying
    /// It compiles, survived its trial, and can be used; when it was saved, and what is worth knowing of it.
    case ready(SourceModule.Product, saved: Date, remarks: [String])
    /// It cannot be used, for the reason given; what plays goes on.
    case failed(sentence: String)
    /// After a failure it is again what plays.
    case asBefore
  }

  /// What is followed.
  package let module: SourceModule
  private let conditions: Preflight.Conditions
  private let watch: FileWatcher
  private let news = Mutex<Update?>(nil)
  private let work = Mutex(BuildJob())
  private let onNews: @Sendable () -> Void

  /// What is being compiled and tried.
  private struct BuildJob {
    var ender: ChildProcessCanceller?
    /// Whether it is compiled already, and is tried.
    var isTrying = false
    var hasStopped = false
  }

  /// A compiler that takes longer, in seconds, is ended as soon as the source is saved again; a trial is at
  /// once.
  private static let patienceSeconds = 1.0
  /// How often the files are compared with what is compiled and tried.
  private static let look = DispatchTimeInterval.milliseconds(100)

  /// Begins to follow; nil where the system has no more watches. [main]
  ///
  /// - Parameters:
  ///   - module: what is followed.
  ///   - product: what is known already.
  ///   - configuration: what it will be used in.
  ///   - onNews: called on another thread when there is something to take.
  package init?(
    _ module: SourceModule, _ product: SourceModule.Product, in configuration: NodeConfiguration,
    onNews: @escaping @Sendable () -> Void
  ) {
    guard let watch = FileWatcher() else { return nil }
    self.module = module
    self.watch = watch
    self.onNews = onNews
    conditions = Preflight.Conditions(configuration)
    _ = DetachedThread.start { [self] in follow(from: product) }
  }

  /// What became of the last change, once. [any]
  package func takeNews() -> Update? {
    news.withLock { news in
      defer { news = nil }
      return news
    }
  }

  /// Follows no longer. [any]
  package func stop() {
    watch.stop()
    work.withLock { work in
      work.hasStopped = true
      work.ender?.end()
    }
  }

  private func follow(from product: SourceModule.Product) {
    var playing = product.built
    var hasFailed = false
    var files = product.built.dependencies
    // Headers that are missing, and may come.
    var awaited: [String] = []
    // Looked at before the build that is to come, so that what is saved meanwhile is built once more.
    var facts = FileStamps(files)
    var saved = Date()
    while true {
      let ender = ChildProcessCanceller()
      let module = self.module.endable(by: ender)
      let overseer = oversee(files + awaited, since: facts, ender)
      do {
        // Many that fail would have it thrown away as the oldest, though it may be needed again.
        module.keep(playing)
        let next = try module.build()
        (files, awaited) = (next.built.dependencies, [])
        if next.built.library != playing.library {
          let verdict = verdict(on: next, after: playing, by: module, saved: saved)
          if case .ready = verdict { playing = next.built }
          if !ender.hasEnded || playing == next.built {
            hasFailed = playing != next.built
            tell(verdict)
          }
        } else if hasFailed {
          hasFailed = false
          tell(.asBefore)
        }
      } catch {
        awaited += ((error as? ModuleBuildError)?.awaitedFiles ?? []).filter {
          !awaited.contains($0)
        }
        // What is the matter with what is there no longer nobody wants to know.
        if !ender.hasEnded {
          hasFailed = true
          tell(.failed(sentence: "\(error)"))
        }
      }
      overseer.cancel()
      guard let changed = watch.waitForChange(of: files + awaited, since: facts) else { return }
      facts = changed
      saved = Self.time(of: changed)
    }
  }

  /// Ends what is compiled or tried, once that takes long, if it is no longer what the files say: a loop
  /// without an end would otherwise hold up the code that has none.
  private func oversee(
    _ files: [String], since facts: FileStamps, _ ender: ChildProcessCanceller
  ) -> any DispatchSourceTimer {
    work.withLock { work in
      work.ender = ender
      work.isTrying = false
      if work.hasStopped { ender.end() }
    }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + Self.look, repeating: Self.look)
    let end = DispatchTime.now() + Self.patienceSeconds
    timer.setEventHandler { [self] in
      let isEndable = work.withLock { $0.isTrying } || DispatchTime.now() >= end
      if isEndable, FileStamps(files) != facts { ender.end() }
    }
    timer.activate()
    return timer
  }

  /// When what was just noticed was done: a file that was moved into place is as old as ever.
  private static func time(of change: FileStamps) -> Date {
    let now = Date()
    guard let last = change.lastChange, now.timeIntervalSince(last) < longestNoticeSeconds else {
      return now
    }
    return min(last, now)
  }

  /// More than it takes to notice a change.
  private static let longestNoticeSeconds = 3.0

  private func verdict(
    on product: SourceModule.Product, after playing: BuiltModule, by module: SourceModule,
    saved: Date
  ) -> Update {
    work.withLock { $0.isTrying = true }
    let (refusal, remarks) = module.trial(of: product, at: conditions) { self.tell(.trying) }
    if let refusal = refusal ?? module.handOverRefusal(of: product, from: playing, at: conditions) {
      return .failed(sentence: refusal)
    }
    return .ready(product, saved: saved, remarks: remarks)
  }

  private func tell(_ what: Update) {
    news.withLock { $0 = what }
    onNews()
  }
}
