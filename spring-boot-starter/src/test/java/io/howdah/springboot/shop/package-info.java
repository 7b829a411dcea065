/** An application as a user writes it. */
@NullMarked
package io.howdah.springboot.shop;

import org.jspecify.annotations.NullMarked;
