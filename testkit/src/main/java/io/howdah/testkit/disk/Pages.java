package io.howdah.testkit.disk;

import io.howdah.core.layout.Alignment;
import java.util.Arrays;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sparse contents of a file or of memory, in pages; a page never written reads as zeros. Copies
 * share pages until one side writes, so that a disk is forked in time proportional to its page
 * table.
 */
final class Pages {

  static final int PAGE_BYTES = Alignment.PAGE_BYTES;
  static final int PAGE_SHIFT = 12;

  private static final int CHUNK_SHIFT = 9;
  private static final int CHUNK_PAGES = 1 << CHUNK_SHIFT;

  /**
   * A page belongs to the table whose owner token it carries; any other table copies before
   * writing.
   */
  private static final class Page {
    final byte[] bytes;
    final @Nullable Owner owner;

    Page(byte[] bytes, @Nullable Owner owner) {
      this.bytes = bytes;
      this.owner = owner;
    }
  }

  /** Tells tables apart. */
  private static final class Owner {}

  private Page[][] chunks;
  private Owner owner = new Owner();
  private int allocated;

  Pages() {
    chunks = new Page[0][];
  }

  private Pages(Pages source) {
    chunks = new Page[source.chunks.length][];
    for (int i = 0; i < chunks.length; i++) {
      Page[] chunk = source.chunks[i];
      if (chunk != null) {
        chunks[i] = chunk.clone();
      }
    }
    allocated = source.allocated;
  }

  /** Returns a copy; neither side's later writes show on the other. */
  Pages copy() {
    owner = new Owner();
    return new Pages(this);
  }

  /** Returns the page's bytes, to be read only, or null for a page of zeros. */
  byte @Nullable [] get(int page) {
    int chunk = page >>> CHUNK_SHIFT;
    if (chunk >= chunks.length || chunks[chunk] == null) {
      return null;
    }
    Page p = chunks[chunk][page & (CHUNK_PAGES - 1)];
    return p == null ? null : p.bytes;
  }

  /** Returns the page's bytes, to be written. */
  byte[] writable(int page) {
    int chunk = page >>> CHUNK_SHIFT;
    if (chunk >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, chunks.length * 2));
    }
    if (chunks[chunk] == null) {
      chunks[chunk] = new Page[CHUNK_PAGES];
    }
    int index = page & (CHUNK_PAGES - 1);
    Page p = chunks[chunk][index];
    if (p != null && p.owner == owner) {
      return p.bytes;
    }
    if (p == null) {
      allocated++;
    }
    byte[] bytes = p == null ? new byte[PAGE_BYTES] : p.bytes.clone();
    chunks[chunk][index] = new Page(bytes, owner);
    return bytes;
  }

  /** Returns the page's bytes as they are now, for good: the next write copies them first. */
  byte @Nullable [] freeze(int page) {
    byte[] bytes = get(page);
    if (bytes != null) {
      chunks[page >>> CHUNK_SHIFT][page & (CHUNK_PAGES - 1)] = new Page(bytes, null);
    }
    return bytes;
  }

  /** Makes a page a hole again. */
  void drop(int page) {
    if (get(page) != null) {
      chunks[page >>> CHUNK_SHIFT][page & (CHUNK_PAGES - 1)] = null;
      allocated--;
    }
  }

  /** Returns how many pages are not holes. */
  int allocated() {
    return allocated;
  }

  /** Shows every page that is not a hole, from page {@code first} on, in order. */
  void forEach(int first, ObjIntConsumer<byte[]> visitor) {
    for (int c = first >>> CHUNK_SHIFT; c < chunks.length; c++) {
      if (chunks[c] == null) {
        continue;
      }
      for (int i = 0; i < CHUNK_PAGES; i++) {
        int page = (c << CHUNK_SHIFT) + i;
        Page p = chunks[c][i];
        if (p != null && page >= first) {
          visitor.accept(p.bytes, page);
        }
      }
    }
  }
}
