/**
 * The store, and what its methods take and return.
 *
 * <p>Start reading at {@link io.howdah.Store}. It is for any number of threads, platform or
 * virtual.
 *
 * <p>A new figure of an open store is a row in the table of {@link io.howdah.StoreFigure}; its
 * value comes from {@link io.howdah.StoreStats} or one of its siblings. The bean of JMX, {@code
 * howdah stat}, the meters of Micrometer and the metrics of the server take it from there, and
 * {@code docs/operating.md} documents it.
 */
@NullMarked
package io.howdah;

import org.jspecify.annotations.NullMarked;
