package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is forced before Ratis reads its log; {@link RatisConsensusTest} has torn and damaged logs.
 */
class RaftLogGuardTest {

  private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
  private static final int FORMER_BYTES = 32;
  private static final int LAST_BYTES = 64;

  @TempDir private Path directory;

  private Path segment(String name, int length, byte... behindTheHeader) throws IOException {
    byte[] bytes = Arrays.copyOf(HEADER, length);
    System.arraycopy(behindTheHeader, 0, bytes, HEADER.length, behindTheHeader.length);
    return Files.write(directory.resolve(name), bytes);
  }

  private List<byte[]> forced() {
    List<byte[]> forced = new ArrayList<>();
    RaftLogGuard.check(directory, 1 << 20, channel -> forced.add(contents(channel)));
    return forced;
  }

  private static byte[] contents(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
      // Reads on.
    }
    return bytes.array();
  }

  @Test
  void theLastSegmentIsForcedThoughNothingInItIsTorn() throws IOException {
    segment("log_0-3", FORMER_BYTES);
    Path last = segment("log_inprogress_4", LAST_BYTES);
    assertThat(forced()).containsExactly(Files.readAllBytes(last));
  }

  @Test
  void aTornEntryIsGoneBeforeTheForce() throws IOException {
    segment("log_inprogress_0", LAST_BYTES, (byte) 20, (byte) 8, (byte) 5);
    assertThat(forced()).containsExactly(Arrays.copyOf(HEADER, LAST_BYTES));
  }

  @Test
  void aLogWithoutSegmentsIsForcedNowhere() {
    assertThat(forced()).isEmpty();
  }
}
