/** The exported API of the published modules, and what it was when somebody last agreed to it. */
@NullMarked
package io.howdah.cli.api;

import org.jspecify.annotations.NullMarked;
