package io.howdah.testkit;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
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

/** Gives a {@link CrashTest} method its invocations, one by one. */
final class CrashTestExtension implements TestTemplateInvocationContextProvider {

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return context.getRequiredTestMethod().isAnnotationPresent(CrashTest.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    CrashTestRun run =
        new CrashTestRun(context.getRequiredTestMethod().getAnnotation(CrashTest.class));
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
          || type == SimulatedExecution.class;
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
