package io.howdah.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

final class ProcessorTimeTest {

  private static final long HALF_A_SECOND = 500_000;

  @Test
  void theTimeIsThatOfTheProcess() {
    com.sun.management.OperatingSystemMXBean system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = system.getProcessCpuTime() / 1000;
    while (system.getProcessCpuTime() / 1000 < before + 2 * HALF_A_SECOND) {
      Thread.onSpinWait();
    }
    ProcessorTime time = ProcessorTime.now();
    long after = system.getProcessCpuTime() / 1000;
    assertThat(time.userMicros()).isPositive();
    assertThat(time.systemMicros()).isNotNegative();
    assertThat(time.userMicros() + time.systemMicros())
        .isBetween(before + HALF_A_SECOND, after + HALF_A_SECOND);
  }

  @Test
  void secondsHaveSixDigitsBehindThePoint() {
    ProcessorTime time = new ProcessorTime(12_345_678, 1);
    assertThat(time.user()).isEqualTo("12.345678");
    assertThat(time.system()).isEqualTo("0.000001");
    assertThat(new ProcessorTime(999_999, 1_000_000).user()).isEqualTo("0.999999");
    assertThat(new ProcessorTime(999_999, 1_000_000).system()).isEqualTo("1.000000");
  }
}
