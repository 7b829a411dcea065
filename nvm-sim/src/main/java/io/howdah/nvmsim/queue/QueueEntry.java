package io.howdah.nvmsim.queue;

/**
 * Which insert a record came from.
 *
 * @param thread the inserting thread
 * @param operation its insert, counted from 0
 */
public record QueueEntry(int thread, long operation) {}
