/**
 * Mutation testing of the engine with pitest. Start at {@link
 * io.howdah.crashtest.mutate.MutationRun}.
 */
@NullMarked
package io.howdah.crashtest.mutate;

import org.jspecify.annotations.NullMarked;
