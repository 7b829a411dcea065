package io.howdah.server.net;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read or made, in words for an operator. */
final class FileFailure {

  private FileFailure() {}

  /**
   * Returns the reason.
   *
   * @param missing what is said of a file that is not there
   */
  static String reason(IOException failure, String missing) {
    return switch (failure) {
      case NoSuchFileException _ -> missing;
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      case CharacterCodingException _ -> "it is no text in UTF-8";
      default -> String.valueOf(failure.getMessage());
    };
  }
}
