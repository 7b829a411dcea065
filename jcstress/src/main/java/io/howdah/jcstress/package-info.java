/**
 * Tests of the memory orderings the engine relies on; each outcome is graded with its reason. They
 * stand in the packages of what they test, {@code io.howdah.log} and {@code io.howdah.txn}, to
 * reach what those keep to themselves; README.md lists them.
 */
@NullMarked
package io.howdah.jcstress;

import org.jspecify.annotations.NullMarked;
