/** JVMs that are made to be killed, and what is tidied up when this one ends early. */
@NullMarked
package io.howdah.crashtest.process;

import org.jspecify.annotations.NullMarked;
