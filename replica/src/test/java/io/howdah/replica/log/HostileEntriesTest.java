package io.howdah.replica.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.recovery.LiveReplay;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Entries with forged fields and right checksums, as only a broken or a hostile member writes them.
 * A node that follows takes them, or ends with a typed exception; no word of them lies outside of
 * the region. The runs are 20,000 by default; the property {@code howdah.hostile} multiplies them.
 */
@Timeout(120)
final class HostileEntriesTest {

  private static final int RUNS = 8_000 * Integer.getInteger("howdah.hostile", 1);

  private static CapturedGroup captured;

  private int words;

  @BeforeAll
  static void run() throws Exception {
    captured = CapturedGroup.run();
    assertThat(captured.entries()).hasSizeGreaterThan(3);
  }

  /** Returns an entry as it was, with some fields changed, and with right checksums. */
  private static byte[] forged(byte[] entry, SplittableRandom random) {
    byte[] bytes = entry.clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(bytes.length / Integer.BYTES) * Integer.BYTES;
      switch (random.nextInt(6)) {
        case 4 -> moveToTheEnd(buffer, at / Long.BYTES * Long.BYTES, random);
        case 0 -> buffer.putInt(at, random.nextInt());
        case 1 -> buffer.putInt(at, random.nextInt(-8, 300));
        case 2 -> buffer.put(at, (byte) (1 << random.nextInt(8)));
        case 3 -> buffer.putInt(at, Integer.MAX_VALUE - random.nextInt(16));
        default -> {
          int other = random.nextInt(bytes.length / Long.BYTES) * Long.BYTES;
          buffer.putLong(at / Long.BYTES * Long.BYTES, buffer.getLong(other));
        }
      }
    }
    if (random.nextInt(8) == 0) {
      int length = random.nextInt(bytes.length + 1);
      return Arrays.copyOf(bytes, length);
    }
    sealed(buffer);
    return bytes;
  }

  /** Lets words of a record lie near the end of the region, if the record's entry begins here. */
  private static void moveToTheEnd(ByteBuffer buffer, int from, SplittableRandom random) {
    for (int at = from; at < buffer.capacity(); at += Long.BYTES) {
      long word = buffer.getLong(at);
      int run = RedoRecordLayout.entryRun(word);
      long address = RedoRecordLayout.entryAddress(word);
      if (run > 0
          && at + Long.BYTES * (1 + run) <= buffer.capacity()
          && address > 0
          && address < CapturedGroup.OPTIONS.maxSize()) {
        long last = CapturedGroup.OPTIONS.maxSize() / Long.BYTES - random.nextInt(-2, run + 2);
        buffer.putLong(at, RedoRecordLayout.entryHead(last * Long.BYTES, run));
        return;
      }
    }
  }

  private static void sealed(ByteBuffer entry) {
    int length = entry.capacity();
    int payload = length - EntryLayout.HEADER_LENGTH;
    boolean isBatch = entry.getInt(EntryLayout.KIND_OFFSET) == EntryLayout.KIND_BATCH;
    entry.putInt(EntryLayout.PAYLOAD_LENGTH_OFFSET, payload);
    if (isBatch && payload >= BatchLayout.HEADER_LENGTH) {
      ByteBuffer batch =
          entry.slice(EntryLayout.HEADER_LENGTH, payload).order(ByteOrder.LITTLE_ENDIAN);
      batch.putInt(BatchLayout.LENGTH_OFFSET, payload);
      batch.putInt(BatchLayout.CRC_OFFSET, Crc32c.around(batch, BatchLayout.CRC_OFFSET, payload));
    }
    entry.putInt(
        EntryLayout.CRC_OFFSET,
        Crc32c.around(entry, EntryLayout.CRC_OFFSET, isBatch ? EntryLayout.HEADER_LENGTH : length));
  }

  /** Takes the words of a record, as a node that follows does. */
  private void redo(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long head = source.getLong(at);
      int run = RedoRecordLayout.entryRun(head);
      long address = RedoRecordLayout.entryAddress(head);
      assertThat(run).isPositive();
      assertThat(address).isBetween(0L, CapturedGroup.OPTIONS.maxSize() - (long) run * Long.BYTES);
      assertThat(address % Long.BYTES).isZero();
      at += Long.BYTES * (1 + run);
      assertThat(at).isLessThanOrEqualTo(to);
      words += run;
    }
  }

  private LiveReplay replay() {
    return new LiveReplay(
        SimulatedDisk.seeded(1).storage(),
        CapturedGroup.ID.high(),
        CapturedGroup.ID.low(),
        CapturedGroup.OPTIONS.partitions(),
        CapturedGroup.OPTIONS.maxSize(),
        this::redo);
  }

  /** Does with an entry what a node that follows does. */
  private static void follow(byte[] bytes, Chain chain, LiveReplay replay) {
    Entry entry = Entry.read(ByteBuffer.wrap(bytes), CapturedGroup.ID, "entry");
    if (chain.add(entry, "entry")) {
      switch (entry) {
        case Entry.Epoch _ -> replay.begin(chain.end().epoch(), chain.end().cut());
        case Entry.Batch batch -> replay.add(batch.bytes(), "entry");
        case Entry.Barrier _ -> {}
      }
    }
  }

  @Test
  void whatWasWrittenIsTaken() {
    try (LiveReplay replay = replay()) {
      Chain chain = new Chain(CapturedGroup.ID);
      captured.entries().forEach(entry -> follow(entry, chain, replay));
      assertThat(words).isGreaterThan(100);
    }
  }

  @Test
  void forgedEntriesAreTakenOrRefusedWithATypedException() {
    int refused = 0;
    int taken = 0;
    for (int run = 0; run < RUNS; run++) {
      SplittableRandom random = new SplittableRandom(run);
      int forged = random.nextInt(captured.entries().size());
      try (LiveReplay replay = replay()) {
        Chain chain = new Chain(CapturedGroup.ID);
        for (byte[] entry : captured.entries().subList(0, forged)) {
          follow(entry, chain, replay);
        }
        follow(forged(captured.entries().get(forged), random), chain, replay);
        taken++;
      } catch (CorruptStoreException | UnsupportedStoreException e) {
        assertThat(e).hasMessageContaining("entry");
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("run " + run, e);
      }
    }
    assertThat(refused).isGreaterThan(RUNS / 10);
    assertThat(taken).isGreaterThan(RUNS / 100);
  }

  @Test
  void entriesInAnyOrderAndAgainAreTakenOrRefusedWithATypedException() {
    for (int run = 0; run < RUNS / 10; run++) {
      SplittableRandom random = new SplittableRandom(run);
      try (LiveReplay replay = replay()) {
        Chain chain = new Chain(CapturedGroup.ID);
        int next = 0;
        for (int i = 0; i < 2 * captured.entries().size(); i++) {
          int which = random.nextInt(4) > 0 ? next : random.nextInt(captured.entries().size());
          next = Math.min(which + 1, captured.entries().size() - 1);
          follow(captured.entries().get(which), chain, replay);
        }
      } catch (CorruptStoreException e) {
        assertThat(e).hasMessageContaining("does not continue the log");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("run " + run, e);
      }
    }
  }
}
