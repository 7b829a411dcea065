/** What a JVM that judges is given: sources compiled for it, and its class path. */
@NullMarked
package io.howdah.crashtest.process;

import org.jspecify.annotations.NullMarked;
