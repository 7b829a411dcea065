package io.howdah.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class StagingMemoryTest {

  @Test
  void buffersAreZerosAndGoneAfterAClose() {
    StagingMemory memory = new StagingMemory();
    ByteBuffer buffer = memory.allocate(100);
    assertThat(buffer.getLong(92)).isZero();
    memory.close();
    assertThatThrownBy(() -> buffer.getLong(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anyThreadUsesBuffersThatAreNotConfined() {
    try (StagingMemory memory = new StagingMemory()) {
      ByteBuffer buffer = memory.allocate(8);
      CompletableFuture.runAsync(() -> buffer.putLong(0, 7)).join();
      assertThat(buffer.getLong(0)).isEqualTo(7);
    }
  }

  @Test
  void confinedBuffersAreForOneThread() {
    try (StagingMemory memory = StagingMemory.confined()) {
      ByteBuffer buffer = memory.allocate(8);
      buffer.putLong(0, 7);
      assertThatThrownBy(() -> CompletableFuture.runAsync(() -> buffer.getLong(0)).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(WrongThreadException.class);
      assertThat(buffer.getLong(0)).isEqualTo(7);
    }
  }
}
