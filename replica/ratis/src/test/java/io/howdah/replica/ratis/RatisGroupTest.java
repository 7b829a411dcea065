package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.store.ReadMode;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members in one process over Ratis: snapshots, other members, another leader. */
@Timeout(240)
class RatisGroupTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int BLOCK_BYTES = 200_000;

  /** As much as makes a log of 16 MiB, and a segment more. */
  private static final int WRITES = 140;

  @TempDir private Path directory;

  private final Map<String, String> addresses = new TreeMap<>();
  private final Map<String, String> http = new TreeMap<>();
  private final Map<String, ReplicatedStore> members = new HashMap<>();

  @BeforeEach
  void createGroup() throws IOException {
    Path secret = directory.resolve("secret");
    Files.writeString(secret, "0123456789abcdef");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    for (String name : List.of("a", "b", "c", "d")) {
      addresses.put(name, "127.0.0.1:" + freePort());
      http.put(name, "127.0.0.1:" + freePort());
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @AfterEach
  void close() {
    members.values().forEach(ReplicatedStore::close);
  }

  private ReplicaGroup group(String... names) throws IOException {
    StringBuilder text = new StringBuilder("cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n");
    for (String name : names) {
      text.append("peer.%s = %s%n".formatted(name, addresses.get(name)));
      text.append("http.%s = %s%n".formatted(name, http.get(name)));
    }
    text.append("secret-file = secret\nmax-size = 1048576\npartitions = 2\n");
    text.append("max-log-bytes = 16777216\n");
    Path file = directory.resolve("group-" + String.join("", names));
    Files.writeString(file, text);
    return ReplicaGroup.read(file);
  }

  private void open(ReplicaGroup group, String name) {
    members.put(name, ReplicatedStore.open(directory.resolve(name), group, name));
  }

  private void closeMember(String name) {
    Objects.requireNonNull(members.remove(name)).close();
  }

  private ReplicaGroup startThree() throws IOException {
    ReplicaGroup group = group("a", "b", "c");
    for (String name : List.of("a", "b", "c")) {
      ReplicatedStore.create(directory.resolve(name), group, name);
      open(group, name);
    }
    return group;
  }

  /** Waits for a leader; returns its name. */
  private String awaitLeader() {
    long until = System.nanoTime() + LONG.toNanos();
    while (System.nanoTime() < until) {
      for (Map.Entry<String, ReplicatedStore> member : members.entrySet()) {
        assertThat(member.getValue().failure()).isNull();
        if (member.getValue().awaitLeader(POLL)) {
          return member.getKey();
        }
      }
    }
    throw new AssertionError("nobody leads");
  }

  private ReplicatedStore member(String name) {
    return Objects.requireNonNull(members.get(name));
  }

  /** Adds one to the counter, in a block that makes the entry long; tries until it is certain. */
  private long add() {
    while (true) {
      ReplicatedStore leader = member(awaitLeader());
      try {
        return leader.leader().call(RatisGroupTest::add);
      } catch (HowdahException e) {
        // Another one leads, and what has happened is counted there.
      }
    }
  }

  private static long add(Tx tx) {
    long block = tx.root(1);
    if (block == 0) {
      block = tx.allocate(BLOCK_BYTES);
      tx.root(1, block);
    }
    long value = tx.getLong(block) + 1;
    for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
      tx.putLong(block + at, value);
    }
    return value;
  }

  private static long get(Tx tx) {
    long block = tx.root(1);
    return block == 0 ? 0 : tx.getLong(block + BLOCK_BYTES - Long.BYTES);
  }

  /** Waits until a member reads a value. */
  private void awaitValue(String name, long value) {
    long until = System.nanoTime() + LONG.toNanos();
    long read = -1;
    while (System.nanoTime() < until) {
      assertThat(member(name).failure()).isNull();
      try {
        read = member(name).read(ReadMode.LOCAL, RatisGroupTest::get);
      } catch (ReplicaBehindException e) {
        // It replays the log, or gets a snapshot.
      }
      if (read >= value) {
        return;
      }
      boolean _ = member(name).awaitPosition(Long.MAX_VALUE, POLL);
    }
    throw new AssertionError(
        "member %s reads %d, not %d; %s"
            .formatted(name, read, value, member(name).installProblem()));
  }

  private String other(String than) {
    return members.keySet().stream().filter(name -> !name.equals(than)).findFirst().orElseThrow();
  }

  private long firstOfLog(String name) throws IOException {
    try (Stream<Path> files =
        Files.list(
            directory
                .resolve(name)
                .resolve("raft")
                .resolve("7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11")
                .resolve("current"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.startsWith("log_"))
          .map(file -> file.replaceAll("log_(inprogress_)?|-.*", ""))
          .mapToLong(Long::parseLong)
          .min()
          .orElse(-1);
    }
  }

  /** Writes until all members but those that are away have removed the beginning of the log. */
  private long writeUntilTheLogIsCut() throws IOException {
    long value = 0;
    for (int i = 0; i < 4 * WRITES; i++) {
      value = add();
      if (i % 10 == 0) {
        for (ReplicatedStore member : members.values()) {
          member.checkpoint();
        }
      }
      boolean isCut = i > WRITES / 4;
      for (String name : members.keySet()) {
        isCut &= firstOfLog(name) > 0;
      }
      if (isCut) {
        return value;
      }
    }
    throw new AssertionError("the log is not cut");
  }

  @Test
  void aMemberThatWasAwayForTooLongGetsASnapshot() throws Exception {
    ReplicaGroup group = startThree();
    String away = other(awaitLeader());
    long before = add();
    awaitValue(away, before);
    closeMember(away);
    long value = writeUntilTheLogIsCut();

    open(group, away);
    awaitValue(away, value);
    assertThat(member(away).snapshotsInstalled()).isPositive();
    assertThat(member(away).installProblem()).isNull();

    // It is a member like before: with it there is a majority.
    closeMember(other(away));
    value = add();
    awaitValue(away, value);
    // And it starts again from what it has got.
    closeMember(away);
    open(group, away);
    awaitValue(away, value);
    assertThat(member(away).snapshotsInstalled()).isZero();
    assertThat(add()).isGreaterThan(value);
  }

  @Test
  void aLostMemberIsReplaced() throws Exception {
    startThree();
    String leader = awaitLeader();
    String lost = other(leader);
    closeMember(lost);
    long value = writeUntilTheLogIsCut();

    String[] names =
        Stream.concat(members.keySet().stream(), Stream.of("d")).sorted().toArray(String[]::new);
    ReplicaGroup changed = group(names);
    ReplicatedStore.createJoining(directory.resolve("d"), changed, "d");
    open(changed, "d");
    awaitValueOfJoining(value);
    leader = awaitLeader();
    String address = Objects.requireNonNull(addresses.get("d"));
    assertThat(member(leader).replace(lost, "d", address, LONG)).isTrue();
    value = add();
    awaitValue("d", value);

    // The new member counts for the majority, also after it has started again.
    String third = members.keySet().stream().filter(n -> !n.equals("d")).findFirst().orElseThrow();
    closeMember(third);
    value = add();
    closeMember("d");
    open(changed, "d");
    long last = add(); // which counts twice if a leader commits and is lost before it says so
    assertThat(last).isGreaterThan(value);
    awaitValue("d", last);
  }

  /** Until it is a member it has a snapshot, and what came later it cannot have. */
  private void awaitValueOfJoining(long value) {
    long until = System.nanoTime() + LONG.toNanos();
    while (member("d").snapshotsInstalled() == 0) {
      assertThat(System.nanoTime()).as("a snapshot for d").isLessThan(until);
      assertThat(member("d").failure()).isNull();
      boolean _ = member("d").awaitPosition(Long.MAX_VALUE, POLL);
    }
    assertThat(value).isPositive();
  }

  @Test
  void leadershipIsTransferredAndNothingIsUnknown() throws Exception {
    startThree();
    String leader = awaitLeader();
    String next = other(leader);
    long value = add();
    // The other one may need a moment to have everything.
    awaitValue(next, value);
    assertThat(member(leader).transfer(next, LONG)).isTrue();
    assertThat(member(next).awaitLeader(LONG)).isTrue();
    assertThat(add()).isGreaterThan(value);
    awaitValue(leader, value + 1);
    assertThatThrownBy(() -> member(leader).transfer(next, LONG))
        .isInstanceOf(NotLeaderException.class);
    assertThatThrownBy(() -> member(next).transfer("e", LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("e is not a member");
    assertThatThrownBy(() -> member(next).transfer(next, LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name another one");
  }
}
