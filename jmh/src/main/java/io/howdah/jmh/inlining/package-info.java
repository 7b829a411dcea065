/**
 * Which calls the just-in-time compiler leaves in the hot paths, as the JVM's Flight Recorder tells
 * it.
 */
@NullMarked
package io.howdah.jmh.inlining;

import org.jspecify.annotations.NullMarked;
