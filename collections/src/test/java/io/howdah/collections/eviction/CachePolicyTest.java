package io.howdah.collections.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Large caches, whose policy chooses several entries at once; small ones are in the cache tests.
 */
final class CachePolicyTest {

  private static final int CONTEXT = 3;

  /** A context that has not used the cache yet. */
  private static final int NEXT_CONTEXT = 4;

  private static final int ENTRIES = 1 << 13;
  private static final long WEIGHT = 64;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final CachePolicy policy =
      new CachePolicy(new FrequencySketch(FrequencySketch.words(ENTRIES)));

  private static long hash(int key) {
    return (key + 1) * MIX;
  }

  /** Adds entries as a cache does that becomes full by them. */
  private void fill() {
    for (int i = 0; i < ENTRIES; i++) {
      if (policy.needsBound(CONTEXT)) {
        policy.bound(WEIGHT * ENTRIES, ENTRIES);
      }
      policy.inserted(CONTEXT, hash(i), WEIGHT);
    }
    long[] sample = new long[CachePolicy.SAMPLE];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = hash(i);
    }
    policy.sampled(sample, new long[sample.length], 0, sample.length);
  }

  private void use(long hash, int times) {
    for (int i = 0; i < times; i++) {
      policy.used(CONTEXT, hash);
    }
  }

  @Test
  void severalAreChosenAtOnceAndEvictedInTheirOrder() {
    fill();
    assertThat(policy.needsVictims()).isTrue();
    long[] chosen = new long[CachePolicy.CHOSEN_AT_ONCE];
    assertThat(policy.choose(CONTEXT, chosen)).isEqualTo(chosen.length);
    assertThat(chosen).doesNotHaveDuplicates().doesNotContain(CachePolicy.NONE);
    for (long each : chosen) {
      assertThat(policy.needsVictims()).isFalse();
      assertThat(policy.next(CONTEXT)).isEqualTo(each);
    }
    assertThat(policy.needsVictims()).isTrue();
  }

  @Test
  void anEntryThatIsUsedAfterItWasChosenStays() {
    fill();
    long[] chosen = new long[CachePolicy.CHOSEN_AT_ONCE];
    int count = policy.choose(CONTEXT, chosen);
    use(chosen[0], UseBuffers.LENGTH);
    for (int i = 1; i < count; i++) {
      assertThat(policy.next(CONTEXT)).isEqualTo(chosen[i]);
    }
  }

  @Test
  void newEntriesThatWaitForTheirNoteAreNotedBeforeAChoice() {
    fill();
    int chosen = 0;
    long[] victims = new long[CachePolicy.CHOSEN_AT_ONCE];
    for (int i = 0; i < ENTRIES; i++) {
      long hash = hash(ENTRIES + i);
      if (policy.needsVictims()) {
        chosen += policy.choose(CONTEXT, victims);
      }
      assertThat(policy.next(CONTEXT)).isNotEqualTo(CachePolicy.NONE).isNotEqualTo(hash);
      policy.inserted(CONTEXT, hash, WEIGHT);
    }
    assertThat(chosen).as("all evictions but those between two choices").isGreaterThan(ENTRIES - 8);
  }

  /** Counts the uses of keys that are noted when each of them is used once. */
  private int[] notedOfOneUseEach(int first, int keys) {
    int[] before = frequencies(first, keys);
    for (int i = 0; i < keys; i++) {
      policy.used(NEXT_CONTEXT, hash(first + i));
    }
    int[] noted = frequencies(first, keys);
    for (int i = 0; i < keys; i++) {
      noted[i] -= before[i];
    }
    return noted;
  }

  private int[] frequencies(int first, int keys) {
    int[] frequencies = new int[keys];
    for (int i = 0; i < keys; i++) {
      frequencies[i] = policy.sketch().frequency(hash(first + i));
    }
    return frequencies;
  }

  @Test
  void ofHitsAloneHalfAreNotedAndCountTwice() {
    fill();
    int[] noted = notedOfOneUseEach(ENTRIES, UseBuffers.LENGTH);
    assertThat(noted).containsOnly(0, 2);
    assertThat(IntStream.of(noted).sum()).isEqualTo(UseBuffers.LENGTH);
  }

  @Test
  void hitsBesideANewEntryAreAllNoted() {
    fill();
    policy.inserted(NEXT_CONTEXT, hash(ENTRIES - 1), WEIGHT);
    assertThat(notedOfOneUseEach(ENTRIES, UseBuffers.LENGTH - 1)).containsOnly(1);
  }

  @Test
  void keysThatAreUsedInTurnsAreAllCounted() {
    fill();
    for (int i = 0; i < 4 * UseBuffers.LENGTH; i++) {
      policy.used(NEXT_CONTEXT, hash(ENTRIES + i % 2));
    }
    assertThat(frequencies(ENTRIES, 2)).doesNotContain(0);
  }
}
