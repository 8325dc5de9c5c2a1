package io.sluicegate.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class QueueServiceGrpc {

  private QueueServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sluicegate.v1.QueueService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ListQueuesRequest,
      io.sluicegate.v1.ListQueuesResponse> getListQueuesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListQueues",
      requestType = io.sluicegate.v1.ListQueuesRequest.class,
      responseType = io.sluicegate.v1.ListQueuesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ListQueuesRequest,
      io.sluicegate.v1.ListQueuesResponse> getListQueuesMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ListQueuesRequest, io.sluicegate.v1.ListQueuesResponse> getListQueuesMethod;
    if ((getListQueuesMethod = QueueServiceGrpc.getListQueuesMethod) == null) {
      synchronized (QueueServiceGrpc.class) {
        if ((getListQueuesMethod = QueueServiceGrpc.getListQueuesMethod) == null) {
          QueueServiceGrpc.getListQueuesMethod = getListQueuesMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ListQueuesRequest, io.sluicegate.v1.ListQueuesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListQueues"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListQueuesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListQueuesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new QueueServiceMethodDescriptorSupplier("ListQueues"))
              .build();
        }
      }
    }
    return getListQueuesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.PauseQueueRequest,
      io.sluicegate.v1.PauseQueueResponse> getPauseQueueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PauseQueue",
      requestType = io.sluicegate.v1.PauseQueueRequest.class,
      responseType = io.sluicegate.v1.PauseQueueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.PauseQueueRequest,
      io.sluicegate.v1.PauseQueueResponse> getPauseQueueMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.PauseQueueRequest, io.sluicegate.v1.PauseQueueResponse> getPauseQueueMethod;
    if ((getPauseQueueMethod = QueueServiceGrpc.getPauseQueueMethod) == null) {
      synchronized (QueueServiceGrpc.class) {
        if ((getPauseQueueMethod = QueueServiceGrpc.getPauseQueueMethod) == null) {
          QueueServiceGrpc.getPauseQueueMethod = getPauseQueueMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.PauseQueueRequest, io.sluicegate.v1.PauseQueueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PauseQueue"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.PauseQueueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.PauseQueueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new QueueServiceMethodDescriptorSupplier("PauseQueue"))
              .build();
        }
      }
    }
    return getPauseQueueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ResumeQueueRequest,
      io.sluicegate.v1.ResumeQueueResponse> getResumeQueueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ResumeQueue",
      requestType = io.sluicegate.v1.ResumeQueueRequest.class,
      responseType = io.sluicegate.v1.ResumeQueueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ResumeQueueRequest,
      io.sluicegate.v1.ResumeQueueResponse> getResumeQueueMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ResumeQueueRequest, io.sluicegate.v1.ResumeQueueResponse> getResumeQueueMethod;
    if ((getResumeQueueMethod = QueueServiceGrpc.getResumeQueueMethod) == null) {
      synchronized (QueueServiceGrpc.class) {
        if ((getResumeQueueMethod = QueueServiceGrpc.getResumeQueueMethod) == null) {
          QueueServiceGrpc.getResumeQueueMethod = getResumeQueueMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ResumeQueueRequest, io.sluicegate.v1.ResumeQueueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ResumeQueue"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ResumeQueueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ResumeQueueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new QueueServiceMethodDescriptorSupplier("ResumeQueue"))
              .build();
        }
      }
    }
    return getResumeQueueMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static QueueServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<QueueServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<QueueServiceStub>() {
        @java.lang.Override
        public QueueServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new QueueServiceStub(channel, callOptions);
        }
      };
    return QueueServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static QueueServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<QueueServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<QueueServiceBlockingV2Stub>() {
        @java.lang.Override
        public QueueServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new QueueServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return QueueServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static QueueServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<QueueServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<QueueServiceBlockingStub>() {
        @java.lang.Override
        public QueueServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new QueueServiceBlockingStub(channel, callOptions);
        }
      };
    return QueueServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static QueueServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<QueueServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<QueueServiceFutureStub>() {
        @java.lang.Override
        public QueueServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new QueueServiceFutureStub(channel, callOptions);
        }
      };
    return QueueServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Shows the queues that have stored jobs or are paused, in the order of their names' bytes.
     * </pre>
     */
    default void listQueues(io.sluicegate.v1.ListQueuesRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListQueuesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListQueuesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Dispatches nothing from a queue until it is resumed; one that nobody has named yet included (semantics 9.4). What is in
     * flight goes on, and jobs may be enqueued. OK for a paused queue.
     * </pre>
     */
    default void pauseQueue(io.sluicegate.v1.PauseQueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.PauseQueueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPauseQueueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Dispatches from a queue again. OK for a queue that isn't paused, or that nobody has named.
     * </pre>
     */
    default void resumeQueue(io.sluicegate.v1.ResumeQueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ResumeQueueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getResumeQueueMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service QueueService.
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public static abstract class QueueServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return QueueServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service QueueService.
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public static final class QueueServiceStub
      extends io.grpc.stub.AbstractAsyncStub<QueueServiceStub> {
    private QueueServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected QueueServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new QueueServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Shows the queues that have stored jobs or are paused, in the order of their names' bytes.
     * </pre>
     */
    public void listQueues(io.sluicegate.v1.ListQueuesRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListQueuesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListQueuesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Dispatches nothing from a queue until it is resumed; one that nobody has named yet included (semantics 9.4). What is in
     * flight goes on, and jobs may be enqueued. OK for a paused queue.
     * </pre>
     */
    public void pauseQueue(io.sluicegate.v1.PauseQueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.PauseQueueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPauseQueueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Dispatches from a queue again. OK for a queue that isn't paused, or that nobody has named.
     * </pre>
     */
    public void resumeQueue(io.sluicegate.v1.ResumeQueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ResumeQueueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getResumeQueueMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service QueueService.
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public static final class QueueServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<QueueServiceBlockingV2Stub> {
    private QueueServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected QueueServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new QueueServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Shows the queues that have stored jobs or are paused, in the order of their names' bytes.
     * </pre>
     */
    public io.sluicegate.v1.ListQueuesResponse listQueues(io.sluicegate.v1.ListQueuesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListQueuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Dispatches nothing from a queue until it is resumed; one that nobody has named yet included (semantics 9.4). What is in
     * flight goes on, and jobs may be enqueued. OK for a paused queue.
     * </pre>
     */
    public io.sluicegate.v1.PauseQueueResponse pauseQueue(io.sluicegate.v1.PauseQueueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPauseQueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Dispatches from a queue again. OK for a queue that isn't paused, or that nobody has named.
     * </pre>
     */
    public io.sluicegate.v1.ResumeQueueResponse resumeQueue(io.sluicegate.v1.ResumeQueueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getResumeQueueMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service QueueService.
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public static final class QueueServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<QueueServiceBlockingStub> {
    private QueueServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected QueueServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new QueueServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Shows the queues that have stored jobs or are paused, in the order of their names' bytes.
     * </pre>
     */
    public io.sluicegate.v1.ListQueuesResponse listQueues(io.sluicegate.v1.ListQueuesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListQueuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Dispatches nothing from a queue until it is resumed; one that nobody has named yet included (semantics 9.4). What is in
     * flight goes on, and jobs may be enqueued. OK for a paused queue.
     * </pre>
     */
    public io.sluicegate.v1.PauseQueueResponse pauseQueue(io.sluicegate.v1.PauseQueueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPauseQueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Dispatches from a queue again. OK for a queue that isn't paused, or that nobody has named.
     * </pre>
     */
    public io.sluicegate.v1.ResumeQueueResponse resumeQueue(io.sluicegate.v1.ResumeQueueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getResumeQueueMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service QueueService.
   * <pre>
   * Shows, pauses and resumes queues. A queue needs no creating: it exists as soon as a job names it.
   * </pre>
   */
  public static final class QueueServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<QueueServiceFutureStub> {
    private QueueServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected QueueServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new QueueServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Shows the queues that have stored jobs or are paused, in the order of their names' bytes.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ListQueuesResponse> listQueues(
        io.sluicegate.v1.ListQueuesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListQueuesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Dispatches nothing from a queue until it is resumed; one that nobody has named yet included (semantics 9.4). What is in
     * flight goes on, and jobs may be enqueued. OK for a paused queue.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.PauseQueueResponse> pauseQueue(
        io.sluicegate.v1.PauseQueueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPauseQueueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Dispatches from a queue again. OK for a queue that isn't paused, or that nobody has named.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ResumeQueueResponse> resumeQueue(
        io.sluicegate.v1.ResumeQueueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getResumeQueueMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_LIST_QUEUES = 0;
  private static final int METHODID_PAUSE_QUEUE = 1;
  private static final int METHODID_RESUME_QUEUE = 2;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_LIST_QUEUES:
          serviceImpl.listQueues((io.sluicegate.v1.ListQueuesRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ListQueuesResponse>) responseObserver);
          break;
        case METHODID_PAUSE_QUEUE:
          serviceImpl.pauseQueue((io.sluicegate.v1.PauseQueueRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.PauseQueueResponse>) responseObserver);
          break;
        case METHODID_RESUME_QUEUE:
          serviceImpl.resumeQueue((io.sluicegate.v1.ResumeQueueRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ResumeQueueResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getListQueuesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ListQueuesRequest,
              io.sluicegate.v1.ListQueuesResponse>(
                service, METHODID_LIST_QUEUES)))
        .addMethod(
          getPauseQueueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.PauseQueueRequest,
              io.sluicegate.v1.PauseQueueResponse>(
                service, METHODID_PAUSE_QUEUE)))
        .addMethod(
          getResumeQueueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ResumeQueueRequest,
              io.sluicegate.v1.ResumeQueueResponse>(
                service, METHODID_RESUME_QUEUE)))
        .build();
  }

  private static abstract class QueueServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    QueueServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.sluicegate.v1.QueueServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("QueueService");
    }
  }

  private static final class QueueServiceFileDescriptorSupplier
      extends QueueServiceBaseDescriptorSupplier {
    QueueServiceFileDescriptorSupplier() {}
  }

  private static final class QueueServiceMethodDescriptorSupplier
      extends QueueServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    QueueServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (QueueServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new QueueServiceFileDescriptorSupplier())
              .addMethod(getListQueuesMethod())
              .addMethod(getPauseQueueMethod())
              .addMethod(getResumeQueueMethod())
              .build();
        }
      }
    }
    return result;
  }
}
