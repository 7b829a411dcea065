/** Apache Ratis behind the port of a replica group. */
@NullMarked
package io.howdah.replica.ratis;

import org.jspecify.annotations.NullMarked;
