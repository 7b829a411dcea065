package io.howdah.jmh.inlining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordingFile;

/**
 * Listens to the just-in-time compiler of this JVM: events {@code jdk.Compilation} and {@code
 * jdk.CompilerInlining} of Flight Recorder. It sees only what is compiled from its creation on. For
 * one thread.
 */
final class CompilerLog implements AutoCloseable {

  /** The optimising compiler's level in the JVM's tiers. */
  private static final int OPTIMISED = 4;

  private static final String COMPILATION = "jdk.Compilation";
  private static final String INLINING = "jdk.CompilerInlining";
  private static final String ID = "compileId";

  private final Recording recording = new Recording();

  CompilerLog() {
    recording.enable(COMPILATION).withThreshold(Duration.ZERO);
    recording.enable(INLINING);
    recording.start();
  }

  /**
   * A method that was compiled, as it runs now.
   *
   * @param codeBytes of machine code
   */
  record Unit(String name, long codeBytes, List<Decision> decisions) {}

  /**
   * Returns the newest optimised code of each method. Code for a loop that was running already
   * ("on-stack replacement") does not count: it runs once.
   *
   * @param folder for a file of some megabytes, which is deleted again
   */
  List<Unit> units(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "compiler", ".jfr");
    try {
      recording.dump(file);
      return units(RecordingFile.readAllEvents(file));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static List<Unit> units(List<RecordedEvent> events) {
    Map<String, RecordedEvent> newest = new TreeMap<>();
    Map<Integer, List<RecordedEvent>> inlining = new HashMap<>();
    for (RecordedEvent event : events) {
      switch (event.getEventType().getName()) {
        case INLINING ->
            inlining.computeIfAbsent(event.getInt(ID), _ -> new ArrayList<>()).add(event);
        case COMPILATION -> {
          if (isOptimised(event)) {
            newest.merge(signature(event), event, (a, b) -> a.getInt(ID) > b.getInt(ID) ? a : b);
          }
        }
        default -> {} // an event of the store
      }
    }
    List<Unit> units = new ArrayList<>();
    for (RecordedEvent compiled : newest.values()) {
      RecordedMethod method = compiled.getValue("method");
      String name = name(method.getType().getName(), method.getName());
      List<Decision> decisions =
          inlining.getOrDefault(compiled.getInt(ID), List.of()).stream()
              .map(event -> decision(name, event))
              .toList();
      units.add(new Unit(name, compiled.getLong("codeSize"), decisions));
    }
    return units;
  }

  private static boolean isOptimised(RecordedEvent compilation) {
    return compilation.getShort("compileLevel") == OPTIMISED
        && !compilation.getBoolean("isOsr")
        && compilation.getBoolean("succeded"); // the JVM's own spelling
  }

  private static String signature(RecordedEvent compilation) {
    RecordedMethod method = compilation.getValue("method");
    return method.getType().getName() + "." + method.getName() + method.getDescriptor();
  }

  private static Decision decision(String unit, RecordedEvent event) {
    RecordedMethod caller = event.getValue("caller");
    RecordedObject callee = event.getValue("callee");
    return new Decision(
        unit,
        name(caller.getType().getName(), caller.getName()),
        name(callee.getString("type"), callee.getString("name")),
        event.getBoolean("succeeded"),
        event.getString("message"));
  }

  private static String name(String type, String method) {
    int simple = Math.max(type.lastIndexOf('/'), type.lastIndexOf('.')) + 1;
    return type.substring(simple) + "." + method;
  }

  @Override
  public void close() {
    recording.close();
  }
}
