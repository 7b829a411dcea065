package io.howdah.log.flush;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What a flight recording is told while an action runs. */
final class FlightRecords {

  private FlightRecords() {}

  /** Returns the events of a name, in the order in which they were told. */
  static List<RecordedEvent> of(String name, Runnable action) {
    try (Recording recording = new Recording()) {
      recording.enable(name).withoutThreshold().withoutStackTrace();
      recording.start();
      action.run();
      recording.stop();
      Path file = Files.createTempFile("events", ".jfr");
      try {
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(name))
            .sorted((a, b) -> a.getEndTime().compareTo(b.getEndTime()))
            .toList();
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
