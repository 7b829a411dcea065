package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class MachineMemoryTest {

  private static final String MAPPINGS =
      """
      7f0000000000-7f0000200000 rw-p 00000000 fe:00 1234        /a: strange/image
      Size:               2048 kB
      AnonHugePages:         0 kB
      ShmemPmdMapped:        0 kB
      FilePmdMapped:         0 kB
      VmFlags: rd wr mr mw me sd
      7f0000200000-7f0000800000 rw-p 00000000 00:00 0
      Size:               6144 kB
      AnonHugePages:      4096 kB
      ShmemPmdMapped:        0 kB
      FilePmdMapped:         0 kB
      VmFlags: rd wr mr mw me sd hg
      7f0000800000-7f0000a00000 rw-s 00600000 fe:00 1234        /a: strange/image
      Size:               2048 kB
      AnonHugePages:         0 kB
      ShmemPmdMapped:     2048 kB
      FilePmdMapped:         0 kB
      VmFlags: rd wr mr mw me sd
      7f0000a00000-7f0001a00000 rw-p 00000000 00:00 0
      Size:              16384 kB
      AnonHugePages:     16384 kB
      ShmemPmdMapped:        0 kB
      FilePmdMapped:         0 kB
      VmFlags: rd wr mr mw me sd hg
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]
      Size:                  4 kB
      AnonHugePages:         0 kB
      """;

  private static OptionalLong largePages(String mappings, long from, long to) throws IOException {
    return MachineMemory.largePageBytes(new BufferedReader(new StringReader(mappings)), from, to);
  }

  @Test
  void largePagesOfARangeAreCounted() throws IOException {
    assertThat(largePages(MAPPINGS, 0x7f0000000000L, 0x7f0000a00000L)).hasValue(6 << 20);
    assertThat(largePages(MAPPINGS, 0x7f0000000000L, 0x7f0000200000L)).hasValue(0);
    assertThat(largePages(MAPPINGS, 0x7f0000000000L, 0x7f0001a00000L)).hasValue(22 << 20);
  }

  @Test
  void ofAMappingThatOthersShareAtMostTheRangesOwnPartCounts() throws IOException {
    assertThat(largePages(MAPPINGS, 0x7f0000a00000L, 0x7f0000b00000L)).hasValue(1 << 20);
    assertThat(largePages(MAPPINGS, 0x7f0000700000L, 0x7f0000a00000L)).hasValue(3 << 20);
  }

  @Test
  void whatTheSystemDoesNotTellIsNotCounted() throws IOException {
    assertThat(largePages(MAPPINGS, 0x7e0000000000L, 0x7e0000200000L)).isEmpty();
    assertThat(largePages("", 0, Long.MAX_VALUE)).isEmpty();
    assertThat(largePages("7f0000000000-7f0000200000 rw-p\nSize: 2048 kB\n", 0, Long.MAX_VALUE))
        .isEmpty();
  }

  @Test
  void aRegionTellsOfItsOwnPages() {
    try (Region region = Regions.anonymous(8L << 20)) {
      region.setLong(0, 1);
      // Other systems do not tell; without native access there are none.
      assertThat(region.largePageBytes().orElse(0)).isZero();
    }
  }
}
