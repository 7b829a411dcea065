package io.howdah.nvmsim.timing.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.MemoryDevice;
import org.junit.jupiter.api.Test;

final class BankedMemoryTest {
  private static final long NS = MemoryDevice.PS_PER_NS;
  private static final long LATENCY = 168 * NS;
  private static final long BUS = 5 * NS;

  private final BankedMemory memory = new BankedMemory(DeviceTiming.fixed(168, 8));

  @Test
  void readsOfDifferentBanksDoNotWaitForEachOther() {
    assertThat(memory.read(0, 0)).isEqualTo(LATENCY + BUS);
    assertThat(memory.read(0, 1)).isEqualTo(LATENCY + BUS);
    assertThat(memory.read(0, 8)).as("same bank as line 0").isEqualTo(2 * LATENCY + BUS);
  }

  @Test
  void writesOverlapAcrossBanksAndFollowEachOtherInOne() {
    for (int line = 0; line < 8; line++) {
      assertThat(memory.write(0, line)).isZero();
    }
    assertThat(memory.drained(0)).isEqualTo(8 * BUS + LATENCY);
    memory.write(1_000_000, 0);
    memory.write(1_000_000, 8);
    assertThat(memory.drained(0)).isEqualTo(1_000_000 + BUS + 2 * LATENCY);
  }

  @Test
  void aReadGoesAheadOfWaitingWritesButNotOfTheOneUnderWay() {
    memory.write(0, 0);
    memory.write(0, 8);
    memory.write(0, 16);
    assertThat(memory.read(20 * NS, 24)).isEqualTo(BUS + 2 * LATENCY + BUS);
  }

  @Test
  void aFullQueueStopsTheWriter() {
    long accepted = 0;
    for (int i = 0; i < 40; i++) {
      accepted = memory.write(accepted, 8L * i);
    }
    assertThat(accepted).isGreaterThan(LATENCY);
    assertThat(memory.writes()).isEqualTo(40);
    assertThat(memory.drained(accepted)).isEqualTo(BUS + 40 * LATENCY);
  }

  @Test
  void anOpenRowIsFasterAndADirtyOneSlowerToClose() {
    DeviceTiming rows = new DeviceTiming("rows", 1, 4, 40, 128, 128, 240, 0, 8);
    BankedMemory device = new BankedMemory(rows);
    assertThat(device.read(0, 0)).isEqualTo(128 * NS);
    assertThat(device.read(1000 * NS, 1)).isEqualTo(1040 * NS);
    device.write(2000 * NS, 2);
    assertThat(device.drained(2000 * NS)).isEqualTo(2040 * NS);
    assertThat(device.read(3000 * NS, 4)).isEqualTo((3000 + 128 + 240) * NS);
  }

  @Test
  void presetsHaveDistinctNames() {
    assertThat(DeviceTiming.presets().stream().map(DeviceTiming::name)).doesNotHaveDuplicates();
  }

  @Test
  void impossibleDevicesAreRefused() {
    assertThatThrownBy(() -> new DeviceTiming("x", 3, 0, 1, 1, 1, 0, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("power of two: 3");
    assertThatThrownBy(() -> new DeviceTiming("x", 8, 0, 1, 0, 1, 0, 0, 1))
        .hasMessageContaining("read ns must be 1");
    assertThatThrownBy(() -> new DeviceTiming("x", 8, 0, 1, 1, 1, 0, 0, 0))
        .hasMessageContaining("write queue lines must be 1");
  }
}
