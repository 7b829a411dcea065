package io.howdah.store.archive;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The digests of a former base, where its place fails. */
final class BaseDigestsTest {

  @Test
  void anOpeningThatFailsFreesItsBuffers() {
    AtomicReference<ByteBuffer> used = new AtomicReference<>();
    ArchiveTarget target =
        (ArchiveTarget)
            Proxy.newProxyInstance(
                ArchiveTarget.class.getClassLoader(),
                new Class<?>[] {ArchiveTarget.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("read")) {
                    used.set((ByteBuffer) arguments[2]);
                  }
                  throw new IllegalArgumentException("the place is gone");
                });
    Archive archive = Archive.to(Path.of("unused"), Duration.ofSeconds(1));
    try (PayloadCoding coding = new PayloadCoding(archive)) {
      assertThatThrownBy(() -> new BaseDigests(target, "base", 4096, coding))
          .hasMessage("the place is gone");
    }
    ByteBuffer buffer = Objects.requireNonNull(used.get());
    assertThatThrownBy(() -> buffer.get(0)).isInstanceOf(IllegalStateException.class);
  }
}
