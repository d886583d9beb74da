// SourceFollower.swift: a source compiled again whenever it is saved. SPDX-License-Identifier: MIT

import Catalogue
package import Foundation
import ModuleBuild
package import PluginModel
import Synchronization

/// Watches what a module was made from, and makes it anew on a thread of its own.
package final class SourceFollower: Sendable {
  /// What became of a change.
  package enum News: Sendable {
    /// It compiles, survived its trial, and can be used; when it was saved.
    case ready(SourceModule.Product, saved: Date)
    /// It cannot be used, for the reason given; what plays goes on.
    case failed(sentence: String)
    /// After a failure it is again what plays.
    case asBefore
  }

  /// What is followed.
  package let module: SourceModule
  private let conditions: Trial.Conditions
  private let watch: FileWatch
  private let news = Mutex<News?>(nil)
  private let onNews: @Sendable () -> Void

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
    guard let watch = FileWatch() else { return nil }
    self.module = module
    self.watch = watch
    self.onNews = onNews
    conditions = Trial.Conditions(configuration)
    Thread.detachNewThread { [self] in follow(from: product) }
  }

  /// What became of the last change, once. [any]
  package func takeNews() -> News? {
    news.withLock { news in
      defer { news = nil }
      return news
    }
  }

  /// Follows no longer. [any]
  package func stop() { watch.stop() }

  private func follow(from product: SourceModule.Product) {
    var playing = product.built.library
    var hasFailed = false
    var files = product.built.dependencies
    // Looked at before the build that is to come, so that what is saved meanwhile is built once more.
    var facts = FileFacts(files)
    var saved = Date()
    while true {
      do {
        let next = try module.build()
        files = next.built.dependencies
        if next.built.library != playing {
          let verdict = verdict(on: next, saved: saved)
          if case .ready = verdict { playing = next.built.library }
          hasFailed = playing != next.built.library
          tell(verdict)
        } else if hasFailed {
          hasFailed = false
          tell(.asBefore)
        }
      } catch {
        hasFailed = true
        tell(.failed(sentence: "\(error)"))
      }
      guard let changed = watch.waitForChange(of: files, since: facts) else { return }
      facts = changed
      saved = Self.time(of: changed)
    }
  }

  /// When what was just noticed was done: a file that was moved into place is as old as ever.
  private static func time(of change: FileFacts) -> Date {
    let now = Date()
    guard let last = change.lastChange, now.timeIntervalSince(last) < longestNoticeSeconds else {
      return now
    }
    return min(last, now)
  }

  /// More than it takes to notice a change.
  private static let longestNoticeSeconds = 3.0

  private func verdict(on product: SourceModule.Product, saved: Date) -> News {
    if let refusal = module.trialRefusal(of: product, at: conditions) {
      return .failed(sentence: refusal)
    }
    return .ready(product, saved: saved)
  }

  private func tell(_ what: News) {
    news.withLock { $0 = what }
    onNews()
  }
}
