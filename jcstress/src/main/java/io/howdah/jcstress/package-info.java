/** Tests of the memory orderings the engine relies on; each outcome is graded with its reason. */
@NullMarked
package io.howdah.jcstress;

import org.jspecify.annotations.NullMarked;
