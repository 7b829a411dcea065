package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a checkpoint copies from words that change meanwhile: each word old or new, never a mix. */
@Timeout(60)
final class TornCopyTest {

  private static final int WORDS = 512;
  private static final long NANOS = 400_000_000;

  @Test
  void aCopyOfWordsThatAlternateBetweenZerosAndOnesHoldsNothingElse() throws Exception {
    try (Region region = Regions.anonymous(WORDS * 8L)) {
      AtomicBoolean done = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (long value = -1; !done.get(); value = ~value) {
                      for (int word = 0; word < WORDS; word++) {
                        region.setLongOpaque(word * 8L, value);
                      }
                    }
                  });
      ByteBuffer copy = ByteBuffer.allocateDirect(WORDS * 8).order(ByteOrder.LITTLE_ENDIAN);
      long mixed = 0;
      long seenOnes = 0;
      long started = System.nanoTime();
      // Longer where the writer has not had a processor yet.
      while (seenOnes == 0 || System.nanoTime() - started < NANOS) {
        region.copyWordsTo(0, copy.clear());
        for (int word = 0; word < WORDS; word++) {
          long value = copy.getLong(word * 8);
          mixed += value == 0 || value == -1 ? 0 : 1;
          seenOnes += value == -1 ? 1 : 0;
        }
      }
      done.set(true);
      writer.join();
      assertThat(mixed).isZero();
      assertThat(seenOnes).isPositive();
    }
  }
}
