package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

final class FileFailureTest {

  private static String reason(IOException failure) {
    return FileFailure.reason(failure, "missing");
  }

  @Test
  void theReasonIsSaidWithoutTheNameOfTheFile() {
    assertThat(reason(new NoSuchFileException("f"))).isEqualTo("missing");
    assertThat(reason(new AccessDeniedException("f"))).isEqualTo("permission denied");
    assertThat(reason(new FileSystemException("f", null, "Is a directory")))
        .isEqualTo("Is a directory");
    assertThat(reason(new MalformedInputException(1))).isEqualTo("it is no text in UTF-8");
  }

  @Test
  void aFailureThatIsNotKnownSaysItself() {
    assertThat(reason(new FileSystemException("f"))).isEqualTo("f");
    assertThat(reason(new IOException("Input/output error"))).isEqualTo("Input/output error");
    assertThat(reason(new IOException())).isEqualTo("null");
  }
}
