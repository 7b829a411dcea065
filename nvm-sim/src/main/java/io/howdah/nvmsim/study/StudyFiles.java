package io.howdah.nvmsim.study;

import java.io.IOException;
import java.nio.file.Path;

/** Writes the figures and tables of a study. */
@FunctionalInterface
public interface StudyFiles {
  /** Writes into a folder that exists. */
  void write(Path folder) throws IOException;
}
