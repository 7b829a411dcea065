package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What connections share, counted without any of them. */
final class ConnectionsTest {

  private static final long LIMIT = 1 << 20;

  private final Connections all =
      new Connections(
          ConnectionLimits.DEFAULTS.withMaxConnections(2).withMaxBytes(LIMIT, LIMIT),
          new CommandCounters(),
          1);

  private Map<String, String> rows() {
    Map<String, String> rows = new HashMap<>();
    all.statistics(rows::put);
    return rows;
  }

  @Test
  void aPlaceThatIsGivenBackIsTakenAgain() {
    assertThat(all.enter()).isTrue();
    assertThat(all.enter()).isTrue();
    assertThat(all.enter()).isFalse();
    assertThat(all.count()).isEqualTo(2);
    all.giveBack();
    assertThat(all.enter()).isTrue();
    assertThat(rows())
        .containsEntry("max_connections", "2")
        .containsEntry("curr_connections", "2")
        .containsEntry("connection_structures", "2")
        .containsEntry("total_connections", "3")
        .containsEntry("rejected_connections", "1");
  }

  @Test
  void aServerThatStopsTakesNoConnection() {
    all.stop();
    assertThat(all.enter()).isFalse();
    assertThat(all.count()).isZero();
    assertThat(rows())
        .containsEntry("total_connections", "0")
        .containsEntry("rejected_connections", "1");
  }

  @Test
  void idsBeginWithOneAndAreNotUsedAgain() {
    assertThat(all.nextId()).isEqualTo(1);
    assertThat(all.nextId()).isEqualTo(2);
  }

  @Test
  void aReplyWaitsInTheStoreWhileThereIsRoom() {
    assertThat(all.enterDurabilityWait()).isTrue();
    assertThat(all.enterDurabilityWait()).isFalse();
    assertThat(all.enterDurabilityWait()).isFalse();
    all.leaveDurabilityWait();
    assertThat(all.enterDurabilityWait()).isTrue();
  }

  @Test
  void partsOfCommandsHaveRoomUpToTheLimit() {
    assertThat(all.partial(LIMIT)).isTrue();
    assertThat(all.partial(1)).isFalse();
    assertThat(all.partial(0)).as("nothing more").isTrue();
    assertThat(rows()).containsEntry("howdah_partial_bytes", "1048577");
    assertThat(all.partial(-1)).isTrue();
    assertThat(all.partial(-LIMIT)).isTrue();
    assertThat(rows()).containsEntry("howdah_partial_bytes", "0");
  }

  @Test
  void unsentRepliesAreFullAtTheLimitAndForAnAddressAtHalf() {
    Peers.Peer one = all.peers().enter(null);
    all.unsent(one, LIMIT / 2 - 1);
    assertThat(all.isUnsentFull(one)).isFalse();
    all.unsent(one, 1);
    assertThat(all.isUnsentFull(one)).isTrue();
    all.unsent(one, -LIMIT / 2);
    assertThat(all.isUnsentFull(one)).isFalse();
    assertThat(rows()).containsEntry("howdah_unsent_bytes", "0");
  }

  @Test
  void eachReasonToCloseAConnectionIsCountedAndReset() {
    all.kicked(Connection.Deadline.IDLE);
    for (int i = 0; i < 2; i++) {
      all.kicked(Connection.Deadline.REQUEST);
    }
    for (int i = 0; i < 3; i++) {
      all.kicked(Connection.Deadline.WRITE);
    }
    all.kicked(Connection.Deadline.NONE);
    for (int i = 0; i < 4; i++) {
      all.outOfMemory();
    }
    assertThat(rows())
        .containsEntry("idle_kicks", "1")
        .containsEntry("howdah_request_timeouts", "2")
        .containsEntry("howdah_write_timeouts", "3")
        .containsEntry("howdah_partial_refused", "4");
    assertThat(all.enter()).isTrue();
    assertThat(all.enter()).isTrue();
    assertThat(all.enter()).isFalse();
    all.reset();
    assertThat(rows())
        .containsEntry("total_connections", "0")
        .containsEntry("rejected_connections", "0")
        .containsEntry("idle_kicks", "0")
        .containsEntry("howdah_request_timeouts", "0")
        .containsEntry("howdah_write_timeouts", "0")
        .containsEntry("howdah_partial_refused", "0")
        .containsEntry("curr_connections", "2");
  }

  @Test
  void theTimeIsThatOfTheLastLook() {
    all.expire(4711);
    assertThat(all.now()).isEqualTo(4711);
  }

  @Test
  void theSocketIsNamedOnceTheServerListens() {
    assertThat(all.unixSocket()).isEmpty();
    all.listensAt("/run/socket");
    assertThat(all.unixSocket()).isEqualTo("/run/socket");
  }
}
