package io.howdah.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.replica.log.CapturedGroup;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Snapshots with forged frames and right checksums, as only a broken or a hostile sender makes
 * them. The receiver installs them, or refuses them with a typed exception. The runs are 2,000 by
 * default; the property {@code howdah.hostile} multiplies them.
 */
@Timeout(120)
final class HostileSnapshotTest {

  private static final int RUNS = 2000 * Integer.getInteger("howdah.hostile", 1);

  private static List<byte[]> frames;
  private static Geometry geometry;

  @BeforeAll
  static void run() throws Exception {
    frames = frames(CapturedGroup.run().snapshot().array());
    ByteBuffer begin =
        ByteBuffer.allocateDirect(frames.getFirst().length - FrameLayout.HEADER_LENGTH);
    begin.put(0, frames.getFirst(), FrameLayout.HEADER_LENGTH, begin.capacity());
    geometry = SuperblockFile.decode(begin).orElseThrow().geometry();
    assertThat(frames).hasSizeGreaterThan(2);
  }

  private static List<byte[]> frames(byte[] stream) {
    List<byte[]> frames = new ArrayList<>();
    ByteBuffer buffer = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < stream.length; ) {
      int length = FrameLayout.HEADER_LENGTH + buffer.getInt(at + FrameLayout.LENGTH_OFFSET);
      frames.add(Arrays.copyOfRange(stream, at, at + length));
      at += length;
    }
    return frames;
  }

  private static byte[] sealed(byte[] frame, int number) {
    ByteBuffer buffer = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
    return buffer
        .putLong(FrameLayout.NUMBER_OFFSET, number)
        .putInt(FrameLayout.CRC_OFFSET, Crc32c.around(buffer, FrameLayout.CRC_OFFSET, frame.length))
        .array();
  }

  private static byte[] resized(byte[] frame, int payload) {
    byte[] bytes = Arrays.copyOf(frame, FrameLayout.HEADER_LENGTH + payload);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(FrameLayout.LENGTH_OFFSET, payload);
    return bytes;
  }

  private static byte[] forged(byte[] frame, SplittableRandom random) {
    byte[] bytes = frame.clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    switch (random.nextInt(8)) {
      case 5 -> buffer.putInt(FrameLayout.LENGTH_OFFSET, random.nextInt());
      case 6 ->
          buffer.putInt(
              FrameLayout.LENGTH_OFFSET,
              FrameLayout.MAX_PAYLOAD_LENGTH + random.nextInt(1, 1 << 18));
      case 0 -> buffer.putInt(FrameLayout.KIND_OFFSET, random.nextInt(5));
      case 1 -> buffer.putLong(FrameLayout.ADDRESS_OFFSET, random.nextLong());
      case 2 -> buffer.putLong(FrameLayout.ADDRESS_OFFSET, random.nextLong(1 << 19) & -512);
      case 3 -> {
        return resized(bytes, random.nextInt(FrameLayout.MAX_PAYLOAD_LENGTH + 1));
      }
      case 4 -> {
        return resized(bytes, random.nextInt(64));
      }
      default -> buffer.put(random.nextInt(bytes.length), (byte) random.nextInt());
    }
    return bytes;
  }

  private static byte[] forgedStream(SplittableRandom random) throws IOException {
    List<byte[]> stream = new ArrayList<>(frames);
    int changes = 1 + random.nextInt(2);
    for (int i = 0; i < changes; i++) {
      int which = random.nextInt(stream.size());
      switch (random.nextInt(6)) {
        case 0 -> stream.add(random.nextInt(stream.size() + 1), stream.get(which));
        case 1 -> {
          if (stream.size() > 1) {
            stream.remove(which);
          }
        }
        default -> stream.set(which, forged(stream.get(which), random));
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < stream.size(); i++) {
      bytes.write(sealed(stream.get(i).clone(), i));
    }
    return bytes.toByteArray();
  }

  private static void install(Storage storage, InputStream stream) throws IOException {
    var _ =
        SnapshotReader.install(
            "member b",
            stream,
            storage,
            new SnapshotReader.Expected(CapturedGroup.ID, geometry, 0),
            () -> false);
  }

  private static Storage node() {
    Storage storage = SimulatedDisk.seeded(1).storage();
    ReplicaNode.create(storage, CapturedGroup.ID, CapturedGroup.OPTIONS);
    return storage;
  }

  @Test
  void forgedSnapshotsAreInstalledOrRefusedWithATypedException() throws IOException {
    int refused = 0;
    for (int run = 0; run < RUNS; run++) {
      Storage storage = node();
      byte[] stream = forgedStream(new SplittableRandom(run));
      try {
        install(storage, new ByteArrayInputStream(stream));
      } catch (IOException | CorruptStoreException | UnsupportedStoreException e) {
        assertThat(e).hasMessageContaining("member b");
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("run " + run, e);
      }
    }
    assertThat(refused).isGreaterThan(RUNS / 3);
  }

  @Test
  void aStreamWithoutAnEndIsRefusedAtItsFirstRepetition() throws IOException {
    Storage storage = node();
    int[] sent = new int[1];
    InputStream endless =
        new InputStream() {
          private byte[] frame = sealed(frames.getFirst().clone(), 0);
          private int at;

          @Override
          public int read() {
            if (at == frame.length) {
              sent[0]++;
              frame = sealed(frames.get(1).clone(), sent[0]);
              at = 0;
            }
            return frame[at++] & 0xFF;
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            for (int i = from; i < from + length; i++) {
              bytes[i] = (byte) read();
            }
            return length;
          }
        };
    assertThatThrownBy(() -> install(storage, endless))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("pages at");
    assertThat(sent[0]).isEqualTo(2);
  }

  @Test
  void theSnapshotOfAnotherGroupIsRefused() {
    Storage storage = node();
    assertThatThrownBy(
            () ->
                SnapshotReader.install(
                    "member b",
                    new ByteArrayInputStream(frames.getFirst()),
                    storage,
                    new SnapshotReader.Expected(new StoreId(7, 7), geometry, 0),
                    () -> false))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("belongs to replica group " + CapturedGroup.ID);
  }
}
