package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.log.commit.LogStart;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments whose making fails, is given up or is over: no descriptor is lost with one. */
class ClosedFilesTest {

  private static final LogStart NEW = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 0);

  private final SimulatedDisk disk = SimulatedDisk.seeded(3);
  private final OpenFiles files = new OpenFiles(disk.storage());

  @BeforeEach
  void createLog() {
    files.storage().createDirectory("log");
    files.storage().createDirectory("log/0");
  }

  private SegmentFactory factory(LogStart start, int bytes) {
    return new SegmentFactory(
        files.storage(), start, SegmentLayout.MIN_LENGTH, bytes, SegmentLayout.MAX_LENGTH);
  }

  private SegmentFactory again(int bytes) {
    Segment first = factory(NEW, 1 << 20).next();
    first.file.close();
    return factory(new LogStart(1, 2, 1, 0, 2, List.of(first.name), List.of(), 1), bytes);
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"WRITE", "FORCE", "FORCE_DIRECTORY"})
  void aSegmentThatCannotBeMadeIsClosed(Operation operation) {
    disk.inject(Fault.onNth(operation, 1).with(Reason.NO_SPACE));
    SegmentFactory factory = factory(NEW, 1 << 20);
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(files.open()).isEmpty();
    Segment segment = factory.next();
    assertThat(files.open()).hasSize(1);
    segment.file.close();
    assertThat(files.open()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"WRITE", "FORCE"})
  void aSegmentThatCannotBeUsedAgainIsClosed(Operation operation) {
    SegmentFactory factory = again(1 << 20);
    disk.inject(Fault.onNth(operation, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(files.open()).isEmpty();
  }

  @Test
  void aNewSegmentWhoseHeaderCannotBeForcedIsClosed() {
    SegmentFactory factory = factory(NEW, 1 << 20);
    disk.inject(Fault.onNth(Operation.FORCE, 2).with(Reason.NO_SPACE)); // the first is its blocks
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(files.open()).isEmpty();
  }

  @Test
  void aSegmentThatTheLogHasOutgrownIsClosedAndDeleted() {
    SegmentFactory factory = again(SegmentLayout.MAX_LENGTH);
    Segment segment = factory.next();
    assertThat(files.open()).hasSize(1);
    assertThat(segment.name).isEqualTo("log/0/00000001.seg");
    assertThat(files.storage().exists("log/0/00000000.seg")).isFalse();
  }

  @Test
  void aWriterHasItsSegmentOpenAndNoOther() {
    SegmentFactory factory = factory(NEW, 1 << 20);
    SegmentTarget target =
        new SegmentTarget(
            factory.next(),
            new SegmentHistory(1, 0),
            _ -> {},
            Unwaited::noFurtherSegment,
            "a test");
    target.use(factory.next());
    assertThat(files.open()).singleElement().asString().contains("00000001.seg");
    assertThat(target.segmentsUsed()).isEqualTo(2);
    target.close();
    assertThat(files.open()).isEmpty();
  }
}
