// SourceWatcher.swift: recompiles a source module when it is saved. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import ModuleBuild
package import PluginCatalogue
package import PluginModel
import RealtimeKit
import Synchronization

/// Watches the files of a source module, and rebuilds it on a separate thread.
package final class SourceWatcher: BuildFollower {
  /// The watched module.
  private let module: SourceModule
  private let conditions: Preflight.Conditions
  private let watch: FileWatcher
  private let update = Mutex<BuildUpdate?>(nil)
  private let work = Mutex(BuildJob())
  private let onUpdate: @Sendable () -> Void

  /// The build that is being compiled and tested.
  private struct BuildJob {
    var canceller: ChildProcessCanceller?
    /// Whether the source is compiled and its preflight is running.
    var isTrying = false
    var hasStopped = false
  }

  /// The time in seconds after which a new change cancels the compiler.
  ///
  /// A preflight is cancelled at once.
  private static let timeoutSeconds = 1.0
  /// The interval at which files are compared with the running build.
  private static let pollInterval = DispatchTimeInterval.milliseconds(100)

  /// Starts to watch; returns nil if the inotify limit is reached. [main]
  ///
  /// - Parameters:
  ///   - module: the module to watch.
  ///   - product: the active product.
  ///   - configuration: the conditions of its use.
  ///   - onUpdate: called on another thread when a result is available.
  package init?(
    _ module: SourceModule, _ product: SourceModule.Product, in configuration: NodeConfiguration,
    onUpdate: @escaping @Sendable () -> Void
  ) {
    guard let watch = FileWatcher() else { return nil }
    self.module = module
    self.watch = watch
    self.onUpdate = onUpdate
    conditions = Preflight.Conditions(configuration)
    _ = DetachedThread.start { [self] in follow(from: product) }
  }

  package var path: String { module.path }
  package var absolutePath: String { module.absolutePath }

  /// Returns the result of the last change, once. [any]
  package func takeUpdate() -> BuildUpdate? {
    update.withLock { update in
      defer { update = nil }
      return update
    }
  }

  /// Stops watching. [any]
  package func stop() {
    watch.stop()
    work.withLock { work in
      work.hasStopped = true
      work.canceller?.cancelAll()
    }
  }

  private func follow(from product: SourceModule.Product) {
    var playing = product.built
    var hasFailed = false
    var files = product.built.dependencies
    // Missing headers, which can be created later.
    var awaited: [String] = []
    // Read before the next build, so that a later change starts another build.
    var stamps = FileStamps(files)
    var saved = Date()
    while true {
      let canceller = ChildProcessCanceller()
      let module = self.module.cancellable(by: canceller)
      let supervision = superviseBuild(files + awaited, since: stamps, canceller)
      do {
        // Otherwise many failed builds would remove the active one from the cache as the oldest.
        module.keep(playing)
        let next = try module.build()
        (files, awaited) = (next.built.dependencies, [])
        if next.built.library != playing.library {
          let result = result(on: next, after: playing, by: module, saved: saved)
          if case .ready = result { playing = next.built }
          if !canceller.hasEnded || playing == next.built {
            hasFailed = playing != next.built
            report(result)
          }
        } else if hasFailed {
          hasFailed = false
          report(.unchanged)
        }
      } catch {
        awaited += ((error as? ModuleBuildError)?.awaitedFiles ?? []).filter {
          !awaited.contains($0)
        }
        // Errors of files that have changed again are not reported.
        if !canceller.hasEnded {
          hasFailed = true
          report(.failed(message: "\(error)", kind: (error as? any HostError)?.kind ?? .failure))
        }
      }
      supervision.cancel()
      guard let changed = watch.waitForChange(of: files + awaited, since: stamps) else { return }
      stamps = changed
      saved = Self.time(of: changed)
    }
  }

  /// Cancels a slow build or preflight whose files have changed, because an endless loop would block the corrected
  /// version.
  private func superviseBuild(
    _ files: [String], since stamps: FileStamps, _ canceller: ChildProcessCanceller
  ) -> any DispatchSourceTimer {
    work.withLock { work in
      work.canceller = canceller
      work.isTrying = false
      if work.hasStopped { canceller.cancelAll() }
    }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + Self.pollInterval, repeating: Self.pollInterval)
    let end = DispatchTime.now() + Self.timeoutSeconds
    timer.setEventHandler { [self] in
      let isEndable = work.withLock { $0.isTrying } || DispatchTime.now() >= end
      if isEndable, FileStamps(files) != stamps { canceller.cancelAll() }
    }
    timer.activate()
    return timer
  }

  /// Returns the time of a change; a moved file keeps its old modification time.
  private static func time(of change: FileStamps) -> Date {
    let now = Date()
    guard let last = change.lastChange, now.timeIntervalSince(last) < longestNoticeSeconds else {
      return now
    }
    return min(last, now)
  }

  /// The maximum time to detect a change, in seconds, with a reserve.
  private static let longestNoticeSeconds = 3.0

  private func result(
    on product: SourceModule.Product, after playing: BuiltModule, by module: SourceModule,
    saved: Date
  ) -> BuildUpdate {
    work.withLock { $0.isTrying = true }
    let (refusal, remarks) = module.preflight(of: product, at: conditions) { self.report(.trying) }
    if let refusal = refusal
      ?? module.stateTransferError(of: product, from: playing, at: conditions)
    {
      return .failed(message: refusal, kind: .failure)
    }
    return .ready(
      SourceBuild(module: self.module, product: product),
      savedSeconds: saved.timeIntervalSince1970, remarks: remarks)
  }

  private func report(_ what: BuildUpdate) {
    update.withLock { $0 = what }
    onUpdate()
  }
}
