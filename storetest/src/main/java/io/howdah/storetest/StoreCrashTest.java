package io.howdah.storetest;

import io.howdah.testkit.CrashTest;
import io.howdah.testkit.crash.CrashUnit;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A JUnit test of a service on a store, for JUnit 5.13 and 6: the service dies at some forty
 * moments of its work, by kills and power cuts; after each the store is opened again, and what the
 * service has promised is checked.
 *
 * <pre>{@code
 * @StoreCrashTest
 * void coinsAreNeitherMadeNorLost(StoreCrash crash) {
 *   long[] moved = {0};
 *   crash.prepare(store -> new Wallet(store).open(100));
 *   crash.run(store -> {
 *     new Wallet(store).move(10);
 *     moved[0] += 10; // only now is it promised
 *   });
 *   crash.check(store -> {
 *     Wallet wallet = new Wallet(store);
 *     assertThat(wallet.left() + wallet.right()).isEqualTo(100);
 *     assertThat(wallet.right()).isGreaterThanOrEqualTo(moved[0]);
 *   });
 * }
 * }</pre>
 *
 * <p>Each moment is one run of the method: {@link CrashTest} with 40 points, 4 states after a power
 * cut, and a disk that keeps or loses 512 bytes at a time. For others, and to let recoveries die as
 * well, write {@code @CrashTest(...)} with a parameter {@link StoreCrash}, and at least {@code
 * preemptOneIn = 1}, since a store has threads. A failure's message says how to repeat that crash
 * alone.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@CrashTest(units = CrashUnit.SECTOR, points = 40, states = 4, recoveryPoints = 0, preemptOneIn = 8)
public @interface StoreCrashTest {}
