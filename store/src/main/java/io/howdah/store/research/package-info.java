/**
 * Switches that make a store work as others do, for Howdah's own benchmarks, crash tests and
 * studies. Not exported: no part of the API.
 *
 * <p>Start reading at {@link io.howdah.store.research.Research}.
 */
@NullMarked
package io.howdah.store.research;

import org.jspecify.annotations.NullMarked;
