package io.sluicegate.client;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.sluicegate.client.error.SluicegateException;
import io.sluicegate.v1.BudgetServiceGrpc;
import io.sluicegate.v1.JobServiceGrpc;
import io.sluicegate.v1.QueueServiceGrpc;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** How calls are made: their stubs, their deadline, their errors. Knows none of them by name. */
final class Calls {
    private final ManagedChannel connection;
    private final Channel channel;
    private final Duration timeout;

    /**
     * Calls on this channel.
     *
     * @param timeout how long a unary call may take; null: as long as it does.
     */
    Calls(ManagedChannel channel, Duration timeout) {
        connection = channel;
        this.channel = ClientInterceptors.intercept(channel, new ConnectAnew(channel));
        this.timeout = timeout;
    }

    BudgetServiceGrpc.BudgetServiceBlockingStub budgets() {
        return bounded(BudgetServiceGrpc.newBlockingStub(channel));
    }

    JobServiceGrpc.JobServiceBlockingStub jobs() {
        return bounded(JobServiceGrpc.newBlockingStub(channel));
    }

    JobServiceGrpc.JobServiceFutureStub jobsAsync() {
        return bounded(JobServiceGrpc.newFutureStub(channel));
    }

    QueueServiceGrpc.QueueServiceBlockingStub queues() {
        return bounded(QueueServiceGrpc.newBlockingStub(channel));
    }

    /** For streams: without a deadline. */
    JobServiceGrpc.JobServiceStub stream() {
        return JobServiceGrpc.newStub(channel);
    }

    /** Lets what comes next open a connection: the one there is may be dead. What is under way on it goes on. */
    void connectAnew() {
        connection.enterIdle();
    }

    <Q, A> A call(Function<Q, A> method, Q request) {
        try {
            return method.apply(request);
        } catch (StatusRuntimeException error) {
            throw SluicegateException.from(error);
        }
    }

    <Q, W, A> CompletableFuture<A> callAsync(Function<Q, ListenableFuture<W>> method, Q request, Function<W, A> convert) {
        ListenableFuture<W> call = method.apply(request);
        CompletableFuture<A> answer = new CompletableFuture<>();
        answer.whenComplete((done, error) -> {
            if (answer.isCancelled()) {
                call.cancel(true);
            }
        });
        FutureCallback<W> complete = new FutureCallback<>() {
            @Override
            public void onSuccess(W wire) {
                answer.complete(convert.apply(wire));
            }

            @Override
            public void onFailure(Throwable error) {
                answer.completeExceptionally(SluicegateException.from(error));
            }
        };
        Futures.addCallback(call, complete, MoreExecutors.directExecutor());
        return answer;
    }

    private <S extends AbstractStub<S>> S bounded(S stub) {
        return timeout == null ? stub : stub.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Lets each call try to connect. A channel that couldn't fails its calls at once until its own backoff of up to two minutes is
     * over, long after the server may have come back; how often to try is for callers to say.
     */
    private record ConnectAnew(ManagedChannel channel) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
                channel.enterIdle();
            }
            return next.newCall(method, options);
        }
    }
}
