package io.howdah.store.archive;

import org.jspecify.annotations.Nullable;

/** Kinds of frames; see {@link io.howdah.core.layout.ArchiveFrameLayout}. */
enum FrameKind {
  ARCHIVE(1),
  BASE(2),
  PAGES(3),
  BASE_END(4),
  LOG_START(5),
  LOG(6),
  MARK(7),
  CHAIN(8),
  DIGESTS(9);

  final int code;

  FrameKind(int code) {
    this.code = code;
  }

  /** Returns the kind with a code, or null. */
  static @Nullable FrameKind of(int code) {
    for (FrameKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }
}
