/** A store on several machines. An experiment: docs/replica.md says what there is. */
@NullMarked
package io.howdah.replica;

import org.jspecify.annotations.NullMarked;
