package io.howdah.cli.serve;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file or a directory cannot be made, in words for an operator. */
final class OutputFileFailure {

  private OutputFileFailure() {}

  static String reason(IOException failure) {
    return switch (failure) {
      case FileAlreadyExistsException _ -> "a file is in its place";
      case NoSuchFileException _ -> "there is no directory for it";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> "the file system refuses it";
    };
  }
}
