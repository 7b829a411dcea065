/**
 * What tells others how the server is: metrics for Prometheus, and states for a service manager.
 */
@NullMarked
package io.howdah.server.monitor;

import org.jspecify.annotations.NullMarked;
