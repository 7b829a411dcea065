package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

final class FailureReasonsTest {

  static final Arguments[] FAILURES = {
    Arguments.of(new ClosedChannelException(), Reason.CLOSED),
    Arguments.of(new ClosedByInterruptException(), Reason.CLOSED),
    Arguments.of(new AsynchronousCloseException(), Reason.CLOSED),
    Arguments.of(new NoSuchFileException("f"), Reason.MISSING),
    Arguments.of(new FileAlreadyExistsException("f"), Reason.EXISTS),
    Arguments.of(new DirectoryNotEmptyException("f"), Reason.EXISTS),
    Arguments.of(new AccessDeniedException("f"), Reason.ACCESS_DENIED),
    Arguments.of(new FileSystemException("f", null, "Read-only file system"), Reason.READ_ONLY),
    Arguments.of(
        new FileSystemException("f", null, "Operation not permitted"), Reason.ACCESS_DENIED),
    Arguments.of(new FileSystemException("f", null, "No space left on device"), Reason.NO_SPACE),
    Arguments.of(new FileSystemException("f", null, null), Reason.IO),
    Arguments.of(new IOException("No space left on device"), Reason.NO_SPACE),
    Arguments.of(new IOException("Disk quota exceeded"), Reason.NO_SPACE),
    Arguments.of(new IOException("File too large"), Reason.FILE_TOO_LARGE),
    Arguments.of(new FileSystemException("f", null, "File name too long"), Reason.NAME_TOO_LONG),
    Arguments.of(new IOException("Input/output error"), Reason.IO),
    Arguments.of(new FileSystemException("f", null, "Too many open files"), Reason.TOO_MANY_FILES),
    Arguments.of(new IOException("Too many open files in system"), Reason.TOO_MANY_FILES),
    Arguments.of(new IOException("Map failed", new OutOfMemoryError()), Reason.NO_MEMORY),
    Arguments.of(new IOException(), Reason.IO),
  };

  @ParameterizedTest
  @FieldSource("FAILURES")
  void failuresThatCallersTreatDifferentlyAreToldApart(IOException failure, Reason reason) {
    assertThat(FailureReasons.of(failure)).isEqualTo(reason);
  }
}
