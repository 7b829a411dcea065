package io.howdah.crashtest.cache;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that the process that is killed and the one that judges both map: a word that was stored
 * outlives its process. Each word has one writer at a time; thread-safe.
 *
 * <pre>
 *    0  whether operations run
 *  128  of each thread, 128 bytes apart: acknowledged operations, the one that was cancelled
 *       of each thread and key: the operation that has put it last; 0 for none
 * </pre>
 */
final class CacheBoard implements AutoCloseable {

  private static final long STRIDE = 128;
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final int threads;
  private final int keys;

  /** Maps a file; makes it if it is not there. */
  CacheBoard(Path file, int threads, int keys) throws IOException {
    this.threads = threads;
    this.keys = keys;
    long length = STRIDE * (1 + threads) + (long) Long.BYTES * threads * keys;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
    } catch (IOException e) {
      arena.close();
      throw e;
    }
  }

  private long get(long offset) {
    return (long) WORD.getAcquire(memory, offset);
  }

  private void set(long offset, long value) {
    WORD.setRelease(memory, offset, value);
  }

  boolean isRunning() {
    return get(0) != 0;
  }

  void running(boolean isRunning) {
    set(0, isRunning ? 1 : 0);
  }

  private static long ofThread(int thread) {
    return STRIDE * (1 + thread);
  }

  /** Returns how many operations of a thread have returned. */
  long acknowledged(int thread) {
    return get(ofThread(thread));
  }

  void acknowledged(int thread, long operations) {
    set(ofThread(thread), operations);
  }

  /** Returns the operation that was in doubt at a kill, and whose keys were removed since. */
  long cancelled(int thread) {
    return get(ofThread(thread) + Long.BYTES);
  }

  void cancelled(int thread, long operation) {
    set(ofThread(thread) + Long.BYTES, operation);
  }

  private long ofKey(int thread, int key) {
    return STRIDE * (1 + threads) + (long) Long.BYTES * ((long) thread * keys + key);
  }

  /** Returns the operation that has put a key last, as the judging process knows; 0 for none. */
  long last(int thread, int key) {
    return get(ofKey(thread, key));
  }

  void last(int thread, int key, long operation) {
    set(ofKey(thread, key), operation);
  }

  @Override
  public void close() {
    arena.close();
  }
}
