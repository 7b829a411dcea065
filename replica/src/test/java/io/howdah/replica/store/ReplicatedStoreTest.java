package io.howdah.replica.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.collections.PersistentMap;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.replica.NotLeaderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of one member, over an engine in memory. */
@Timeout(60)
class ReplicatedStoreTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String CLUSTER = "7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a1";

  private static final ReplicaGroup GROUP = group("1");

  @TempDir private Path directory;

  private static ReplicaGroup group(String lastDigit) {
    return ReplicaGroup.parse(
        "group.properties",
        "cluster = "
            + CLUSTER
            + lastDigit
            + "\npeer.a = 127.0.0.1:7100\nmax-size = 4194304\npartitions = 2\n");
  }

  private Path shop() {
    return directory.resolve("shop");
  }

  @Test
  void dataAreThereAfterARestartWithAndWithoutACheckpoint() {
    ReplicatedStore.create(shop(), GROUP, "a");
    for (int start = 0; start < 4; start++) {
      try (ReplicatedStore replica = ReplicatedStore.open(shop(), GROUP, "a")) {
        assertThat(replica.awaitLeader(LONG)).isTrue();
        Store store = replica.leader();
        PersistentMap<String, Integer> sold = store.map("sold", String.class, Integer.class);
        int before = store.call(tx -> sold.getOrDefault(tx, "apples", 0));
        assertThat(before).isEqualTo(start);
        store.run(tx -> sold.put(tx, "apples", before + 1));
        long position = replica.position();
        assertThat(replica.awaitPosition(position, LONG)).isTrue();
        for (ReadMode mode : ReadMode.values()) {
          int after = replica.read(mode, tx -> sold.getOrDefault(tx, "apples", 0));
          assertThat(after).isEqualTo(start + 1);
        }
        if (start % 2 == 0) {
          replica.checkpoint();
        }
        assertThat(replica.failure()).isNull();
      }
    }
  }

  @Test
  void aClosedMemberDoesNotLead() {
    ReplicatedStore.create(shop(), GROUP, "a");
    ReplicatedStore replica = ReplicatedStore.open(shop(), GROUP, "a");
    assertThat(replica.awaitLeader(LONG)).isTrue();
    replica.close();
    assertThat(replica.isLeading()).isFalse();
    assertThatThrownBy(replica::leader).isInstanceOf(NotLeaderException.class);
  }

  @Test
  void aDirectoryThatWasNotCreatedIsRefused() {
    assertThatThrownBy(() -> ReplicatedStore.open(shop(), GROUP, "a"))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("is not the directory of a member")
        .hasMessageContaining("create its directory")
        .hasMessageContaining("must not come back");
  }

  @Test
  void anEmptiedDirectoryIsRefused() throws IOException {
    ReplicatedStore.create(shop(), GROUP, "a");
    try (Stream<Path> files = Files.walk(shop())) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        if (!file.equals(shop())) {
          Files.delete(file);
        }
      }
    }
    assertThatThrownBy(() -> ReplicatedStore.open(shop(), GROUP, "a"))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("must not come back");
  }

  @Test
  void aDirectoryOfAnotherMemberOrGroupIsRefused() {
    ReplicatedStore.create(shop(), GROUP, "a");
    assertThatThrownBy(() -> ReplicatedStore.open(shop(), group("2"), "a"))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("is of member a of group " + CLUSTER + "1")
        .hasMessageContaining("not of member a of group " + CLUSTER + "2");
    assertThatThrownBy(() -> ReplicatedStore.open(shop(), GROUP, "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b is not a member of the group");
  }

  @Test
  void aDirectoryWithSomethingInItIsNotMadeAMember() {
    ReplicatedStore.create(shop(), GROUP, "a");
    assertThatThrownBy(() -> ReplicatedStore.create(shop(), GROUP, "a"))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("name an empty or a new directory");
    Path plain = directory.resolve("plain");
    Store.open(plain).close();
    assertThatThrownBy(() -> ReplicatedStore.create(plain, GROUP, "a"))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("name an empty or a new directory");
  }

  @Test
  void aPlainOpeningRefusesTheDirectoryOfAMember() {
    ReplicatedStore.create(shop(), GROUP, "a");
    assertThatThrownBy(() -> Store.open(shop()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("ReplicatedStore.open");
  }

  @Test
  void optionsThatAReplicaLacksAreRefused() {
    ReplicatedStore.create(shop(), GROUP, "a");
    StoreOptions readOnly = StoreOptions.defaults().withReadOnly(true);
    assertThatThrownBy(() -> ReplicatedStore.open(shop(), GROUP, "a", readOnly))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("readOnly");
  }
}
