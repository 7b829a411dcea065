/**
 * Crash scenarios: workloads on the simulated disk or in child processes, each with the judgement
 * of what recovery finds. Start at {@link io.howdah.crashtest.scenario.Scenario}.
 */
@NullMarked
package io.howdah.crashtest.scenario;

import org.jspecify.annotations.NullMarked;
