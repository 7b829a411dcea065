package io.howdah.testkit;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** Gives a {@link CrashTest} method its invocations, one by one. */
final class CrashTestExtension implements TestTemplateInvocationContextProvider {

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getRequiredTestMethod(), CrashTest.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    CrashTestRun run =
        new CrashTestRun(
            AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), CrashTest.class)
                .orElseThrow());
    String wanted = System.getProperty(CrashReplay.PROPERTY, "");
    if (!wanted.isEmpty()) {
      return Stream.of(new Invocation(run.only(CrashReplay.parse(wanted))));
    }
    // The stream is read as the tests run: each is over before the next one is asked for.
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(run, Spliterator.ORDERED), false)
        .map(Invocation::new);
  }

  /** One crash. */
  private static final class Invocation
      implements TestTemplateInvocationContext, ParameterResolver, AfterTestExecutionCallback {

    private final CrashControl control;

    Invocation(CrashControl control) {
      this.control = control;
    }

    @Override
    public String getDisplayName(int invocationIndex) {
      return "[" + invocationIndex + "] " + control.describe();
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == CrashControl.class
          || type == Storage.class
          || type == SimulatedDisk.class
          || type == Execution.class
          || type == SimulatedExecution.class
          || constructor(type).isPresent();
    }

    /** Returns how to make a parameter of a type that the extension does not know. */
    private static Optional<Constructor<?>> constructor(Class<?> type) {
      return Arrays.<Constructor<?>>stream(type.getConstructors())
          .filter(each -> List.of(each.getParameterTypes()).equals(List.of(CrashControl.class)))
          .findFirst();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      Machine machine = control.machine();
      if (type == CrashControl.class) {
        return control;
      }
      if (type == Storage.class) {
        return machine.storage();
      }
      Optional<Constructor<?>> constructor = constructor(type);
      if (constructor.isPresent()) {
        return ReflectionSupport.newInstance(type, control);
      }
      return type == SimulatedDisk.class ? machine.disk() : machine.execution();
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
      if (context.getExecutionException().isEmpty()) {
        control.requireChecked();
      }
    }
  }
}
