package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.TxBody;
import io.howdah.txn.stm.TxHandle;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Blobs whose ends lie at, before and behind those of chunks, of 512, 1,024, 2,048 ... bytes. */
final class BlobBoundaryTest {

  static final List<Integer> LENGTHS =
      IntStream.concat(
              IntStream.of(0, 1, 63, 64, 65),
              IntStream.of(512, 1024, 2048, 4096, 8192)
                  .flatMap(edge -> IntStream.of(edge - 1, edge, edge + 1)))
          .boxed()
          .toList();

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(1));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (1 + i % 251); // no zeros
    }
    return bytes;
  }

  /** Returns the bytes of all blocks in use. */
  private long allocated() {
    return store.read(
        tx ->
            Blocks.inUse(TxHandle.of(tx).words()).values().stream()
                .mapToLong(Long::longValue)
                .sum());
  }

  private byte[] content(PersistentBlob blob) {
    return store.read(tx -> blob.read(tx, 0, (int) blob.length(tx)));
  }

  /** Returns what blobs of each length take, made by one write. */
  private Map<Integer, Long> footprints() {
    PersistentBlob _ = store.blob("first"); // takes what every store with names takes
    assertThat(store.drop("first")).isTrue();
    Map<Integer, Long> footprints = new HashMap<>();
    for (int length : LENGTHS) {
      long before = allocated();
      PersistentBlob blob = store.blob("of " + length);
      store.run(tx -> blob.write(tx, 0, bytes(length)));
      footprints.put(length, allocated() - before);
      assertThat(content(blob)).isEqualTo(bytes(length));
      assertThat(store.drop("of " + length)).isTrue();
    }
    return footprints;
  }

  @Test
  void anAppendTakesNoMoreThanAWrite() {
    Map<Integer, Long> footprints = footprints();
    long before = allocated();
    PersistentBlob blob = store.blob("appended");
    for (int i = 0; i < LENGTHS.size(); i++) {
      int length = LENGTHS.get(i);
      byte[] all = bytes(length);
      int had = i == 0 ? 0 : LENGTHS.get(i - 1);
      store.run(tx -> blob.append(tx, Arrays.copyOfRange(all, had, length)));
      assertThat(content(blob)).isEqualTo(all);
      assertThat(allocated() - before).as("%s bytes", length).isEqualTo(footprints.get(length));
    }
  }

  @ParameterizedTest
  @FieldSource("LENGTHS")
  void aShorterBlobGivesBackWhatItNoLongerNeedsAndGrowsWithZeros(int length) {
    Map<Integer, Long> footprints = footprints();
    for (int shorter : LENGTHS) {
      if (shorter <= length) {
        long before = allocated();
        PersistentBlob blob = store.blob("blob");
        store.run(tx -> blob.write(tx, 0, bytes(length)));
        store.run(tx -> blob.truncate(tx, shorter));
        assertThat(content(blob)).isEqualTo(bytes(shorter));
        assertThat(allocated() - before)
            .as("%s bytes of %s", shorter, length)
            .isEqualTo(footprints.get(shorter));
        store.run(tx -> blob.write(tx, length, new byte[] {77}));
        byte[] grown = Arrays.copyOf(bytes(shorter), length + 1);
        grown[length] = 77;
        assertThat(content(blob)).isEqualTo(grown);
        assertThat(store.drop("blob")).isTrue();
      }
    }
  }

  @ParameterizedTest
  @FieldSource("LENGTHS")
  void partsAreReadAndWrittenUpToTheEndAndNotBehindIt(int length) {
    PersistentBlob blob = store.blob("blob");
    byte[] all = bytes(length);
    store.run(tx -> blob.write(tx, 0, all));
    for (int from : LENGTHS) {
      if (from > length) {
        refuses(tx -> blob.read(tx, from, 0));
        refuses(tx -> blob.truncate(tx, from));
        continue;
      }
      int rest = length - from;
      byte[] expected = Arrays.copyOfRange(all, from, length);
      assertThat(store.<byte[], RuntimeException>read(tx -> blob.read(tx, from, rest)))
          .isEqualTo(expected);
      byte[] target = new byte[rest];
      store.run(tx -> blob.read(tx, from, MemorySegment.ofArray(target)));
      assertThat(target).isEqualTo(expected);
      refuses(tx -> blob.read(tx, from, rest + 1));
      refuses(tx -> blob.read(tx, from, MemorySegment.ofArray(new byte[rest + 1])));
      if (rest > 0) {
        store.run(tx -> blob.write(tx, from, new byte[] {-5}));
        byte[] changed = all.clone();
        changed[from] = -5;
        assertThat(content(blob)).isEqualTo(changed);
        store.run(tx -> blob.write(tx, from, expected));
        assertThat(content(blob)).isEqualTo(all);
      }
    }
  }

  @Test
  void rangesThatCannotBeAreRefused() {
    PersistentBlob blob = store.blob("blob");
    store.run(tx -> blob.write(tx, 0, bytes(10)));
    refuses(tx -> blob.read(tx, -1, 1));
    refuses(tx -> blob.read(tx, 0, -1));
    refuses(tx -> blob.read(tx, Long.MAX_VALUE, 1));
    refuses(tx -> blob.read(tx, Long.MIN_VALUE, Integer.MAX_VALUE));
    refuses(tx -> blob.write(tx, -1, new byte[1]));
    refuses(tx -> blob.write(tx, PersistentBlob.MAX_LENGTH, new byte[1]));
    refuses(tx -> blob.write(tx, PersistentBlob.MAX_LENGTH + 1, new byte[0]));
    refuses(tx -> blob.truncate(tx, -1));
    refuses(tx -> blob.truncate(tx, 11));
    store.run(tx -> blob.write(tx, PersistentBlob.MAX_LENGTH, new byte[0]));
    assertThat(content(blob)).isEqualTo(bytes(10));
  }

  private void refuses(TxBody<RuntimeException> body) {
    assertThatThrownBy(() -> store.run(body)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
