/** The testing campaigns; each is one class, named in {@link io.howdah.cli.test.TestCommand}. */
@NullMarked
package io.howdah.cli.test;

import org.jspecify.annotations.NullMarked;
