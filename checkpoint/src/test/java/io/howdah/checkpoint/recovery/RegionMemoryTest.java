package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much is mapped where a kernel refuses to map more than it can back. */
class RegionMemoryTest {

  private static final long LIMIT = 16 << 20;
  private static final long USED = 10_000;

  private final List<Long> asked = new ArrayList<>();
  private final List<Region> mapped = new ArrayList<>();
  private int looks;

  private RegionMemory memory(long limitBytes, long usedBytes) {
    return new RegionMemory(
        "the test",
        limitBytes,
        () -> {
          looks++;
          return usedBytes;
        });
  }

  /** Maps a region under a kernel that gives so many bytes. */
  private long map(RegionMemory memory, long available) {
    try (Region region =
        memory.map(
            length -> {
              asked.add(length);
              if (length > available) {
                throw new StorageException(Reason.NO_MEMORY, "map " + length, null);
              }
              Region given = Regions.anonymous(length);
              mapped.add(given);
              return given;
            })) {
      assertThat(mapped).last().isSameAs(region);
      assertThat(mapped).filteredOn(Region::isOpen).as("one stays").hasSize(1);
      return region.capacityBytes();
    }
  }

  @Test
  void whatCanBeMappedIsMappedAtOnce() {
    assertThat(map(memory(LIMIT, USED), LIMIT)).isEqualTo(LIMIT);
    assertThat(asked).containsExactly(LIMIT);
    assertThat(looks).isZero();
  }

  /** Half of the room to grow, a half of that and so on, with a quarter left to the process. */
  @ParameterizedTest
  @CsvSource({
    "11000000, 8392704, 3",
    "3145728, 2105344, 5",
    "2105344, 12288, 5",
    "500000, 12288, 5",
    "12288, 12288, 5"
  })
  void otherwiseWhatIsUsedAndAShareOfWhatThereIs(long available, long expected, int attempts) {
    assertThat(map(memory(LIMIT, USED), available)).isEqualTo(expected);
    assertThat(asked).startsWith(LIMIT, 10_493_952L).endsWith(expected).hasSize(attempts);
    assertThat(looks).isEqualTo(1);
  }

  /** One mebibyte of growth is still tried for; the spare part goes no further than the limit. */
  @Test
  void theLeastGrowthIsTriedFor() {
    long least = 4096 + (1 << 20);
    assertThat(map(memory(4096 + (2 << 20), 4096), 1_318_912)).isEqualTo(least);
    assertThat(asked).containsExactly(4096L + (2 << 20), 1_318_912L, least);
  }

  @Test
  void whatIsUsedAndCannotBeMappedIsAFailure() {
    assertThatThrownBy(() -> map(memory(LIMIT, USED), 0))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_MEMORY))
        .hasMessageContaining("map the 12288 bytes in use of the test")
        .hasRootCauseMessage("map 12288 failed: " + reason());
    asked.clear();
    assertThatThrownBy(() -> map(memory(LIMIT, 2 * LIMIT), LIMIT - 1))
        .hasMessageContaining("map the " + LIMIT + " bytes in use");
    assertThat(asked).as("nothing smaller would do").containsExactly(LIMIT);
  }

  private static String reason() {
    String message = String.valueOf(new StorageException(Reason.NO_MEMORY, "x", null).getMessage());
    return message.substring("x failed: ".length());
  }

  @ParameterizedTest
  @CsvSource({"1", "2"})
  void anotherFailureIsToldAtOnce(int attempt) {
    StorageException broken = new StorageException(Reason.IO, "map", null);
    assertThatThrownBy(
            () ->
                memory(LIMIT, USED)
                    .map(
                        length -> {
                          asked.add(length);
                          throw asked.size() == attempt
                              ? broken
                              : new StorageException(Reason.NO_MEMORY, "map", null);
                        }))
        .isSameAs(broken);
    assertThat(asked).hasSize(attempt);
  }
}
