/**
 * The server through clients that people use. The server runs in processes of its own; nothing of
 * it is on the class path of these tests.
 */
@NullMarked
package io.howdah.clients;

import org.jspecify.annotations.NullMarked;
