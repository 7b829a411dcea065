/**
 * The JSON object that a command writes with {@code --json}. Start at {@link
 * io.howdah.cli.json.JsonOption}; a command that measures collects its figures in a {@link
 * io.howdah.cli.json.MetricsRun}.
 */
@NullMarked
package io.howdah.cli.json;

import org.jspecify.annotations.NullMarked;
