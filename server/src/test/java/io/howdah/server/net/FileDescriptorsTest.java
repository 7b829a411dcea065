package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import org.junit.jupiter.api.Test;

/** How many connections a limit of open files leaves. */
final class FileDescriptorsTest {

  private static final int OPEN = 50;

  private static int connections(long most) {
    ConnectionLimits limits = ConnectionLimits.DEFAULTS.withMaxConnections(100);
    return FileDescriptors.fit(limits, most, OPEN).maxConnections();
  }

  @Test
  void asManyConnectionsAsFilesAreLeft() {
    long most = OPEN + FileDescriptors.RESERVED + 100;
    assertThat(connections(most)).isEqualTo(100);
    assertThat(connections(Long.MAX_VALUE)).isEqualTo(100);
    assertThat(connections(most - 1)).isEqualTo(99);
    assertThat(connections(most - 100 + FileDescriptors.MIN_CONNECTIONS))
        .isEqualTo(FileDescriptors.MIN_CONNECTIONS);
  }

  @Test
  void aServerWithNextToNoConnectionsDoesNotStart() {
    long most = OPEN + FileDescriptors.RESERVED + FileDescriptors.MIN_CONNECTIONS - 1;
    assertThatThrownBy(() -> connections(most))
        .isInstanceOf(HowdahException.class)
        .hasMessageStartingWith("the limit of open files, " + most + ", leaves no room")
        .hasMessageEndingWith("to at least 246");
    assertThatThrownBy(() -> connections(0)).isInstanceOf(HowdahException.class);
  }
}
