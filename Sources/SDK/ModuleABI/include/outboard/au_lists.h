// au_lists.h: texts and lists of Audio Unit-style code. SPDX-License-Identifier: MIT
#pragma once

#include <vector>

/// An object that code releases; a text of CFSTR lives as long as the program.
struct OutboardObject {
  bool isList;
};
struct OutboardText : OutboardObject {
  const char *characters;
};
typedef const OutboardText *CFStringRef;
#define CFSTR(text)                                                                                \
  ([]() -> CFStringRef {                                                                           \
    static const OutboardText kept = {{false}, text};                                              \
    return &kept;                                                                                  \
  }())

struct OutboardArray : OutboardObject {
  OutboardArray() : OutboardObject{true} {}
  std::vector<const void *> items;
};
typedef const OutboardArray *CFArrayRef;
typedef OutboardArray *CFMutableArrayRef;
typedef const void *CFAllocatorRef;
typedef const void *CFTypeRef;
typedef long CFIndex;
struct CFArrayCallBacks {};
static const CFAllocatorRef kCFAllocatorDefault = nullptr;
static const CFArrayCallBacks kCFTypeArrayCallBacks = {};

static inline CFArrayRef CFArrayCreate(CFAllocatorRef, const void **items, CFIndex count, const void *) {
  auto *list = new OutboardArray();
  list->items.assign(items, items + count);
  return list;
}
static inline CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef, CFIndex, const void *) {
  return new OutboardArray();
}
static inline void CFArrayAppendValue(CFMutableArrayRef list, const void *item) { list->items.push_back(item); }
static inline CFIndex CFArrayGetCount(CFArrayRef list) { return CFIndex(list->items.size()); }
static inline const void *CFArrayGetValueAtIndex(CFArrayRef list, CFIndex at) { return list->items[size_t(at)]; }
static inline void CFRetain(const void *) {}
static inline void CFRelease(const void *object) {
  if (object != nullptr && static_cast<const OutboardObject *>(object)->isList)
    delete static_cast<const OutboardArray *>(object);
}
