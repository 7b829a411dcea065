package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layouts of {@code /proc} and {@code /sys} as systems have them, in a directory. */
final class ControlGroupsTest {

  private static final String SECOND =
      "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
  private static final String FIRST =
      """
      31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
      35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory
      """;

  @TempDir private Path root;

  private void file(String name, String content) {
    try {
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void process(String mounts, String membership) {
    file("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
    file("proc/self/cgroup", membership);
  }

  private long limit() {
    return new ControlGroups(root).memoryLimitBytes();
  }

  @Test
  void aServiceOfSystemd() {
    process(SECOND, "0::/system.slice/shop.service\n");
    file("sys/fs/cgroup/system.slice/memory.max", "max\n");
    file("sys/fs/cgroup/system.slice/shop.service/memory.max", "268435456\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void aSliceAroundTheService() {
    process(SECOND, "0::/shop.slice/shop-web.slice/shop.service\n");
    file("sys/fs/cgroup/shop.slice/memory.max", "268435456\n");
    file("sys/fs/cgroup/shop.slice/shop-web.slice/memory.max", "max\n");
    file("sys/fs/cgroup/shop.slice/shop-web.slice/shop.service/memory.max", "536870912\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void aContainerWithANamespaceOfItsOwn() {
    process(SECOND, "0::/\n");
    file("sys/fs/cgroup/memory.max", "1073741824\n");
    assertThat(limit()).isEqualTo(1L << 30);
  }

  @Test
  void aGroupOutsideOfTheNamespace() {
    process(SECOND, "0::/../../other.scope\n");
    file("sys/fs/cgroup/memory.max", "1073741824\n");
    file("sys/other.scope/memory.max", "4096\n");
    assertThat(limit()).isEqualTo(1L << 30);
  }

  @Test
  void theFirstVersion() {
    process(FIRST, "9:cpu,cpuacct:/jobs\n4:memory:/jobs/a\n0::/init.scope\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    file("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "268435456\n");
    file("sys/fs/cgroup/memory/jobs/a/memory.limit_in_bytes", "9223372036854771712\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void theFirstVersionTellsOfGroupsThatAreNotMounted() {
    process(
        "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        "4:memory:/docker/ab/c\n");
    file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    file(
        "sys/fs/cgroup/memory/c/memory.stat",
        "cache 12\nhierarchical_memory_limit 268435456\nhierarchical_memsw_limit 1\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void aContainerOfTheFirstVersionThatSeesThePathOfItsHost() {
    process(
        "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        "4:memory:/docker/ab\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void aPathThatOnlyBeginsLikeTheMountedGroup() {
    process(
        "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        "4:memory:/docker/abc\n");
    file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4096\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void bothVersionsAtOnce() {
    process(
        FIRST + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        "4:memory:/a\n0::/b\n");
    file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "536870912\n");
    file("sys/fs/cgroup/unified/b/memory.max", "268435456\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void aPathWithABlank() {
    process("31 23 0:28 / /sys/my\\040groups rw - cgroup2 cgroup2 rw\n", "0::/a\n");
    file("sys/my groups/a/memory.max", "268435456\n");
    assertThat(limit()).isEqualTo(256L << 20);
  }

  @Test
  void noLimitWhereNothingTellsOfOne() {
    assertThat(limit()).isEqualTo(Long.MAX_VALUE);
    process("not a mount\n31 - \n31 23 - cgroup2\n", "not a group\n0\n::\n");
    assertThat(limit()).isEqualTo(Long.MAX_VALUE);
    process(SECOND, "0::/a\n");
    file("sys/fs/cgroup/a/memory.max", "");
    assertThat(limit()).isEqualTo(Long.MAX_VALUE);
    file("sys/fs/cgroup/a/memory.max", "many\n");
    assertThat(limit()).isEqualTo(Long.MAX_VALUE);
  }
}
