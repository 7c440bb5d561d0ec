package io.mainstem.launcher.lifecycle;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * SIGTERM and SIGINT: the first asks for a clean stop, the second ends the process at once.
 *
 * <p>A shutdown hook cannot do that: the JVM then returns 143 instead of 0 and ignores a second signal. So the signal
 * handler of the module {@code jdk.unsupported} is used, by reflection because javac's warning about it cannot be
 * switched off.
 */
public final class StopSignals {
    private static final int SIGNAL_EXIT_BASE = 128;

    private StopSignals() {}

    /**
     * Installs the handlers.
     *
     * @param first called once, on its own thread, for the first signal
     * @param second called with the exit code (128 + signal number) for any later one, on the signal thread
     */
    public static void install(Runnable first, IntConsumer second) {
        AtomicBoolean asked = new AtomicBoolean();
        IntConsumer onSignal = number -> {
            if (asked.compareAndSet(false, true)) {
                new Thread(first, "mainstem-stop").start();
            } else {
                second.accept(SIGNAL_EXIT_BASE + number);
            }
        };
        handle("TERM", onSignal);
        handle("INT", onSignal);
    }

    private static void handle(String name, IntConsumer onSignal) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = (int) signalType.getMethod("getNumber").invoke(signal);
            InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    onSignal.accept(number);
                    yield null;
                }
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "stop signal handler " + name;
            };
            Object proxy = Proxy.newProxyInstance(handlerType.getClassLoader(), new Class<?>[] {handlerType}, handler);
            signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, proxy);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no signal handling for SIG" + name, e);
        }
    }
}
