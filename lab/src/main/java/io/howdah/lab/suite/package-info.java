/**
 * Runs memcached's own test suite against this server. Start with {@link
 * io.howdah.lab.suite.SuiteFolder}, which makes the two programs that the suite calls, and runs its
 * files one at a time. The suite itself is not part of this project: whoever runs it names the
 * folder of memcached's sources.
 */
@NullMarked
package io.howdah.lab.suite;

import org.jspecify.annotations.NullMarked;
