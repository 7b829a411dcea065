/** People and friendships as persistent objects. */
@NullMarked
package io.howdah.examples.socialgraph;

import org.jspecify.annotations.NullMarked;
