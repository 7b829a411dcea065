/** The testing campaigns; each is one class, named in {@link io.howdah.lab.test.TestCommand}. */
@NullMarked
package io.howdah.lab.test;

import org.jspecify.annotations.NullMarked;
