package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.UnsupportedStoreException;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FileSystemCheckTest {

  private final List<String> logged = new ArrayList<>();

  private final System.Logger logger =
      new System.Logger() {
        @Override
        public String getName() {
          return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
          return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
          logged.add(level + " " + message);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
          logged.add(level + " " + MessageFormat.format(format, parameters));
        }
      };

  @ParameterizedTest
  @ValueSource(strings = {"nfs", "nfs4", "NFS", "cifs", "smb3", "fuse.sshfs"})
  void networkFileSystemsAreRefusedUnlessAllowed(String type) {
    assertThatThrownBy(() -> FileSystemCheck.check(type, "/data/bank", false, () -> logger))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("/data/bank")
        .hasMessageContaining(type)
        .hasMessageContaining("networkFileSystemAllowed");
    assertThat(logged).isEmpty();
    FileSystemCheck.check(type, "/data/bank", true, () -> logger);
    assertThat(logged).hasSize(1);
    assertThat(logged.getFirst()).startsWith("WARNING /data/bank is on " + type);
  }

  @ParameterizedTest
  @ValueSource(strings = {"overlay", "aufs", "9p", "virtiofs"})
  void questionableFileSystemsAreWarnedOf(String type) {
    FileSystemCheck.check(type, "/data/bank", false, () -> logger);
    assertThat(logged).hasSize(1);
    assertThat(logged.getFirst()).startsWith("WARNING /data/bank is on " + type);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs", "btrfs", "tmpfs", "zfs", "apfs", "NTFS", ""})
  void localFileSystemsPassInSilence(String type) {
    FileSystemCheck.check(type, "/data/bank", false, () -> logger);
    assertThat(logged).isEmpty();
  }

  @Test
  void platformsForDevelopmentSaySoOnce() {
    FileSystemCheck.tellPlatform("Linux", () -> logger);
    assertThat(logged).isEmpty();
    FileSystemCheck.tellPlatform("Mac OS X", () -> logger);
    FileSystemCheck.tellPlatform("Mac OS X", () -> logger);
    assertThat(logged).hasSize(1);
    assertThat(logged.getFirst()).contains("Mac OS X").contains("development");
  }
}
