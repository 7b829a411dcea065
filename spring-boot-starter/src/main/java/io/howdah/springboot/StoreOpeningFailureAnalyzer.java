package io.howdah.springboot;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StoreLockedException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in the first line why a store was not opened, and below what to do. */
final class StoreOpeningFailureAnalyzer extends AbstractFailureAnalyzer<StoreOpeningException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, StoreOpeningException failure) {
    return new FailureAnalysis(String.valueOf(failure.getMessage()), action(failure), failure);
  }

  private static String action(StoreOpeningException failure) {
    String directory = HowdahProperties.name(failure.store(), "directory");
    return switch (failure.getCause()) {
      case StoreLockedException _ ->
          "End the process that has the store open, or give this application a directory of its own"
              + " by "
              + directory
              + ". One process has a store open at a time, so a rolling update has to end the old"
              + " instance before the new one starts.";
      case CorruptStoreException _ ->
          "Keep a copy of the directory. \"howdah verify\" names what is damaged; restore a backup"
              + " or the archive.";
      case UnsupportedStoreException _ ->
          "Name another directory by " + directory + ", or do what the description says.";
      case StorageException _ ->
          "Check the rights and the space of the directory that " + directory + " names.";
      case null, default -> "Do what the description says.";
    };
  }
}
