package io.howdah.replica.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.server.net.GroupMember;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code howdah serve --replica} finds members, and which it refuses. */
class ServedMembersTest {

  private static final String PEERS =
      """
      cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11
      peer.a = 127.0.0.1:1
      max-size = 1048576
      """;

  @TempDir private Path directory;

  private final GroupMember.Provider members =
      ServiceLoader.load(GroupMember.Provider.class).findFirst().orElseThrow();

  @Test
  void aGroupWithoutAddressesForPassedConnectionsIsRefused() throws Exception {
    Path group = directory.resolve("group.properties");
    Files.writeString(group, PEERS);
    assertThatThrownBy(() -> members.open(directory.resolve("a"), group, "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("group.properties")
        .hasMessageContaining("need an address relay.NAME");
    Files.writeString(group, PEERS + "relay.a = 127.0.0.1:2\n");
    assertThatThrownBy(() -> members.open(directory.resolve("b"), group, "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b is not a member");
    assertThatThrownBy(() -> members.open(directory.resolve("a"), group, "a"))
        .hasMessageContaining("is not the directory of a member of a group");
    assertThat(directory.resolve("a")).doesNotExist();
  }

  /** If the thread that tells roles ended in silence, the server would keep its last role. */
  @Test
  void aMemberWhoseRoleCannotBeToldHasFailed() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path file = directory.resolve("group.properties");
    Files.writeString(
        file, PEERS.replace("127.0.0.1:1", "127.0.0.1:" + port) + "relay.a = 127.0.0.1:2\n");
    ReplicaGroup group = ReplicaGroup.read(file);
    ReplicatedStore.create(directory.resolve("a"), group, "a");
    CompletableFuture<RuntimeException> failure = new CompletableFuture<>();
    try (ServedMember member = new ServedMember(directory.resolve("a"), group, "a")) {
      member.start(
          new GroupMember.Listener() {
            @Override
            public void leads(Store store) {
              throw new IllegalStateException("no role");
            }

            @Override
            public void follows(@Nullable InetSocketAddress leader) {}

            @Override
            public void failed(RuntimeException cause) {
              failure.complete(cause);
            }
          });
      assertThat(failure.get(30, TimeUnit.SECONDS))
          .isInstanceOf(HowdahException.class)
          .hasMessageContaining("cannot tell its role")
          .hasRootCauseMessage("no role");
    }
  }
}
