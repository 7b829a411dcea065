package io.howdah.txn.alloc;

import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.file.Regions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A region for optimistic transactions of one thread that takes turns in all of them. Every read is
 * validated at once, as the engine does it: a transaction sees one state, or loses.
 */
final class OptimisticWords implements AutoCloseable {

  /** Most reads of one call of the allocator: a call that reads more goes round in circles. */
  private static final long MAX_READS = 20_000_000;

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  final Region region;
  private final int[] versions;
  private int clock;

  OptimisticWords(long pages) {
    region = Regions.anonymous(Pages.address(pages));
    versions = new int[(int) (region.capacityBytes() / Long.BYTES)];
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
  }

  @Override
  public void close() {
    region.close();
  }

  /** The transaction has read what another one has changed. */
  static final class Conflict extends RuntimeException {
    private static final long serialVersionUID = 1;

    Conflict() {
      super("conflict", null, false, false);
    }
  }

  /** One transaction after the other. */
  final class Transaction implements HeapWords {

    private final long[] values = new long[versions.length];
    private final int[] writtenIn = new int[versions.length];
    private final int[] readIn = new int[versions.length];

    /** Each word written, in order; and what it held before in this transaction, or not. */
    private long[] undo = new long[1 << 10];

    private int[] reads = new int[1 << 10];
    private int undoLength;
    private int readCount;
    private int number;
    private int snapshot;
    private long readsLeft;

    Transaction() {
      begin();
    }

    void begin() {
      number++;
      undoLength = 0;
      readCount = 0;
      snapshot = clock;
      called();
    }

    /** A call of the allocator begins. */
    void called() {
      readsLeft = MAX_READS;
    }

    /** Counts from now on. */
    void countReads() {
      readsLeft = MAX_READS;
    }

    /** Returns how many words were read since they are counted. */
    long reads() {
      return MAX_READS - readsLeft;
    }

    /** Returns whether all that was read is still current, so that it could commit. */
    boolean isCurrent() {
      for (int i = 0; i < readCount; i++) {
        if (versions[reads[i]] > snapshot) {
          return false;
        }
      }
      return true;
    }

    void commit() {
      if (!isCurrent()) {
        throw new Conflict();
      }
      if (undoLength > 0) {
        clock++;
      }
      for (int i = 0; i < undoLength; i += 3) {
        int word = (int) undo[i];
        region.setLong((long) word * Long.BYTES, values[word]);
        versions[word] = clock;
      }
    }

    int mark() {
      return undoLength;
    }

    void rollBack(int mark) {
      while (undoLength > mark) {
        undoLength -= 3;
        int word = (int) undo[undoLength];
        values[word] = undo[undoLength + 1];
        writtenIn[word] = (int) undo[undoLength + 2];
      }
    }

    /** Reads a word without a trace. */
    long peek(long address) {
      int word = (int) (address / Long.BYTES);
      return writtenIn[word] == number ? values[word] : region.getLong(address);
    }

    @Override
    public long get(long address) {
      if (--readsLeft < 0) {
        throw new AssertionError("the allocator goes round in circles");
      }
      int word = (int) (address / Long.BYTES);
      if (writtenIn[word] == number) {
        return values[word];
      }
      if (versions[word] > snapshot) {
        if (!isCurrent()) {
          throw new Conflict();
        }
        snapshot = clock;
      }
      if (readIn[word] != number) {
        readIn[word] = number;
        if (readCount == reads.length) {
          reads = Arrays.copyOf(reads, 2 * readCount);
        }
        reads[readCount++] = word;
      }
      return region.getLong(address);
    }

    @Override
    public void get(long address, byte[] target, int words) {
      for (int i = 0; i < words; i++) {
        WORDS.set(target, i * Long.BYTES, get(address + (long) i * Long.BYTES));
      }
    }

    @Override
    public void put(long address, long value) {
      int word = (int) (address / Long.BYTES);
      if (undoLength + 3 > undo.length) {
        undo = Arrays.copyOf(undo, 2 * undo.length);
      }
      undo[undoLength] = word;
      undo[undoLength + 1] = values[word];
      undo[undoLength + 2] = writtenIn[word];
      undoLength += 3;
      values[word] = value;
      writtenIn[word] = number;
    }

    @Override
    public void prepare(long address) {}

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return reason;
    }
  }
}
