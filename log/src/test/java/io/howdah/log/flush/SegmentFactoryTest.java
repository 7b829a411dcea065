package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.commit.LogStart;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments that are made ready while the disk fails for a time. */
class SegmentFactoryTest {

  private static final List<String> NAMES = List.of("log/0/00000000.seg", "log/0/00000001.seg");

  private final SimulatedDisk disk = SimulatedDisk.seeded(3);
  private Storage storage;

  @BeforeEach
  void createLog() {
    storage = disk.storage();
    storage.createDirectory("log");
    storage.createDirectory("log/0");
  }

  private SegmentFactory factory(List<String> free, long sequence, int name) {
    LogStart start = new LogStart(1, 2, 1, 0, sequence, free, List.of(), name);
    return new SegmentFactory(storage, start, 1 << 20, SegmentLayout.MAX_LENGTH);
  }

  private long sequence(String name) {
    ByteBuffer page =
        ByteBuffer.allocateDirect(SegmentLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      file.read(0, page);
    }
    return Objects.requireNonNull(SegmentHeader.read(page)).sequence();
  }

  @Test
  void aSegmentWhoseHeaderCouldNotBeForcedIsTheNextOneToBeTried() {
    SegmentFactory first = factory(List.of(), 1, 0);
    List<Segment> old = List.of(first.next(), first.next());
    old.forEach(segment -> segment.file.close());
    SegmentFactory factory = factory(NAMES, 3, 2);

    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    List<Segment> ready = List.of(factory.next(), factory.next());

    List<Long> sequences = new ArrayList<>();
    for (Segment segment : ready) {
      assertThat(sequence(segment.name)).isEqualTo(segment.sequence);
      sequences.add(segment.sequence);
      segment.file.close();
    }
    assertThat(sequences).containsExactly(3L, 4L);
  }

  @Test
  void noTwoSegmentsHaveTheSameSequenceWhileOneIsTriedAgain() {
    SegmentFactory first = factory(List.of(), 1, 0);
    List<Segment> old = List.of(first.next(), first.next());
    old.forEach(segment -> segment.file.close());
    SegmentFactory factory = factory(NAMES, 3, 2);
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    factory.next().file.close();
    assertThat(NAMES).extracting(this::sequence).doesNotHaveDuplicates();
  }
}
