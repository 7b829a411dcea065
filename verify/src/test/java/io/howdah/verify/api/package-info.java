/** The exported API of the published modules, and what it was when somebody last agreed to it. */
@NullMarked
package io.howdah.verify.api;

import org.jspecify.annotations.NullMarked;
