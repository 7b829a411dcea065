package io.howdah.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server killed under the hands of its clients: they find it again, with all it acknowledged. */
final class KilledServerTest {

  private static final int ITEMS = 2000;

  /** Some clients never end what a lost connection took: together those are waited for so long. */
  private static final long LATE_NANOS = 2_000_000_000L;

  @TempDir Path folder;

  /** Each client by one protocol: how it comes back does not depend on that. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = ".*_(TEXT|ASCII)")
  void whatAClientWasToldIsThereWhenItComesBack(ClientKind kind) throws Exception {
    clientComesBack(kind);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = ".*_BINARY")
  void whatABinaryClientWasToldIsThereWhenItComesBack(ClientKind kind) throws Exception {
    clientComesBack(kind);
  }

  private void clientComesBack(ClientKind kind) throws Exception {
    ServerProcess first = Servers.start(folder, 0);
    try (CacheClient client = kind.connect(first.port())) {
      List<Future<Boolean>> replies = new ArrayList<>();
      for (int i = 0; i < ITEMS; i++) {
        replies.add(client.setLater("k" + i, "value " + i));
      }
      // So many are acknowledged before the kill; others may be.
      for (int i = 0; i < ITEMS / 2; i++) {
        assertThat(replies.get(i).get(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
      }
      first.kill();
      try (ServerProcess second = Servers.start(folder, first.port())) {
        assertThat(second.port()).isEqualTo(first.port());
        Await.until("the client connects again", () -> client.get("k0") != null);
        int acknowledged = 0;
        long deadline = System.nanoTime() + LATE_NANOS;
        for (int i = 0; i < ITEMS; i++) {
          if (isAcknowledged(replies.get(i), deadline)) {
            acknowledged++;
            assertThat(client.get("k" + i)).as("item " + i).isEqualTo("value " + i);
          }
        }
        assertThat(acknowledged).isGreaterThanOrEqualTo(ITEMS / 2);
        assertThat(client.set("k0", 0, "new")).isTrue();
        assertThat(client.get("k0")).isEqualTo("new");
      }
    } finally {
      first.close();
    }
  }

  private static boolean isAcknowledged(Future<Boolean> reply, long deadline)
      throws InterruptedException {
    try {
      return reply.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException | java.util.concurrent.CancellationException _) {
      return false; // the connection was lost before the reply
    }
  }
}
