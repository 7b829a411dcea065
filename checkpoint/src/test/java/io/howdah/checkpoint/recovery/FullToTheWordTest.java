package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.LogOptions;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings and segments that are used up to their last byte. */
class FullToTheWordTest {

  private static final HandStore.Setup SETUP = new HandStore.Setup(1, true, 1L << 40);

  /** Bytes of a record of one run, beside its words. */
  private static final int OVERHEAD = RedoRecordLayout.MIN_LENGTH + 8;

  private static final int RECORDS = 8;
  private static final int RECORD_BYTES = (int) HandLog.ringBytes() / RECORDS;
  private static final int BATCH_BYTES = 4096;

  private long nonce = 1;

  private HandStore open(SimulatedDisk disk) {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce++);
  }

  private static int words(int recordBytes) {
    return (recordBytes - OVERHEAD) / 8;
  }

  /** Commits a run of words from address 0 on, each of them the value. */
  private static void commit(HandStore store, int words, long value) {
    Lane lane = store.log.lane(0);
    assertThat(store.log.tryLease(0)).isTrue();
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, OVERHEAD + 8 * words, 1, lsn, 0);
    lane.put(RedoRecordLayout.entryHead(0, words));
    for (int i = 0; i < words; i++) {
      lane.put(value);
    }
    lane.publish();
    for (int i = 0; i < words; i++) {
      store.store(8L * i, value);
    }
    lane.finish();
  }

  private static void requireWritten(HandStore store, int words, long value) {
    for (int i = 0; i < words; i++) {
      assertThat(store.region().getLong(8L * i)).as("word %s", i).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-8, 0, 8})
  void aRingTakesARecordThatFillsItAndNoWordMore(int more) {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    HandStore.create(disk.storage(), SETUP);
    HandStore store = open(disk);
    // The second lap begins within the ring, so the last record of each goes around its end.
    commit(store, words(RECORD_BYTES / 2), 1);
    store.log.flush();
    for (int i = 1; i < RECORDS; i++) {
      commit(store, words(RECORD_BYTES), 1 + i);
    }
    int last = RECORD_BYTES + more;
    assertThat(store.log.hasSpace(0, last)).isEqualTo(more <= 0);
    long value = RECORDS;
    if (more <= 0) {
      value++;
      commit(store, words(last), value);
      assertThat(store.log.hasSpace(0, -more)).isTrue();
      assertThat(store.log.hasSpace(0, 8 - more)).isFalse();
    }
    SimulatedDisk killed = disk.fork();
    killed.kill();
    HandStore again = open(killed);
    requireWritten(again, words(more <= 0 ? last : RECORD_BYTES), value);
    // And the flusher frees all of it.
    store.log.flush();
    assertThat(store.log.hasSpace(0, HandLog.ringBytes())).isTrue();
    assertThat(store.log.hasSpace(0, HandLog.ringBytes() + 8L)).isFalse();
  }

  /** One batch of a page for each commit: a segment takes as many as it has pages but for one. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aSegmentThatIsFullToItsLastByteIsReadWhole(int more) {
    int batches = LogOptions.DEFAULTS.firstSegmentBytes() / BATCH_BYTES - 1 + more;
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    HandStore.create(disk.storage(), SETUP);
    HandStore store = open(disk);
    for (int i = 1; i <= batches; i++) {
      store.commit(0, 0, i);
      store.log.flush();
    }
    assertThat(disk.storage().list("log/0")).hasSize(more > 0 ? 2 : 1);
    disk.powerCut(CrashChoice.LOSE_ALL); // and the rings with it
    assertThat(open(disk).region().getLong(0)).isEqualTo(batches);
  }

  @Test
  void aRunOfWordsIsAsLongAsItsHeadCanSay() {
    int most = RedoRecordLayout.MAX_RUN;
    for (int words : new int[] {1, most - 1, most}) {
      long head = RedoRecordLayout.entryHead(8, words);
      assertThat(RedoRecordLayout.entryRun(head)).isEqualTo(words);
      assertThat(RedoRecordLayout.entryAddress(head)).isEqualTo(8);
    }
    // No record is so long that a run could be longer.
    assertThat((RedoRecordLayout.MAX_LENGTH - OVERHEAD) / 8).isLessThan(most);
  }
}
