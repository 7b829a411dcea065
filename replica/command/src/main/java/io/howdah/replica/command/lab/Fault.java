package io.howdah.replica.command.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What is done to a group. */
enum Fault {
  KILL("killed"),
  CUT_OFF("cut off"),
  MUTE("cannot send"),
  DEAF("cannot receive"),
  FOLLOWER_CUT_OFF("cut off"),
  FOLLOWER_MUTE("cannot send to"),
  PAUSE("stands still"),
  TRANSFER("hands over to");

  private static final List<Fault> PARTITIONS =
      List.of(CUT_OFF, MUTE, DEAF, FOLLOWER_CUT_OFF, FOLLOWER_MUTE);

  private final String text;

  Fault(String text) {
    this.text = text;
  }

  /** Returns what is said of a member. */
  String text() {
    return text;
  }

  boolean isPartition() {
    return PARTITIONS.contains(this);
  }

  /** Returns whether it has an end, until which it goes on for a while. */
  boolean lasts() {
    return this == PAUSE || isPartition();
  }

  /** Returns whether another member has to lead. */
  boolean needsOtherLeader() {
    return this != FOLLOWER_CUT_OFF && this != FOLLOWER_MUTE;
  }

  /** Returns faults in random order; partitions of all kinds, as far as there are enough. */
  static List<Fault> plan(int kills, int partitions, int pauses, long seed) {
    List<Fault> plan = new ArrayList<>();
    plan.addAll(Collections.nCopies(kills, KILL));
    plan.addAll(Collections.nCopies(pauses, PAUSE));
    for (int i = 0; i < partitions; i++) {
      plan.add(PARTITIONS.get(i % PARTITIONS.size()));
    }
    Collections.shuffle(plan, new Random(seed));
    return plan;
  }
}
