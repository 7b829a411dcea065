/** An application as a user writes it. */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
