package io.howdah.core.report;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A store has stopped after a failure: it refuses all transactions until it is opened again. */
@Name("io.howdah.StoreStopped")
@Label("Store Stopped")
@Category("Howdah")
@StackTrace(false)
public final class StoreStoppedEvent extends Event {

  @Label("Cause")
  private final String cause;

  private StoreStoppedEvent(Throwable cause) {
    this.cause = cause.toString();
  }

  /**
   * Records that a store has stopped, if there is a recorder, memory and stack for it. Throws
   * nothing: the store stops all the same.
   */
  @SuppressWarnings("EmptyCatch") // said above
  public static void record(Throwable cause) {
    try {
      if (FlightRecording.isOn()) {
        new StoreStoppedEvent(cause).commit();
      }
    } catch (Throwable t) {
      // Neither memory nor stack may be left; that may be why the store has stopped.
    }
  }

  /** Returns why the store has stopped. */
  public String cause() {
    return cause;
  }
}
