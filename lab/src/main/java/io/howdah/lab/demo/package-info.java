/**
 * The command {@code howdah demo}: it shows a run of kills and recoveries in the terminal. The run
 * itself is in {@link io.howdah.crashtest.kill}. Start reading at {@link
 * io.howdah.lab.demo.CrashRunCommand}, which {@code howdah test kill} uses, too.
 */
@NullMarked
package io.howdah.lab.demo;

import org.jspecify.annotations.NullMarked;
