package io.howdah.store.archive;

import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.ArchiveFrameLayout;
import io.howdah.store.archive.ArchiveIndex.Base;
import io.howdah.store.archive.FrameReader.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of a base. Those that it has not itself come from the bases of its chain, and
 * each page is held to its digest (docs/protocol.md, R60). Used by one thread.
 */
final class BaseReader implements AutoCloseable {

  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;
  private static final int SLICE_BYTES = ArchiveFrameLayout.SLICE_BYTES;

  private final FrameReader reader;
  private final StagingMemory memory = StagingMemory.confined();
  private final ByteBuffer slice = memory.allocate(SLICE_BYTES);
  private final PageDigests named = new PageDigests();
  private final PageDigests found = new PageDigests();

  /** Receives pages. */
  interface Sink {
    /**
     * Gets whole pages, side by side.
     *
     * @param address larger than the addresses of all pages before
     */
    void pages(long address, ByteBuffer pages);
  }

  BaseReader(ArchiveTarget target, PayloadCoding coding) {
    this.reader = new FrameReader(target, coding);
  }

  /** The frames of one base, from front to back. */
  private final class Cursor {
    private final Base base;
    private long offset;
    private long sequence;
    private @Nullable Frame next;

    Cursor(Base base) {
      this.base = base;
      advance();
    }

    private void advance() {
      Frame frame = reader.read(base.object(), offset, base.bytes());
      if (frame == null) {
        throw new CorruptStoreException(
            base.object(), base.bytes(), "the end of the base is missing");
      }
      if (!frame.run().equals(base.run()) || frame.sequence() != sequence++) {
        throw new CorruptStoreException(
            base.object(), frame.offset(), "the frame belongs elsewhere");
      }
      next = frame;
      offset = frame.end();
    }

    /** Goes to the next frame of a kind, if it is for an address; otherwise stays before it. */
    @Nullable Frame take(FrameKind kind, long address) {
      while (true) {
        Frame frame = frame();
        if (frame.kind() == FrameKind.BASE_END
            || (frame.kind() == kind && frame.first() > address)) {
          return null;
        }
        if (frame.kind() == kind && frame.first() == address) {
          return frame;
        }
        advance();
      }
    }

    Frame frame() {
      Frame frame = next;
      if (frame == null) {
        throw new IllegalStateException("a cursor begins with a frame");
      }
      return frame;
    }
  }

  /**
   * Reads a base and verifies all of it.
   *
   * @param chain the bases of its chain, in their order
   * @throws CorruptStoreException if it is damaged; names object and offset
   */
  void read(Base base, List<Base> chain, Sink sink) {
    List<Cursor> cursors = new ArrayList<>();
    cursors.add(new Cursor(base));
    chain.forEach(former -> cursors.add(new Cursor(former)));
    Cursor own = cursors.getFirst();
    long from = 0;
    while (own.frame().kind() != FrameKind.BASE_END) {
      Frame frame = own.frame();
      if (frame.kind() == FrameKind.DIGESTS) {
        from = requireSlice(frame, from, base);
        named.set(reader.payload(frame));
        own.advance();
        Frame pages = own.frame();
        if (pages.kind() != FrameKind.PAGES || pages.first() != frame.first()) {
          throw new CorruptStoreException(
              base.object(), pages.offset(), "the pages behind their digests are missing");
        }
        BitSet present = assemble(cursors, pages);
        verify(present, pages);
        pass(pages.first(), present, sink);
      } else if (frame.kind() == FrameKind.PAGES) {
        throw new CorruptStoreException(base.object(), frame.offset(), "the pages have no digests");
      } else {
        reader.payload(frame);
      }
      own.advance();
    }
    reader.payload(own.frame());
  }

  /** Returns the end of a slice. */
  private static long requireSlice(Frame frame, long from, Base base) {
    long end = Alignment.up(base.imageEndBytes(), PAGE_BYTES);
    if (frame.first() < from
        || frame.first() % SLICE_BYTES != 0
        || frame.second() < 0
        || frame.second() > PageDigests.SLICE_PAGES
        || frame.first() > end - frame.second() * PAGE_BYTES) {
      throw new CorruptStoreException(
          base.object(), frame.offset(), "the frame has pages that the image does not have");
    }
    return frame.first() + SLICE_BYTES;
  }

