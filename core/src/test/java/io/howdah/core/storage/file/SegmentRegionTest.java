package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SegmentRegionTest {

  private static final long CAPACITY = 4096;

  @TempDir Path directory;

  /** Every way to touch one word or byte, by name of the mode. */
  private static List<LongConsumer> wordAccesses(Region region) {
    return List.of(
        region::getLong,
        a -> region.setLong(a, 1),
        region::getLongOpaque,
        a -> region.setLongOpaque(a, 1),
        region::getLongAcquire,
        a -> region.setLongRelease(a, 1),
        region::getLongVolatile,
        a -> region.setLongVolatile(a, 1),
        a -> region.compareAndSetLong(a, 0, 1),
        a -> region.getAndAddLong(a, 1));
  }

  private static List<LongConsumer> byteAccesses(Region region) {
    return List.of(
        region::getByteOpaque,
        a -> region.setByteOpaque(a, (byte) 1),
        a -> region.copyTo(a, ByteBuffer.allocate(1)),
        a -> region.copyFrom(a, ByteBuffer.allocate(1)),
        a -> region.clear(a, 1));
  }

  private Region region(boolean mapped) throws IOException {
    return mapped ? Regions.scratch(directory, CAPACITY) : Regions.anonymous(CAPACITY);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyModeReadsWhatEveryModeWrote(boolean mapped) throws Exception {
    try (Region region = region(mapped)) {
      long address = 64;
      List<Runnable> writes =
          List.of(
              () -> region.setLong(address, -3),
              () -> region.setLongOpaque(address, -3),
              () -> region.setLongRelease(address, -3),
              () -> region.setLongVolatile(address, -3),
              () -> assertThat(region.compareAndSetLong(address, 0, -3)).isTrue(),
              () -> assertThat(region.getAndAddLong(address, -3)).isZero());
      for (Runnable write : writes) {
        region.setLong(address, 0);
        write.run();
        assertThat(region.getLong(address)).isEqualTo(-3);
        assertThat(region.getLongOpaque(address)).isEqualTo(-3);
        assertThat(region.getLongAcquire(address)).isEqualTo(-3);
        assertThat(region.getLongVolatile(address)).isEqualTo(-3);
      }
      assertThat(region.getLong(address - 8)).isZero();
      assertThat(region.getLong(address + 8)).isZero();
    }
  }

  @Test
  void wordsAreWrittenSideBySide() {
    try (Region region = Regions.anonymous(CAPACITY)) {
      region.setLongs(CAPACITY - 24, new long[] {1, -2, 3, 4}, 3);
      assertThat(region.getLong(CAPACITY - 32)).isZero();
      assertThat(region.getLong(CAPACITY - 24)).isEqualTo(1);
      assertThat(region.getLong(CAPACITY - 16)).isEqualTo(-2);
      assertThat(region.getLong(CAPACITY - 8)).isEqualTo(3);
      assertThatThrownBy(() -> region.setLongs(CAPACITY - 24, new long[4], 4))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(region.getLong(CAPACITY - 8)).isEqualTo(3);
    }
  }

  /** Short arrays are copied word by word, and arrays of 64 words or more at once. */
  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 200})
  void wordsOfAnArrayAreWrittenAndReadSideBySide(int count) {
    long[] words = new long[count + 1];
    Arrays.setAll(words, i -> -1 - i);
    long address = CAPACITY - 8L * count;
    try (Region region = Regions.anonymous(CAPACITY)) {
      region.setLongs(address, words, count);
      assertThat(region.getLong(address - 8)).isZero();
      for (int i = 0; i < count; i++) {
        assertThat(region.getLong(address + 8L * i)).isEqualTo(-1 - i);
      }
      long[] read = new long[count + 3];
      region.getLongs(address, read, 2, count);
      assertThat(read[1]).isZero();
      assertThat(Arrays.copyOfRange(read, 2, count + 2)).isEqualTo(Arrays.copyOf(words, count));
      assertThat(read[count + 2]).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 63, 64, 200})
  void wordsThatDoNotFitAreNotWrittenInPart(int count) {
    long[] words = new long[count];
    Arrays.fill(words, 7);
    try (Region region = Regions.anonymous(CAPACITY)) {
      assertThatThrownBy(() -> region.setLongs(CAPACITY - 8L * (count - 1), words, count))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.setLongs(-8, words, count))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.setLongs(0, words, count + 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(region.getLong(0)).isZero();
      assertThat(region.getLong(CAPACITY - 8L * (count - 1))).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 15, 16, 17, 100})
  void wordsOfAnArrayAreWrittenOpaquelySideBySide(int count) {
    long[] words = new long[count + 2];
    Arrays.setAll(words, i -> -i);
    long address = CAPACITY - 8L * count;
    try (Region region = Regions.anonymous(CAPACITY)) {
      region.setLongsOpaque(address, words, 2, count);
      assertThat(region.getLong(address - 8)).isZero();
      for (int i = 0; i < count; i++) {
        assertThat(region.getLong(address + 8L * i)).isEqualTo(-2 - i);
      }
      assertThatThrownBy(() -> region.setLongsOpaque(address + 8, words, 2, count))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void compareAndSetLeavesOtherValuesAlone() {
    try (Region region = Regions.anonymous(8)) {
      region.setLong(0, 5);
      assertThat(region.compareAndSetLong(0, 4, 9)).isFalse();
      assertThat(region.getLong(0)).isEqualTo(5);
    }
  }

  @Test
  void wordsAreLittleEndian() {
    try (Region region = Regions.anonymous(8)) {
      region.setLong(0, 0x0807060504030201L);
      ByteBuffer bytes = ByteBuffer.allocate(8);
      region.copyTo(0, bytes);
      assertThat(bytes.array()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
      assertThat(bytes.hasRemaining()).isFalse();
      assertThat(region.getByteOpaque(2)).isEqualTo((byte) 3);
      region.setByteOpaque(7, (byte) 0x7F);
      assertThat(region.getLongOpaque(0)).isEqualTo(0x7F07060504030201L);
    }
  }

  @Test
  void copiesMoveExactlyTheRemainingBytes() {
    try (Region region = Regions.anonymous(64)) {
      ByteBuffer source = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < 16; i++) {
        source.put(i, (byte) (i + 1));
      }
      region.copyFrom(3, source.position(2).limit(7));
      assertThat(source.position()).isEqualTo(7);
      ByteBuffer target = ByteBuffer.allocate(64);
      region.copyTo(0, target);
      byte[] expected = new byte[64];
      for (int i = 0; i < 5; i++) {
        expected[3 + i] = (byte) (i + 3);
      }
      assertThat(target.array()).isEqualTo(expected);
      region.clear(4, 2);
      expected[4] = 0;
      expected[5] = 0;
      region.copyTo(0, target.clear());
      assertThat(target.array()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {CAPACITY, CAPACITY + 8, -8, Long.MAX_VALUE - 7, Long.MIN_VALUE})
  void accessOutsideIsRefused(long address) {
    try (Region region = Regions.anonymous(CAPACITY)) {
      for (LongConsumer access : wordAccesses(region)) {
        assertThatThrownBy(() -> access.accept(address))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      for (LongConsumer access : byteAccesses(region)) {
        assertThatThrownBy(() -> access.accept(address))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void copyThatRunsOverTheEndChangesNothing() {
    try (Region region = Regions.anonymous(16)) {
      ByteBuffer ones = ByteBuffer.allocate(16).put(new byte[] {1, 1, 1, 1, 1, 1, 1, 1}).rewind();
      assertThatThrownBy(() -> region.copyFrom(8, ones))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.clear(8, 9)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.clear(8, -1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(region.getLong(8)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 4, 7, 17, CAPACITY - 12})
  void misalignedWordsAreRefused(long address) {
    try (Region region = Regions.anonymous(CAPACITY)) {
      for (LongConsumer access : wordAccesses(region)) {
        assertThatThrownBy(() -> access.accept(address))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothKindsRefuseTheSame(boolean mapped) throws Exception {
    try (Region region = region(mapped)) {
      for (LongConsumer access : wordAccesses(region)) {
        assertThatThrownBy(() -> access.accept(CAPACITY))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> access.accept(-8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> access.accept(4)).isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closedRegionRefusesEveryAccess(boolean mapped) throws Exception {
    Region region = region(mapped);
    assertThat(region.isOpen()).isTrue();
    region.close();
    region.close();
    assertThat(region.isOpen()).isFalse();
    assertThat(region.capacityBytes()).isEqualTo(CAPACITY);
    for (LongConsumer access : wordAccesses(region)) {
      assertThatThrownBy(() -> access.accept(0)).isInstanceOf(IllegalStateException.class);
    }
    for (LongConsumer access : byteAccesses(region)) {
      assertThatThrownBy(() -> access.accept(0)).isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closingUnderTrafficEndsEveryThreadWithAnException(boolean mapped) throws Exception {
    for (int round = 0; round < 20; round++) {
      Region region = mapped ? Regions.scratch(directory, 1 << 22) : Regions.anonymous(1 << 16);
      List<LongConsumer> accesses = new ArrayList<>(wordAccesses(region));
      accesses.addAll(byteAccesses(region));
      AtomicInteger refused = new AtomicInteger();
      CountDownLatch running = new CountDownLatch(4);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        for (long i = 0; ; i++) {
                          accesses.get((int) (i % accesses.size())).accept((i * 8) % (1 << 16));
                          if (i == 1000) {
                            running.countDown();
                          }
                        }
                      } catch (IllegalStateException e) {
                        refused.incrementAndGet();
                      }
                    }));
      }
      assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
      region.close();
      for (Thread thread : threads) {
        thread.join(30_000);
      }
      assertThat(refused).hasValue(4);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 16, 4088, 4096, 4104, (1 << 20) + 8})
  void capacityIsExactWhateverThePageSize(long bytes) {
    try (Region region = Regions.anonymous(bytes)) {
      assertThat(region.capacityBytes()).isEqualTo(bytes);
      for (long address = 0; address < bytes; address += 8) {
        assertThat(region.getLong(address)).isZero();
      }
      region.setLong(bytes - 8, 7);
      assertThat(region.getLong(bytes - 8)).isEqualTo(7);
      assertThatThrownBy(() -> region.getLong(bytes)).isInstanceOf(IndexOutOfBoundsException.class);
      region.touch(0, bytes, 4096);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -8, 7, 12, Long.MIN_VALUE})
  void capacitiesThatAreNoWholeWordsAreRefused(long bytes) {
    assertThatThrownBy(() -> Regions.anonymous(bytes)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void moreThanTheAddressSpaceHoldsIsRefusedWithAdvice() {
    assertThatThrownBy(() -> Regions.anonymous(1L << 50))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_MEMORY))
        .hasMessageContaining("smaller maxSize (howdah serve: -m)");
  }

  @Test
  void additionsOfManyThreadsAllCount() throws Exception {
    try (Region region = Regions.anonymous(64)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = 0; i < 10_000; i++) {
                        region.getAndAddLong(8, 1);
                        long seen = region.getLongVolatile(16);
                        while (!region.compareAndSetLong(16, seen, seen + 1)) {
                          seen = region.getLongVolatile(16);
                        }
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(region.getLong(8)).isEqualTo(40_000);
      assertThat(region.getLong(16)).isEqualTo(40_000);
    }
  }

  @Test
  void neighbouringBytesAreIndependent() throws Exception {
    try (Region region = Regions.anonymous(8)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int address = t;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = 0; i < 50_000; i++) {
                        region.setByteOpaque(address, (byte) i);
                        assertThat(region.getByteOpaque(address) == (byte) i).isTrue();
                      }
                      region.setByteOpaque(address, (byte) 77);
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(region.getLong(0)).isEqualTo(0x4D4D4D4DL);
    }
  }

  @Test
  void truncatedFileUnderAMappingIsAnErrorAndTheJvmLives() throws Exception {
    try (FileStorage storage = FileStorage.open(directory)) {
      try (StorageFile file = storage.create("ring")) {
        file.write(0, ByteBuffer.allocateDirect(1 << 16));
      }
      try (Region region = storage.mapShared("ring", 1 << 16)) {
        region.setLong(1 << 15, 1);
        try (var channel =
            java.nio.channels.FileChannel.open(
                directory.resolve("ring"), StandardOpenOption.WRITE)) {
          channel.truncate(4096);
        }
        assertThatThrownBy(
                () -> {
                  // The error may surface at an access after the one that hit the missing page.
                  for (int i = 0; i < 100_000; i++) {
                    region.setLong(1 << 15, i);
                  }
                })
            .isInstanceOf(InternalError.class);
        assertThat(region.getLong(0)).isZero();
      }
      assertThat(Files.size(directory.resolve("ring"))).isEqualTo(4096);
    }
  }
}
