package io.mainstem.amqp.v1;

import java.util.concurrent.Executor;

/**
 * The event loop of something that can move to another one. Whoever moves it sees to it that nothing is under way whose
 * order matters: tasks that are on their way to the old loop follow it. Thread: any.
 */
final class MovableExecutor implements Executor {
    private volatile Executor target;

    MovableExecutor(Executor first) {
        this.target = first;
    }

    @Override
    public void execute(Runnable task) {
        Executor now = target;
        now.execute(() -> {
            if (target == now) {
                task.run();
            } else {
                execute(task);
            }
        });
    }

    void moveTo(Executor next) {
        target = next;
    }
}
