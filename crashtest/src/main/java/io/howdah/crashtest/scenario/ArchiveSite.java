package io.howdah.crashtest.scenario;

import io.howdah.archive.Archive;
import io.howdah.testkit.crash.CrashMoment;
import java.util.SplittableRandom;

/** Where the archive of a scenario is, as a simulated process reaches it. */
interface ArchiveSite {

  /** Returns the archive there. */
  Archive archive();

  /** Returns how many operations were asked of the site. */
  long operations();

  /** Kills the process that asks for an operation, counted from 1. */
  void crashAtOperation(long number, CrashMoment moment);

  /** Sets whether operations that change something fail. */
  void setAway(boolean away);

  /** The process has ended: chooses what becomes of what it has asked for. */
  void die(SplittableRandom random);
}
