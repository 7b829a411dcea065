package io.howdah.core.report;

import jdk.jfr.FlightRecorder;

/**
 * Whether anybody may see an event of JDK Flight Recorder. The first event class of a process costs
 * tens of milliseconds of processor time, so Howdah makes no event before a recorder was started.
 */
public final class FlightRecording {

  private FlightRecording() {}

  /** Returns whether a recorder was started in this process, by a flag, jcmd or a program. */
  public static boolean isOn() {
    return FlightRecorder.isInitialized();
  }
}
