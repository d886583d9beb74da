// RenamedKeys.swift: suggestions for unknown keys and words of manifests. SPDX-License-Identifier: MIT

import PluginModel

/// Names that manifests used before 0.1, with the names that replace them.
private let renamedKeys = [
  "howl_guard": ["feedback_suppression"], "deadline_watch": ["overload_protection"],
  "offset_guard": ["dc_protection"], "own": ["independent"], "otherwise": ["fallback"],
  "keep": ["keep_fallback", "keep_files"], "meter": ["time_signature"], "start": ["autostart"],
  "at": ["start_delay"], "from": ["start_position"], "time": ["time_unit"],
  "loop": ["loop_length"], "maker": ["vendor"], "licence": ["license"],
  "summary": ["description"], "smooth": ["smoothing"], "single": ["single_instance"],
  "compile": ["compiler_flags"],
]

/// Returns the known name that replaces `word` or resembles it; nil if there is none. [any]
package func suggestion(for word: String, among known: [String]) -> String? {
  renamedKeys[word]?.first(where: known.contains) ?? nearest(to: word, among: known)
}
