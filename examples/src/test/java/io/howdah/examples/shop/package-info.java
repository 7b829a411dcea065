/** What the shop promises, refuses, and keeps when it is killed. */
@NullMarked
package io.howdah.examples.shop;

import org.jspecify.annotations.NullMarked;
