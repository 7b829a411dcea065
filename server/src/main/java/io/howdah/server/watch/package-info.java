/**
 * What clients are told that ask for it with {@code watch}. Start with {@link
 * io.howdah.server.watch.Watchers}. An event costs one read of a field while nobody watches. A
 * watcher has a buffer of limited size; what finds no room in it is counted and dropped, so nobody
 * waits for a watcher.
 */
@NullMarked
package io.howdah.server.watch;

import org.jspecify.annotations.NullMarked;
