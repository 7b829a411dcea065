package io.howdah.testkit;

/**
 * What a {@link CrashExplorer} went through.
 *
 * @param points moments at which the work died
 * @param states disks that were recovered and checked
 * @param crashesInRecovery how many of those had died in a recovery before
 * @param exhaustive whether no point of the work and no legal state of a point was left out
 */
public record CrashReport(long points, long states, long crashesInRecovery, boolean exhaustive) {}
