package io.howdah.replica.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.SplittableRandom;
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
          peer.d = 127.0.0.1:7100           | line 5: peer.a and peer.d have one address, 127.0.0.1:7100
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
          max-log-bytes = 1000              | line 5: max-log-bytes is a number from 16777216
          http.d = 127.0.0.1:7109           | line 5: there is no member d
          http.a = 127.0.0.1:7101           | line 5: peer.b and http.a have one address, 127.0.0.1:7101
          http.a = 10.0.0.1:7109            | line 5: 10.0.0.1:7109 is not on this machine
          relay.d = 127.0.0.1:7109          | line 5: there is no member d
          relay.a = 127.0.0.1:7101          | line 5: peer.b and relay.a have one address, 127.0.0.1:7101
          relay.a = 10.0.0.1:7109           | line 5: 10.0.0.1:7109 is not on this machine
          secret-file = replica.secret      | line 5: secret-file is of no use without http.NAME
          """)
  void aMistakeIsToldWithItsLine(String line, String message) {
    assertThatThrownBy(() -> ReplicaGroup.parse("group.properties", ID + PEERS + line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("group.properties " + message);
  }

  /** Lines of any group file, changed at random: the file is read, or its mistake is told. */
  @Test
  void anyTextIsReadOrRefusedWithTheNameOfTheFile() {
    String valid =
        ID + PEERS + HTTP + "secret-file = s\nmax-size = 65536\nrelay.a = 127.0.0.1:7300\n";
    String alphabet = "=.:#-[]0919abchttprelay\u0000\u0660\uD800 \n\r\t\uFEFF";
    int read = 0;
    for (int run = 0; run < 20_000; run++) {
      SplittableRandom random = new SplittableRandom(run);
      StringBuilder text = new StringBuilder(valid);
      for (int change = random.nextInt(1, 6); change > 0; change--) {
        int at = random.nextInt(text.length());
        char any = alphabet.charAt(random.nextInt(alphabet.length()));
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, any);
          case 1 -> text.insert(at, any);
          default -> text.delete(at, Math.min(text.length(), at + random.nextInt(1, 30)));
        }
      }
      try {
        ReplicaGroup group = ReplicaGroup.parse("group.properties", text.toString());
        assertThat(group.peers().size()).isIn(1, 3, 4, 5, 6, 7);
        read++;
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("group.properties");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("run " + run + ": " + text, e);
      }
    }
    assertThat(read).isBetween(0, 19_000);
  }

  @Test
  void aFileThatIsNoTextOrTooLongIsRefused() throws IOException {
    Path file = directory.resolve("group.properties");
    Files.write(file, new byte[] {'a', '=', (byte) 0xFF});
    assertThatThrownBy(() -> ReplicaGroup.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("group.properties is not text in UTF-8");
    Files.write(file, new byte[70_000]);
    assertThatThrownBy(() -> ReplicaGroup.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("group.properties has more than 65536 bytes");
  }

  private static final String HTTP =
      "http.a = 127.0.0.1:7200\nhttp.b = 127.0.0.1:7201\nhttp.c = 127.0.0.1:7202\n";

  private ReplicaGroup withSecret(String secret, String permissions) throws IOException {
    Path file = directory.resolve("replica.secret");
    Files.writeString(file, secret);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    Path group = directory.resolve("group.properties");
    Files.writeString(group, ID + PEERS + HTTP + "secret-file = replica.secret\n");
    return ReplicaGroup.read(group);
  }

  @Test
  void membersWithAddressesForSnapshotsHaveASecret() throws Exception {
    ReplicaGroup group = withSecret("0123456789abcdef\nanything\n", "rw-------");
    assertThat(group.http()).containsEntry("c", "127.0.0.1:7202");
    assertThat(group.secret()).contains("0123456789abcdef");
    assertThat(ReplicaGroup.parse("f", ID + PEERS).secret()).isEmpty();
    assertThatThrownBy(() -> ReplicaGroup.parse("f", ID + PEERS + HTTP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("secret-file is missing");
    assertThatThrownBy(
            () -> ReplicaGroup.parse("f", ID + PEERS + "http.a = 127.0.0.1:7200\nsecret-file = s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is missing: all members have such an address");
  }

  @ParameterizedTest
  @CsvSource({
    "0123456789abcdef, rw-r-----, is not for its owner only: chmod 600",
    "0123456789, rw-------, has no secret: its first line has at least 16",
    "'', rw-------, has no secret",
    "0123456789 abcdefgh, rw-------, has no secret",
  })
  void aSecretThatOthersMayReadOrThatIsNoneIsRefused(
      String secret, String permissions, String message) throws Exception {
    ReplicaGroup group = withSecret(secret, permissions);
    assertThatThrownBy(group::secret)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("replica.secret")
        .hasMessageContaining(message);
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
