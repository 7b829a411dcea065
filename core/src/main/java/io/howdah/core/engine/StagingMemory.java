package io.howdah.core.engine;

import io.howdah.core.layout.Alignment;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Buffers for {@link io.howdah.core.storage.StorageFile}, aligned for direct reads and writes,
 * little-endian, and freed together. They are outside the heap and outside the JVM's limit on
 * direct buffers, so that a program with a small heap opens a large store.
 *
 * <p>For any thread, unless it is {@link #confined}; after {@link #close} every use of a buffer
 * throws {@link IllegalStateException}.
 */
public final class StagingMemory implements AutoCloseable {

  /** What buffers are aligned to: any device's logical block. */
  public static final int ALIGNMENT_BYTES = Alignment.PAGE_BYTES;

  private final Arena arena;

  /**
   * Creates one without buffers, for any thread. Closing it makes every thread of the JVM stop for
   * a moment (a handshake).
   */
  public StagingMemory() {
    this(Arena.ofShared());
  }

  private StagingMemory(Arena arena) {
    this.arena = arena;
  }

  /**
   * Creates one without buffers that the calling thread alone may use and close. Closing it stops
   * no other thread. Another thread that uses or closes it gets a {@link WrongThreadException}.
   */
  public static StagingMemory confined() {
    return new StagingMemory(Arena.ofConfined());
  }

  /** Returns a new buffer of zeros. */
  public ByteBuffer allocate(int lengthBytes) {
    return arena
        .allocate(lengthBytes, ALIGNMENT_BYTES)
        .asByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Frees all buffers. No thread may be using one. */
  @Override
  public void close() {
    arena.close();
  }
}
