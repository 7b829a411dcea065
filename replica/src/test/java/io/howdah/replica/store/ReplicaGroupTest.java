package io.howdah.replica.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaGroupTest {

  private static final String ID = "cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n";
  private static final String PEERS =
      "peer.a = 127.0.0.1:7100\npeer.b = 127.0.0.1:7101\npeer.c = localhost:7102\n";

  @TempDir private Path directory;

  @Test
  void aGroupIsReadFromItsFile() throws Exception {
    Path file = directory.resolve("group.properties");
    Files.writeString(file, "# three\n\n" + ID + PEERS + "max-size = 65536\npartitions=2\n");

    ReplicaGroup group = ReplicaGroup.read(file);

    assertThat(group.cluster()).isEqualTo(UUID.fromString("7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11"));
    assertThat(group.peers())
        .isEqualTo(Map.of("a", "127.0.0.1:7100", "b", "127.0.0.1:7101", "c", "localhost:7102"));
    assertThat(group.maxSize()).isEqualTo(65_536);
    assertThat(group.partitions()).isEqualTo(2);
    assertThat(group.ringBytes()).isEqualTo(1 << 20);
    assertThat(group.storeId().toString()).isEqualTo("7b0c5a1e95a44c0a9d1c0d6b4c7f2a11");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nonsense                          | line 5: expected key = value, found "nonsense"
          peer.a = 127.0.0.1:7109           | line 5: peer.a is in line 2 already
          peer.d = 127.0.0.1:7100           | line 5: members a and d have one address, 127.0.0.1:7100
          peer.D = 127.0.0.1:7109           | line 5: the name of a member has 1 to 32 of a-z, 0-9 and -
          peer. = 127.0.0.1:7109            | line 5: the name of a member has 1 to 32 of a-z, 0-9 and -
          peer.d = 127.0.0.1                | line 5: expected host:port, found "127.0.0.1"
          peer.d = 127.0.0.1:0              | line 5: expected host:port
          peer.d = 127.0.0.1:65536          | line 5: expected host:port
          peer.d = :7100                    | line 5: expected host:port
          peer.d = 10.0.0.1:7100            | line 5: 10.0.0.1:7100 is not on this machine
          peer.d = 127.0.0.1.example.com:71 | line 5: 127.0.0.1.example.com:71 is not on this machine
          trusted-network = yes             | line 5: trusted-network is true or false, not "yes"
          max-size = 12                     | line 5: max-size is a number from 65536
          max-size = -1                     | line 5: max-size is a number from 65536
          partitions = 257                  | line 5: partitions is a number from 1 to 256
          ring-bytes = much                 | line 5: ring-bytes is a number from
          kv.a = 127.0.0.1:11211            | line 5: unknown key kv.a; known are cluster, peer.NAME
          """)
  void aMistakeIsToldWithItsLine(String line, String message) {
    assertThatThrownBy(() -> ReplicaGroup.parse("group.properties", ID + PEERS + line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("group.properties " + message);
  }

  @ParameterizedTest
  @CsvSource({"2", "8", "0"})
  void aGroupHasOneMemberOrThreeToSeven(int members) {
    StringBuilder text = new StringBuilder(ID);
    for (int i = 0; i < members; i++) {
      text.append("peer.n").append(i).append(" = 127.0.0.1:").append(7100 + i).append('\n');
    }
    assertThatThrownBy(() -> ReplicaGroup.parse("f", text.toString()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a group has 1 member, or from 3 to 7, not " + members);
  }

  @ParameterizedTest
  @CsvSource({"''", "cluster = shop", "cluster = 00000000-0000-0000-0000-000000000000"})
  void aGroupHasAnId(String line) {
    assertThatThrownBy(() -> ReplicaGroup.parse("f", line + "\n" + PEERS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("UUID");
  }

  @Test
  void aTrustedNetworkMayBeAnywhere() {
    String text = ID + PEERS + "peer.d = 10.0.0.1:7100\ntrusted-network = true\n";
    assertThat(ReplicaGroup.parse("f", text).peers()).containsEntry("d", "10.0.0.1:7100");
  }
}
