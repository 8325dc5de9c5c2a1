package io.sluicegate.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
 * effect at once and ends no lease (semantics 7.2).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class BudgetServiceGrpc {

  private BudgetServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sluicegate.v1.BudgetService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.CreateBudgetRequest,
      io.sluicegate.v1.CreateBudgetResponse> getCreateBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateBudget",
      requestType = io.sluicegate.v1.CreateBudgetRequest.class,
      responseType = io.sluicegate.v1.CreateBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.CreateBudgetRequest,
      io.sluicegate.v1.CreateBudgetResponse> getCreateBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.CreateBudgetRequest, io.sluicegate.v1.CreateBudgetResponse> getCreateBudgetMethod;
    if ((getCreateBudgetMethod = BudgetServiceGrpc.getCreateBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getCreateBudgetMethod = BudgetServiceGrpc.getCreateBudgetMethod) == null) {
          BudgetServiceGrpc.getCreateBudgetMethod = getCreateBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.CreateBudgetRequest, io.sluicegate.v1.CreateBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CreateBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CreateBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("CreateBudget"))
              .build();
        }
      }
    }
    return getCreateBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ReplaceBudgetRequest,
      io.sluicegate.v1.ReplaceBudgetResponse> getReplaceBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReplaceBudget",
      requestType = io.sluicegate.v1.ReplaceBudgetRequest.class,
      responseType = io.sluicegate.v1.ReplaceBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ReplaceBudgetRequest,
      io.sluicegate.v1.ReplaceBudgetResponse> getReplaceBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ReplaceBudgetRequest, io.sluicegate.v1.ReplaceBudgetResponse> getReplaceBudgetMethod;
    if ((getReplaceBudgetMethod = BudgetServiceGrpc.getReplaceBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getReplaceBudgetMethod = BudgetServiceGrpc.getReplaceBudgetMethod) == null) {
          BudgetServiceGrpc.getReplaceBudgetMethod = getReplaceBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ReplaceBudgetRequest, io.sluicegate.v1.ReplaceBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReplaceBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ReplaceBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ReplaceBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("ReplaceBudget"))
              .build();
        }
      }
    }
    return getReplaceBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateBudgetRequest,
      io.sluicegate.v1.UpdateBudgetResponse> getUpdateBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateBudget",
      requestType = io.sluicegate.v1.UpdateBudgetRequest.class,
      responseType = io.sluicegate.v1.UpdateBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateBudgetRequest,
      io.sluicegate.v1.UpdateBudgetResponse> getUpdateBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateBudgetRequest, io.sluicegate.v1.UpdateBudgetResponse> getUpdateBudgetMethod;
    if ((getUpdateBudgetMethod = BudgetServiceGrpc.getUpdateBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getUpdateBudgetMethod = BudgetServiceGrpc.getUpdateBudgetMethod) == null) {
          BudgetServiceGrpc.getUpdateBudgetMethod = getUpdateBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.UpdateBudgetRequest, io.sluicegate.v1.UpdateBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UpdateBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UpdateBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("UpdateBudget"))
              .build();
        }
      }
    }
    return getUpdateBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.GetBudgetRequest,
      io.sluicegate.v1.GetBudgetResponse> getGetBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetBudget",
      requestType = io.sluicegate.v1.GetBudgetRequest.class,
      responseType = io.sluicegate.v1.GetBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.GetBudgetRequest,
      io.sluicegate.v1.GetBudgetResponse> getGetBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.GetBudgetRequest, io.sluicegate.v1.GetBudgetResponse> getGetBudgetMethod;
    if ((getGetBudgetMethod = BudgetServiceGrpc.getGetBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getGetBudgetMethod = BudgetServiceGrpc.getGetBudgetMethod) == null) {
          BudgetServiceGrpc.getGetBudgetMethod = getGetBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.GetBudgetRequest, io.sluicegate.v1.GetBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.GetBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.GetBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("GetBudget"))
              .build();
        }
      }
    }
    return getGetBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ListBudgetsRequest,
      io.sluicegate.v1.ListBudgetsResponse> getListBudgetsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListBudgets",
      requestType = io.sluicegate.v1.ListBudgetsRequest.class,
      responseType = io.sluicegate.v1.ListBudgetsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ListBudgetsRequest,
      io.sluicegate.v1.ListBudgetsResponse> getListBudgetsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ListBudgetsRequest, io.sluicegate.v1.ListBudgetsResponse> getListBudgetsMethod;
    if ((getListBudgetsMethod = BudgetServiceGrpc.getListBudgetsMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getListBudgetsMethod = BudgetServiceGrpc.getListBudgetsMethod) == null) {
          BudgetServiceGrpc.getListBudgetsMethod = getListBudgetsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ListBudgetsRequest, io.sluicegate.v1.ListBudgetsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListBudgets"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListBudgetsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListBudgetsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("ListBudgets"))
              .build();
        }
      }
    }
    return getListBudgetsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteBudgetRequest,
      io.sluicegate.v1.DeleteBudgetResponse> getDeleteBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteBudget",
      requestType = io.sluicegate.v1.DeleteBudgetRequest.class,
      responseType = io.sluicegate.v1.DeleteBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteBudgetRequest,
      io.sluicegate.v1.DeleteBudgetResponse> getDeleteBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteBudgetRequest, io.sluicegate.v1.DeleteBudgetResponse> getDeleteBudgetMethod;
    if ((getDeleteBudgetMethod = BudgetServiceGrpc.getDeleteBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getDeleteBudgetMethod = BudgetServiceGrpc.getDeleteBudgetMethod) == null) {
          BudgetServiceGrpc.getDeleteBudgetMethod = getDeleteBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.DeleteBudgetRequest, io.sluicegate.v1.DeleteBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DeleteBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DeleteBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("DeleteBudget"))
              .build();
        }
      }
    }
    return getDeleteBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.BlockBudgetRequest,
      io.sluicegate.v1.BlockBudgetResponse> getBlockBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BlockBudget",
      requestType = io.sluicegate.v1.BlockBudgetRequest.class,
      responseType = io.sluicegate.v1.BlockBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.BlockBudgetRequest,
      io.sluicegate.v1.BlockBudgetResponse> getBlockBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.BlockBudgetRequest, io.sluicegate.v1.BlockBudgetResponse> getBlockBudgetMethod;
    if ((getBlockBudgetMethod = BudgetServiceGrpc.getBlockBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getBlockBudgetMethod = BudgetServiceGrpc.getBlockBudgetMethod) == null) {
          BudgetServiceGrpc.getBlockBudgetMethod = getBlockBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.BlockBudgetRequest, io.sluicegate.v1.BlockBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BlockBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BlockBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BlockBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("BlockBudget"))
              .build();
        }
      }
    }
    return getBlockBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.UnblockBudgetRequest,
      io.sluicegate.v1.UnblockBudgetResponse> getUnblockBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UnblockBudget",
      requestType = io.sluicegate.v1.UnblockBudgetRequest.class,
      responseType = io.sluicegate.v1.UnblockBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.UnblockBudgetRequest,
      io.sluicegate.v1.UnblockBudgetResponse> getUnblockBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.UnblockBudgetRequest, io.sluicegate.v1.UnblockBudgetResponse> getUnblockBudgetMethod;
    if ((getUnblockBudgetMethod = BudgetServiceGrpc.getUnblockBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getUnblockBudgetMethod = BudgetServiceGrpc.getUnblockBudgetMethod) == null) {
          BudgetServiceGrpc.getUnblockBudgetMethod = getUnblockBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.UnblockBudgetRequest, io.sluicegate.v1.UnblockBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UnblockBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UnblockBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UnblockBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("UnblockBudget"))
              .build();
        }
      }
    }
    return getUnblockBudgetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.AdjustBudgetRequest,
      io.sluicegate.v1.AdjustBudgetResponse> getAdjustBudgetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AdjustBudget",
      requestType = io.sluicegate.v1.AdjustBudgetRequest.class,
      responseType = io.sluicegate.v1.AdjustBudgetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.AdjustBudgetRequest,
      io.sluicegate.v1.AdjustBudgetResponse> getAdjustBudgetMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.AdjustBudgetRequest, io.sluicegate.v1.AdjustBudgetResponse> getAdjustBudgetMethod;
    if ((getAdjustBudgetMethod = BudgetServiceGrpc.getAdjustBudgetMethod) == null) {
      synchronized (BudgetServiceGrpc.class) {
        if ((getAdjustBudgetMethod = BudgetServiceGrpc.getAdjustBudgetMethod) == null) {
          BudgetServiceGrpc.getAdjustBudgetMethod = getAdjustBudgetMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.AdjustBudgetRequest, io.sluicegate.v1.AdjustBudgetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AdjustBudget"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.AdjustBudgetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.AdjustBudgetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new BudgetServiceMethodDescriptorSupplier("AdjustBudget"))
              .build();
        }
      }
    }
    return getAdjustBudgetMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static BudgetServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<BudgetServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<BudgetServiceStub>() {
        @java.lang.Override
        public BudgetServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new BudgetServiceStub(channel, callOptions);
        }
      };
    return BudgetServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static BudgetServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<BudgetServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<BudgetServiceBlockingV2Stub>() {
        @java.lang.Override
        public BudgetServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new BudgetServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return BudgetServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static BudgetServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<BudgetServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<BudgetServiceBlockingStub>() {
        @java.lang.Override
        public BudgetServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new BudgetServiceBlockingStub(channel, callOptions);
        }
      };
    return BudgetServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static BudgetServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<BudgetServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<BudgetServiceFutureStub>() {
        @java.lang.Override
        public BudgetServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new BudgetServiceFutureStub(channel, callOptions);
        }
      };
    return BudgetServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates a budget; a `time_based` one starts full (semantics 2.3). BUDGET_ALREADY_EXISTS changes nothing, so that every
     * instance of an application may declare its budgets on boot (semantics 7.1). BUDGET_LIMIT_REACHED beyond the server's
     * `--max-budgets`.
     * </pre>
     */
    default void createBudget(io.sluicegate.v1.CreateBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CreateBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Overwrites the whole policy and keeps `create_time` (semantics 7.1). Refused: BUDGET_NOT_FOUND unless `allow_missing`,
     * ETAG_MISMATCH, COST_EXCEEDS_CAPACITY if an unfinished job's cost would be above the new capacity (semantics 7.4),
     * BUDGET_LIMIT_REACHED.
     * </pre>
     */
    default void replaceBudget(io.sluicegate.v1.ReplaceBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ReplaceBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReplaceBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the named fields of the policy and keeps the rest (semantics 7.1). Refused: BUDGET_NOT_FOUND, ETAG_MISMATCH,
     * COST_EXCEEDS_CAPACITY as in ReplaceBudget; INVALID_FIELD also where the policy that would result is incomplete.
     * </pre>
     */
    default void updateBudget(io.sluicegate.v1.UpdateBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Shows one budget. BUDGET_NOT_FOUND.
     * </pre>
     */
    default void getBudget(io.sluicegate.v1.GetBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.GetBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Shows all budgets, in the order of their keys' bytes.
     * </pre>
     */
    default void listBudgets(io.sluicegate.v1.ListBudgetsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListBudgetsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListBudgetsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a budget to which nothing unfinished is bound; else BUDGET_IN_USE (semantics 7.5). Refused also:
     * BUDGET_NOT_FOUND unless `allow_missing`, ETAG_MISMATCH.
     * </pre>
     */
    default void deleteBudget(io.sluicegate.v1.DeleteBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lets a budget dispatch nothing for a while (semantics 9.4). Its tokens go on dripping and coming back.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    default void blockBudget(io.sluicegate.v1.BlockBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BlockBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBlockBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Ends a block, and whatever workers reported as throttled (semantics 9.4). OK for a budget that isn't blocked.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    default void unblockBudget(io.sluicegate.v1.UnblockBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UnblockBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUnblockBudgetMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the level of a `time_based` pool, to forgive a debt or to empty it; debits made before are refunded nothing
     * (semantics 9.5). Refused: BUDGET_NOT_FOUND, INVALID_FIELD for a `while_in_flight` budget.
     * </pre>
     */
    default void adjustBudget(io.sluicegate.v1.AdjustBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.AdjustBudgetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAdjustBudgetMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service BudgetService.
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public static abstract class BudgetServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return BudgetServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service BudgetService.
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public static final class BudgetServiceStub
      extends io.grpc.stub.AbstractAsyncStub<BudgetServiceStub> {
    private BudgetServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected BudgetServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new BudgetServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a budget; a `time_based` one starts full (semantics 2.3). BUDGET_ALREADY_EXISTS changes nothing, so that every
     * instance of an application may declare its budgets on boot (semantics 7.1). BUDGET_LIMIT_REACHED beyond the server's
     * `--max-budgets`.
     * </pre>
     */
    public void createBudget(io.sluicegate.v1.CreateBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CreateBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Overwrites the whole policy and keeps `create_time` (semantics 7.1). Refused: BUDGET_NOT_FOUND unless `allow_missing`,
     * ETAG_MISMATCH, COST_EXCEEDS_CAPACITY if an unfinished job's cost would be above the new capacity (semantics 7.4),
     * BUDGET_LIMIT_REACHED.
     * </pre>
     */
    public void replaceBudget(io.sluicegate.v1.ReplaceBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ReplaceBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReplaceBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the named fields of the policy and keeps the rest (semantics 7.1). Refused: BUDGET_NOT_FOUND, ETAG_MISMATCH,
     * COST_EXCEEDS_CAPACITY as in ReplaceBudget; INVALID_FIELD also where the policy that would result is incomplete.
     * </pre>
     */
    public void updateBudget(io.sluicegate.v1.UpdateBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Shows one budget. BUDGET_NOT_FOUND.
     * </pre>
     */
    public void getBudget(io.sluicegate.v1.GetBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.GetBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Shows all budgets, in the order of their keys' bytes.
     * </pre>
     */
    public void listBudgets(io.sluicegate.v1.ListBudgetsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListBudgetsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListBudgetsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a budget to which nothing unfinished is bound; else BUDGET_IN_USE (semantics 7.5). Refused also:
     * BUDGET_NOT_FOUND unless `allow_missing`, ETAG_MISMATCH.
     * </pre>
     */
    public void deleteBudget(io.sluicegate.v1.DeleteBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lets a budget dispatch nothing for a while (semantics 9.4). Its tokens go on dripping and coming back.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public void blockBudget(io.sluicegate.v1.BlockBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BlockBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBlockBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Ends a block, and whatever workers reported as throttled (semantics 9.4). OK for a budget that isn't blocked.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public void unblockBudget(io.sluicegate.v1.UnblockBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UnblockBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUnblockBudgetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets the level of a `time_based` pool, to forgive a debt or to empty it; debits made before are refunded nothing
     * (semantics 9.5). Refused: BUDGET_NOT_FOUND, INVALID_FIELD for a `while_in_flight` budget.
     * </pre>
     */
    public void adjustBudget(io.sluicegate.v1.AdjustBudgetRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.AdjustBudgetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAdjustBudgetMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service BudgetService.
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public static final class BudgetServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<BudgetServiceBlockingV2Stub> {
    private BudgetServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected BudgetServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new BudgetServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a budget; a `time_based` one starts full (semantics 2.3). BUDGET_ALREADY_EXISTS changes nothing, so that every
     * instance of an application may declare its budgets on boot (semantics 7.1). BUDGET_LIMIT_REACHED beyond the server's
     * `--max-budgets`.
     * </pre>
     */
    public io.sluicegate.v1.CreateBudgetResponse createBudget(io.sluicegate.v1.CreateBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Overwrites the whole policy and keeps `create_time` (semantics 7.1). Refused: BUDGET_NOT_FOUND unless `allow_missing`,
     * ETAG_MISMATCH, COST_EXCEEDS_CAPACITY if an unfinished job's cost would be above the new capacity (semantics 7.4),
     * BUDGET_LIMIT_REACHED.
     * </pre>
     */
    public io.sluicegate.v1.ReplaceBudgetResponse replaceBudget(io.sluicegate.v1.ReplaceBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReplaceBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the named fields of the policy and keeps the rest (semantics 7.1). Refused: BUDGET_NOT_FOUND, ETAG_MISMATCH,
     * COST_EXCEEDS_CAPACITY as in ReplaceBudget; INVALID_FIELD also where the policy that would result is incomplete.
     * </pre>
     */
    public io.sluicegate.v1.UpdateBudgetResponse updateBudget(io.sluicegate.v1.UpdateBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows one budget. BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.GetBudgetResponse getBudget(io.sluicegate.v1.GetBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows all budgets, in the order of their keys' bytes.
     * </pre>
     */
    public io.sluicegate.v1.ListBudgetsResponse listBudgets(io.sluicegate.v1.ListBudgetsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListBudgetsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a budget to which nothing unfinished is bound; else BUDGET_IN_USE (semantics 7.5). Refused also:
     * BUDGET_NOT_FOUND unless `allow_missing`, ETAG_MISMATCH.
     * </pre>
     */
    public io.sluicegate.v1.DeleteBudgetResponse deleteBudget(io.sluicegate.v1.DeleteBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lets a budget dispatch nothing for a while (semantics 9.4). Its tokens go on dripping and coming back.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.BlockBudgetResponse blockBudget(io.sluicegate.v1.BlockBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBlockBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends a block, and whatever workers reported as throttled (semantics 9.4). OK for a budget that isn't blocked.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.UnblockBudgetResponse unblockBudget(io.sluicegate.v1.UnblockBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUnblockBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the level of a `time_based` pool, to forgive a debt or to empty it; debits made before are refunded nothing
     * (semantics 9.5). Refused: BUDGET_NOT_FOUND, INVALID_FIELD for a `while_in_flight` budget.
     * </pre>
     */
    public io.sluicegate.v1.AdjustBudgetResponse adjustBudget(io.sluicegate.v1.AdjustBudgetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAdjustBudgetMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service BudgetService.
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public static final class BudgetServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<BudgetServiceBlockingStub> {
    private BudgetServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected BudgetServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new BudgetServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a budget; a `time_based` one starts full (semantics 2.3). BUDGET_ALREADY_EXISTS changes nothing, so that every
     * instance of an application may declare its budgets on boot (semantics 7.1). BUDGET_LIMIT_REACHED beyond the server's
     * `--max-budgets`.
     * </pre>
     */
    public io.sluicegate.v1.CreateBudgetResponse createBudget(io.sluicegate.v1.CreateBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Overwrites the whole policy and keeps `create_time` (semantics 7.1). Refused: BUDGET_NOT_FOUND unless `allow_missing`,
     * ETAG_MISMATCH, COST_EXCEEDS_CAPACITY if an unfinished job's cost would be above the new capacity (semantics 7.4),
     * BUDGET_LIMIT_REACHED.
     * </pre>
     */
    public io.sluicegate.v1.ReplaceBudgetResponse replaceBudget(io.sluicegate.v1.ReplaceBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReplaceBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the named fields of the policy and keeps the rest (semantics 7.1). Refused: BUDGET_NOT_FOUND, ETAG_MISMATCH,
     * COST_EXCEEDS_CAPACITY as in ReplaceBudget; INVALID_FIELD also where the policy that would result is incomplete.
     * </pre>
     */
    public io.sluicegate.v1.UpdateBudgetResponse updateBudget(io.sluicegate.v1.UpdateBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows one budget. BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.GetBudgetResponse getBudget(io.sluicegate.v1.GetBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows all budgets, in the order of their keys' bytes.
     * </pre>
     */
    public io.sluicegate.v1.ListBudgetsResponse listBudgets(io.sluicegate.v1.ListBudgetsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListBudgetsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a budget to which nothing unfinished is bound; else BUDGET_IN_USE (semantics 7.5). Refused also:
     * BUDGET_NOT_FOUND unless `allow_missing`, ETAG_MISMATCH.
     * </pre>
     */
    public io.sluicegate.v1.DeleteBudgetResponse deleteBudget(io.sluicegate.v1.DeleteBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lets a budget dispatch nothing for a while (semantics 9.4). Its tokens go on dripping and coming back.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.BlockBudgetResponse blockBudget(io.sluicegate.v1.BlockBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBlockBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends a block, and whatever workers reported as throttled (semantics 9.4). OK for a budget that isn't blocked.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.UnblockBudgetResponse unblockBudget(io.sluicegate.v1.UnblockBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUnblockBudgetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the level of a `time_based` pool, to forgive a debt or to empty it; debits made before are refunded nothing
     * (semantics 9.5). Refused: BUDGET_NOT_FOUND, INVALID_FIELD for a `while_in_flight` budget.
     * </pre>
     */
    public io.sluicegate.v1.AdjustBudgetResponse adjustBudget(io.sluicegate.v1.AdjustBudgetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAdjustBudgetMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service BudgetService.
   * <pre>
   * Creates, changes and shows budgets. An answer of OK follows the commit that makes it true (semantics 10.1). A change takes
   * effect at once and ends no lease (semantics 7.2).
   * </pre>
   */
  public static final class BudgetServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<BudgetServiceFutureStub> {
    private BudgetServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected BudgetServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new BudgetServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a budget; a `time_based` one starts full (semantics 2.3). BUDGET_ALREADY_EXISTS changes nothing, so that every
     * instance of an application may declare its budgets on boot (semantics 7.1). BUDGET_LIMIT_REACHED beyond the server's
     * `--max-budgets`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.CreateBudgetResponse> createBudget(
        io.sluicegate.v1.CreateBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Overwrites the whole policy and keeps `create_time` (semantics 7.1). Refused: BUDGET_NOT_FOUND unless `allow_missing`,
     * ETAG_MISMATCH, COST_EXCEEDS_CAPACITY if an unfinished job's cost would be above the new capacity (semantics 7.4),
     * BUDGET_LIMIT_REACHED.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ReplaceBudgetResponse> replaceBudget(
        io.sluicegate.v1.ReplaceBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReplaceBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the named fields of the policy and keeps the rest (semantics 7.1). Refused: BUDGET_NOT_FOUND, ETAG_MISMATCH,
     * COST_EXCEEDS_CAPACITY as in ReplaceBudget; INVALID_FIELD also where the policy that would result is incomplete.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.UpdateBudgetResponse> updateBudget(
        io.sluicegate.v1.UpdateBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Shows one budget. BUDGET_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.GetBudgetResponse> getBudget(
        io.sluicegate.v1.GetBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Shows all budgets, in the order of their keys' bytes.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ListBudgetsResponse> listBudgets(
        io.sluicegate.v1.ListBudgetsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListBudgetsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a budget to which nothing unfinished is bound; else BUDGET_IN_USE (semantics 7.5). Refused also:
     * BUDGET_NOT_FOUND unless `allow_missing`, ETAG_MISMATCH.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.DeleteBudgetResponse> deleteBudget(
        io.sluicegate.v1.DeleteBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lets a budget dispatch nothing for a while (semantics 9.4). Its tokens go on dripping and coming back.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.BlockBudgetResponse> blockBudget(
        io.sluicegate.v1.BlockBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBlockBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Ends a block, and whatever workers reported as throttled (semantics 9.4). OK for a budget that isn't blocked.
     * BUDGET_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.UnblockBudgetResponse> unblockBudget(
        io.sluicegate.v1.UnblockBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUnblockBudgetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the level of a `time_based` pool, to forgive a debt or to empty it; debits made before are refunded nothing
     * (semantics 9.5). Refused: BUDGET_NOT_FOUND, INVALID_FIELD for a `while_in_flight` budget.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.AdjustBudgetResponse> adjustBudget(
        io.sluicegate.v1.AdjustBudgetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAdjustBudgetMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_BUDGET = 0;
  private static final int METHODID_REPLACE_BUDGET = 1;
  private static final int METHODID_UPDATE_BUDGET = 2;
  private static final int METHODID_GET_BUDGET = 3;
  private static final int METHODID_LIST_BUDGETS = 4;
  private static final int METHODID_DELETE_BUDGET = 5;
  private static final int METHODID_BLOCK_BUDGET = 6;
  private static final int METHODID_UNBLOCK_BUDGET = 7;
  private static final int METHODID_ADJUST_BUDGET = 8;

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
        case METHODID_CREATE_BUDGET:
          serviceImpl.createBudget((io.sluicegate.v1.CreateBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.CreateBudgetResponse>) responseObserver);
          break;
        case METHODID_REPLACE_BUDGET:
          serviceImpl.replaceBudget((io.sluicegate.v1.ReplaceBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ReplaceBudgetResponse>) responseObserver);
          break;
        case METHODID_UPDATE_BUDGET:
          serviceImpl.updateBudget((io.sluicegate.v1.UpdateBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateBudgetResponse>) responseObserver);
          break;
        case METHODID_GET_BUDGET:
          serviceImpl.getBudget((io.sluicegate.v1.GetBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.GetBudgetResponse>) responseObserver);
          break;
        case METHODID_LIST_BUDGETS:
          serviceImpl.listBudgets((io.sluicegate.v1.ListBudgetsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ListBudgetsResponse>) responseObserver);
          break;
        case METHODID_DELETE_BUDGET:
          serviceImpl.deleteBudget((io.sluicegate.v1.DeleteBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteBudgetResponse>) responseObserver);
          break;
        case METHODID_BLOCK_BUDGET:
          serviceImpl.blockBudget((io.sluicegate.v1.BlockBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.BlockBudgetResponse>) responseObserver);
          break;
        case METHODID_UNBLOCK_BUDGET:
          serviceImpl.unblockBudget((io.sluicegate.v1.UnblockBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.UnblockBudgetResponse>) responseObserver);
          break;
        case METHODID_ADJUST_BUDGET:
          serviceImpl.adjustBudget((io.sluicegate.v1.AdjustBudgetRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.AdjustBudgetResponse>) responseObserver);
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
          getCreateBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.CreateBudgetRequest,
              io.sluicegate.v1.CreateBudgetResponse>(
                service, METHODID_CREATE_BUDGET)))
        .addMethod(
          getReplaceBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ReplaceBudgetRequest,
              io.sluicegate.v1.ReplaceBudgetResponse>(
                service, METHODID_REPLACE_BUDGET)))
        .addMethod(
          getUpdateBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.UpdateBudgetRequest,
              io.sluicegate.v1.UpdateBudgetResponse>(
                service, METHODID_UPDATE_BUDGET)))
        .addMethod(
          getGetBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.GetBudgetRequest,
              io.sluicegate.v1.GetBudgetResponse>(
                service, METHODID_GET_BUDGET)))
        .addMethod(
          getListBudgetsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ListBudgetsRequest,
              io.sluicegate.v1.ListBudgetsResponse>(
                service, METHODID_LIST_BUDGETS)))
        .addMethod(
          getDeleteBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.DeleteBudgetRequest,
              io.sluicegate.v1.DeleteBudgetResponse>(
                service, METHODID_DELETE_BUDGET)))
        .addMethod(
          getBlockBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.BlockBudgetRequest,
              io.sluicegate.v1.BlockBudgetResponse>(
                service, METHODID_BLOCK_BUDGET)))
        .addMethod(
          getUnblockBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.UnblockBudgetRequest,
              io.sluicegate.v1.UnblockBudgetResponse>(
                service, METHODID_UNBLOCK_BUDGET)))
        .addMethod(
          getAdjustBudgetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.AdjustBudgetRequest,
              io.sluicegate.v1.AdjustBudgetResponse>(
                service, METHODID_ADJUST_BUDGET)))
        .build();
  }

  private static abstract class BudgetServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    BudgetServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.sluicegate.v1.BudgetServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("BudgetService");
    }
  }

  private static final class BudgetServiceFileDescriptorSupplier
      extends BudgetServiceBaseDescriptorSupplier {
    BudgetServiceFileDescriptorSupplier() {}
  }

  private static final class BudgetServiceMethodDescriptorSupplier
      extends BudgetServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    BudgetServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (BudgetServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new BudgetServiceFileDescriptorSupplier())
              .addMethod(getCreateBudgetMethod())
              .addMethod(getReplaceBudgetMethod())
              .addMethod(getUpdateBudgetMethod())
              .addMethod(getGetBudgetMethod())
              .addMethod(getListBudgetsMethod())
              .addMethod(getDeleteBudgetMethod())
              .addMethod(getBlockBudgetMethod())
              .addMethod(getUnblockBudgetMethod())
              .addMethod(getAdjustBudgetMethod())
              .build();
        }
      }
    }
    return result;
  }
}
