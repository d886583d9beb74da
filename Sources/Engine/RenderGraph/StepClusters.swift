// StepClusters.swift: groups steps that are too small for a task each. SPDX-License-Identifier: MIT

/// The clusters of a plan: each sum, delay and MIDI delivery joined with the node that it belongs
/// to; and chains of clusters.
///
/// The clusters have no circular dependencies: a step joins a cluster only if it depends on nothing
/// else, or if nothing else depends on it.
struct StepClusters {
  /// The steps of each cluster, in the order of the plan.
  private(set) var members: [[Int]] = []
  /// The predecessors of each cluster; clusters are in an order in which they can be rendered.
  private(set) var predecessors: [[Int]] = []
  var count: Int { members.count }

  /// Groups steps, given the predecessors of each. [main]
  init(_ steps: [PlannedStep], _ stepPredecessors: [[Int]]) {
    var joining = ClusterMerger(steps, stepPredecessors)
    joining.mergeSuccessors()
    joining.mergePredecessors()
    (members, predecessors) = joining.sorted()
  }

  /// Returns chains of clusters: each depends only on the one before it and is its only successor.
  mutating func chains() -> [[Int]] {
    reduce()
    var successorCounts = Array(repeating: 0, count: count)
    for predecessor in predecessors.joined() { successorCounts[predecessor] += 1 }
    var chains: [[Int]] = []
    var chainOfCluster = Array(repeating: 0, count: count)
    for cluster in 0 ..< count {
      if predecessors[cluster].count == 1, successorCounts[predecessors[cluster][0]] == 1 {
        chainOfCluster[cluster] = chainOfCluster[predecessors[cluster][0]]
        chains[chainOfCluster[cluster]].append(cluster)
      } else {
        chainOfCluster[cluster] = chains.count
        chains.append([cluster])
      }
    }
    return chains
  }

  /// Removes dependencies that follow from others.
  private mutating func reduce() {
    var ancestors: [BitSet] = []
    for cluster in 0 ..< count {
      var known = BitSet(count)
      var kept: [Int] = []
      // A path to another predecessor comes before that predecessor.
      for predecessor in predecessors[cluster].sorted(by: >) where !known.contains(predecessor) {
        kept.append(predecessor)
        known.insert(predecessor)
        known.formUnion(ancestors[predecessor])
      }
      predecessors[cluster] = kept
      ancestors.append(known)
    }
  }
}

/// Steps that are being grouped; each cluster is identified by one of its steps.
private struct ClusterMerger {
  private let isTrivial: [Bool]
  private let predecessors: [[Int]]
  private let successors: [[Int]]
  private var clusterOfStep: [Int]
  private var members: [[Int]]

  init(_ steps: [PlannedStep], _ predecessors: [[Int]]) {
    isTrivial = steps.map { if case .node = $0.operation { false } else { true } }
    self.predecessors = predecessors
    var successors: [[Int]] = Array(repeating: [], count: steps.count)
    for (step, others) in predecessors.enumerated() {
      for other in others { successors[other].append(step) }
    }
    self.successors = successors
    clusterOfStep = Array(steps.indices)
    members = steps.indices.map { [$0] }
  }

  /// Joins clusters that depend on one cluster only with that cluster.
  mutating func mergeSuccessors() {
    for step in isTrivial.indices where isTrivial[step] {
      let clusters = Set(predecessors[step].map { clusterOfStep[$0] })
      if clusters.count == 1, let cluster = clusters.first { join(step, to: cluster) }
    }
  }

  /// Joins clusters with their only successor, and joins all clusters without successors.
  mutating func mergePredecessors() {
    var lastCluster: Int?
    for cluster in isTrivial.indices.reversed()
    where isTrivial[cluster] && clusterOfStep[cluster] == cluster {
      let followers = Set(
        members[cluster].flatMap { successors[$0] }.map { clusterOfStep[$0] }
      ).subtracting([cluster])
      if followers.count == 1, let follower = followers.first {
        join(cluster, to: follower)
      } else if followers.isEmpty {
        if let lastCluster { join(cluster, to: lastCluster) } else { lastCluster = cluster }
      }
    }
  }

  private mutating func join(_ cluster: Int, to other: Int) {
    for step in members[cluster] { clusterOfStep[step] = other }
    members[other] += members[cluster]
    members[cluster] = []
  }

  /// Returns the clusters in an order in which they can be rendered, with the predecessors of each.
  func sorted() -> (members: [[Int]], predecessors: [[Int]]) {
    let clusters = members.indices.filter { !members[$0].isEmpty }
    var needed: [Int: Set<Int>] = [:]
    var followers: [Int: Set<Int>] = [:]
    for cluster in clusters {
      let others = Set(members[cluster].flatMap { predecessors[$0] }.map { clusterOfStep[$0] })
        .subtracting([cluster])
      needed[cluster] = others
      for other in others { followers[other, default: []].insert(cluster) }
    }
    var waiting = needed.mapValues(\.count)
    // The cluster found last comes first, so that related clusters stay together.
    var ready = Array(clusters.filter { waiting[$0] == 0 }.reversed())
    var order: [Int] = []
    var positions: [Int: Int] = [:]
    while let cluster = ready.popLast() {
      positions[cluster] = order.count
      order.append(cluster)
      for follower in (followers[cluster] ?? []).sorted(by: >) {
        waiting[follower, default: 0] -= 1
        if waiting[follower] == 0 { ready.append(follower) }
      }
    }
    precondition(order.count == clusters.count, "the clusters of steps contain a cycle")
    return (
      order.map { members[$0].sorted() },
      order.map { (needed[$0] ?? []).compactMap { positions[$0] } }
    )
  }
}
