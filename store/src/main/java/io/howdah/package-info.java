/**
 * The store, and what its methods take and return.
 *
 * <p>Start reading at {@link io.howdah.Store}. It is for any number of threads, platform or
 * virtual.
 */
@NullMarked
package io.howdah;

import org.jspecify.annotations.NullMarked;