  /** Fills the slice; returns which pages it has. The others are zeros. */
  private BitSet assemble(List<Cursor> cursors, Frame first) {
    long address = first.first();
    BitSet pages = new BitSet(PageDigests.SLICE_PAGES);
    BitSet missing = new BitSet(PageDigests.SLICE_PAGES);
    missing.set(0, PageDigests.SLICE_PAGES);
    for (int i = 0; i < cursors.size() && !missing.isEmpty(); i++) {
      Cursor cursor = cursors.get(i);
      Frame frame = i == 0 ? first : cursor.take(FrameKind.PAGES, address);
      BitSet kept = new BitSet();
      if (frame != null) {
        kept = copy(frame, missing, pages);
      }
      if (i == 0) {
        missing = kept;
      } else {
        BitSet unknown = (BitSet) missing.clone();
        unknown.andNot(kept);
        if (!unknown.isEmpty()) {
          throw new CorruptStoreException(
              first.object(),
              first.offset(),
              "the page at "
                  + (address + unknown.nextSetBit(0) * (long) PAGE_BYTES)
                  + " is in none of the bases that it refers to");
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new CorruptStoreException(
          first.object(), first.offset(), "the frame refers to a base that there is not");
    }
    return pages;
  }

  /**
   * Copies those missing pages that a frame has, which are missing no more.
   *
   * @return the pages that the frame refers to a former base for
   */
  private BitSet copy(Frame frame, BitSet missing, BitSet pages) {
    ByteBuffer payload = reader.payload(frame);
    int bitmap = bitmapBytes(PageDigests.SLICE_PAGES);
    if (payload.remaining() < 2 * bitmap) {
      throw new CorruptStoreException(
          frame.object(), frame.offset(), "the frame has fewer pages than it says");
    }
    BitSet kept = new BitSet(PageDigests.SLICE_PAGES);
    int at = 2 * bitmap;
    for (int page = 0; page < PageDigests.SLICE_PAGES; page++) {
      if (isSet(payload, 0, page)) {
        if (at + PAGE_BYTES > payload.limit()) {
          throw new CorruptStoreException(
              frame.object(), frame.offset(), "the frame has fewer pages than it says");
        }
        if (missing.get(page)) {
          slice.put(page * PAGE_BYTES, payload, at, PAGE_BYTES);
          pages.set(page);
          missing.clear(page);
        }
        at += PAGE_BYTES;
      } else if (isSet(payload, bitmap, page)) {
        kept.set(page);
      }
    }
    return kept;
  }

  private void verify(BitSet pages, Frame frame) {
    found.clear();
    for (int page = 0; page < PageDigests.SLICE_PAGES; page++) {
      if (pages.get(page)) {
        found.set(page, slice);
      }
      if (!found.hasSame(page, named)) {
        throw new CorruptStoreException(
            frame.object(),
            frame.offset(),
            "the page at "
                + (frame.first() + page * (long) PAGE_BYTES)
                + " is not the one that the base names");
      }
    }
  }

  private void pass(long address, BitSet pages, Sink sink) {
    for (int from = pages.nextSetBit(0); from >= 0; ) {
      int to = pages.nextClearBit(from);
      sink.pages(
          address + from * (long) PAGE_BYTES,
          slice
              .duplicate()
              .order(slice.order())
              .clear()
              .limit(to * PAGE_BYTES)
              .position(from * PAGE_BYTES));
      from = pages.nextSetBit(to);
    }
  }

  /** Returns the length of the bits for some pages. */
  static int bitmapBytes(int pages) {
    return (int) Alignment.up((pages + Byte.SIZE - 1) / Byte.SIZE, Long.BYTES);
  }

  private static boolean isSet(ByteBuffer bits, int from, int page) {
    return (bits.get(from + page / Byte.SIZE) >> page % Byte.SIZE & 1) != 0;
  }

  /** Frees the buffers. */
  @Override
  public void close() {
    memory.close();
    reader.close();
  }
}
