package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Run with native access: memory straight from the kernel behaves like any other. */
final class KernelMemoryScenario {

  private static final long BYTES = (8L << 20) + 8;

  private KernelMemoryScenario() {}

  public static void main(String[] arguments) throws IOException {
    long mappings = adviceCount();
    Region region = Regions.anonymous(BYTES);
    assertThat(adviceCount()).isEqualTo(mappings + 1);
    for (long address = 0; address < BYTES; address += 4096) {
      assertThat(region.getLong(address)).isZero();
      region.setLong(address, address + 1);
    }
    region.setLong(BYTES - 8, -1);
    for (long address = 0; address < BYTES - 8; address += 4096) {
      assertThat(region.getLong(address)).isEqualTo(address + 1);
    }
    assertThat(region.capacityBytes()).isEqualTo(BYTES);
    assertThat(region.getLong(BYTES - 8)).isEqualTo(-1);
    assertThatThrownBy(() -> region.getLong(BYTES)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> region.setLong(-8, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    region.close();
    region.close();
    assertThat(adviceCount()).isEqualTo(mappings);
    assertThatThrownBy(() -> region.getLong(0)).isInstanceOf(IllegalStateException.class);
    System.out.println("ok");
  }

  /** Returns how many mappings of this process the kernel was asked to give large pages. */
  private static long adviceCount() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/smaps"))) {
      return lines.filter(line -> line.startsWith("VmFlags:") && line.contains(" hg")).count();
    }
  }
}
