// ConcurrentParameterNode.swift: nodes whose parameters any thread may set. SPDX-License-Identifier: MIT

/// A node whose `setParameter` may be called on any thread, because it stores each value in an
/// atomic.
package protocol ConcurrentParameterNode: Node {}
