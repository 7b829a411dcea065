/**
 * Test doubles that crash: a simulated disk which loses, tears and reorders whatever no force
 * covered, and a deterministic scheduler, both driven by one seed. For our tests and for a user's
 * own.
 */
@NullMarked
package io.howdah.testkit;

import org.jspecify.annotations.NullMarked;
