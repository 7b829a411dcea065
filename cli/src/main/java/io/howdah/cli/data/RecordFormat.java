package io.howdah.cli.data;

/** How records stand in a text file. */
enum RecordFormat {
  /** Fields between commas, in double quotes where they hold commas, quotes or line ends. */
  CSV(','),
  /** Fields between tabs. */
  TSV('\t'),
  /** A JSON object on each line. */
  JSONL('\0');

  private final char separator;

  RecordFormat(char separator) {
    this.separator = separator;
  }

  char separator() {
    return separator;
  }
}
