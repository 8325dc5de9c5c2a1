package io.sluicegate.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Takes jobs in, hands them to workers, and shows and changes them.
 * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
 * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
 * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
 * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
 * most 16 KiB, else INVALID_FIELD naming `headers`.
 * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
 * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
 * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
 * the call would have changed.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class JobServiceGrpc {

  private JobServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sluicegate.v1.JobService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.EnqueueRequest,
      io.sluicegate.v1.EnqueueResponse> getEnqueueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Enqueue",
      requestType = io.sluicegate.v1.EnqueueRequest.class,
      responseType = io.sluicegate.v1.EnqueueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.EnqueueRequest,
      io.sluicegate.v1.EnqueueResponse> getEnqueueMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.EnqueueRequest, io.sluicegate.v1.EnqueueResponse> getEnqueueMethod;
    if ((getEnqueueMethod = JobServiceGrpc.getEnqueueMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getEnqueueMethod = JobServiceGrpc.getEnqueueMethod) == null) {
          JobServiceGrpc.getEnqueueMethod = getEnqueueMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.EnqueueRequest, io.sluicegate.v1.EnqueueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Enqueue"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.EnqueueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.EnqueueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("Enqueue"))
              .build();
        }
      }
    }
    return getEnqueueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.BatchEnqueueRequest,
      io.sluicegate.v1.BatchEnqueueResponse> getBatchEnqueueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchEnqueue",
      requestType = io.sluicegate.v1.BatchEnqueueRequest.class,
      responseType = io.sluicegate.v1.BatchEnqueueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.BatchEnqueueRequest,
      io.sluicegate.v1.BatchEnqueueResponse> getBatchEnqueueMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.BatchEnqueueRequest, io.sluicegate.v1.BatchEnqueueResponse> getBatchEnqueueMethod;
    if ((getBatchEnqueueMethod = JobServiceGrpc.getBatchEnqueueMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getBatchEnqueueMethod = JobServiceGrpc.getBatchEnqueueMethod) == null) {
          JobServiceGrpc.getBatchEnqueueMethod = getBatchEnqueueMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.BatchEnqueueRequest, io.sluicegate.v1.BatchEnqueueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchEnqueue"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BatchEnqueueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BatchEnqueueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("BatchEnqueue"))
              .build();
        }
      }
    }
    return getBatchEnqueueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.DispatchRequest,
      io.sluicegate.v1.DispatchResponse> getDispatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Dispatch",
      requestType = io.sluicegate.v1.DispatchRequest.class,
      responseType = io.sluicegate.v1.DispatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.DispatchRequest,
      io.sluicegate.v1.DispatchResponse> getDispatchMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.DispatchRequest, io.sluicegate.v1.DispatchResponse> getDispatchMethod;
    if ((getDispatchMethod = JobServiceGrpc.getDispatchMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getDispatchMethod = JobServiceGrpc.getDispatchMethod) == null) {
          JobServiceGrpc.getDispatchMethod = getDispatchMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.DispatchRequest, io.sluicegate.v1.DispatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Dispatch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DispatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DispatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("Dispatch"))
              .build();
        }
      }
    }
    return getDispatchMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.LeaseJobsRequest,
      io.sluicegate.v1.LeaseJobsResponse> getLeaseJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "LeaseJobs",
      requestType = io.sluicegate.v1.LeaseJobsRequest.class,
      responseType = io.sluicegate.v1.LeaseJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.LeaseJobsRequest,
      io.sluicegate.v1.LeaseJobsResponse> getLeaseJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.LeaseJobsRequest, io.sluicegate.v1.LeaseJobsResponse> getLeaseJobsMethod;
    if ((getLeaseJobsMethod = JobServiceGrpc.getLeaseJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getLeaseJobsMethod = JobServiceGrpc.getLeaseJobsMethod) == null) {
          JobServiceGrpc.getLeaseJobsMethod = getLeaseJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.LeaseJobsRequest, io.sluicegate.v1.LeaseJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "LeaseJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.LeaseJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.LeaseJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("LeaseJobs"))
              .build();
        }
      }
    }
    return getLeaseJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.SettleJobsRequest,
      io.sluicegate.v1.SettleJobsResponse> getSettleJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SettleJobs",
      requestType = io.sluicegate.v1.SettleJobsRequest.class,
      responseType = io.sluicegate.v1.SettleJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.SettleJobsRequest,
      io.sluicegate.v1.SettleJobsResponse> getSettleJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.SettleJobsRequest, io.sluicegate.v1.SettleJobsResponse> getSettleJobsMethod;
    if ((getSettleJobsMethod = JobServiceGrpc.getSettleJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getSettleJobsMethod = JobServiceGrpc.getSettleJobsMethod) == null) {
          JobServiceGrpc.getSettleJobsMethod = getSettleJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.SettleJobsRequest, io.sluicegate.v1.SettleJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SettleJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.SettleJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.SettleJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("SettleJobs"))
              .build();
        }
      }
    }
    return getSettleJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ExtendLeasesRequest,
      io.sluicegate.v1.ExtendLeasesResponse> getExtendLeasesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExtendLeases",
      requestType = io.sluicegate.v1.ExtendLeasesRequest.class,
      responseType = io.sluicegate.v1.ExtendLeasesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ExtendLeasesRequest,
      io.sluicegate.v1.ExtendLeasesResponse> getExtendLeasesMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ExtendLeasesRequest, io.sluicegate.v1.ExtendLeasesResponse> getExtendLeasesMethod;
    if ((getExtendLeasesMethod = JobServiceGrpc.getExtendLeasesMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getExtendLeasesMethod = JobServiceGrpc.getExtendLeasesMethod) == null) {
          JobServiceGrpc.getExtendLeasesMethod = getExtendLeasesMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ExtendLeasesRequest, io.sluicegate.v1.ExtendLeasesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExtendLeases"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ExtendLeasesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ExtendLeasesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("ExtendLeases"))
              .build();
        }
      }
    }
    return getExtendLeasesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.GetJobRequest,
      io.sluicegate.v1.GetJobResponse> getGetJobMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetJob",
      requestType = io.sluicegate.v1.GetJobRequest.class,
      responseType = io.sluicegate.v1.GetJobResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.GetJobRequest,
      io.sluicegate.v1.GetJobResponse> getGetJobMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.GetJobRequest, io.sluicegate.v1.GetJobResponse> getGetJobMethod;
    if ((getGetJobMethod = JobServiceGrpc.getGetJobMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getGetJobMethod = JobServiceGrpc.getGetJobMethod) == null) {
          JobServiceGrpc.getGetJobMethod = getGetJobMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.GetJobRequest, io.sluicegate.v1.GetJobResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetJob"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.GetJobRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.GetJobResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("GetJob"))
              .build();
        }
      }
    }
    return getGetJobMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ListJobsRequest,
      io.sluicegate.v1.ListJobsResponse> getListJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListJobs",
      requestType = io.sluicegate.v1.ListJobsRequest.class,
      responseType = io.sluicegate.v1.ListJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ListJobsRequest,
      io.sluicegate.v1.ListJobsResponse> getListJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ListJobsRequest, io.sluicegate.v1.ListJobsResponse> getListJobsMethod;
    if ((getListJobsMethod = JobServiceGrpc.getListJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getListJobsMethod = JobServiceGrpc.getListJobsMethod) == null) {
          JobServiceGrpc.getListJobsMethod = getListJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ListJobsRequest, io.sluicegate.v1.ListJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ListJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("ListJobs"))
              .build();
        }
      }
    }
    return getListJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.CountJobsRequest,
      io.sluicegate.v1.CountJobsResponse> getCountJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CountJobs",
      requestType = io.sluicegate.v1.CountJobsRequest.class,
      responseType = io.sluicegate.v1.CountJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.CountJobsRequest,
      io.sluicegate.v1.CountJobsResponse> getCountJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.CountJobsRequest, io.sluicegate.v1.CountJobsResponse> getCountJobsMethod;
    if ((getCountJobsMethod = JobServiceGrpc.getCountJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getCountJobsMethod = JobServiceGrpc.getCountJobsMethod) == null) {
          JobServiceGrpc.getCountJobsMethod = getCountJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.CountJobsRequest, io.sluicegate.v1.CountJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CountJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CountJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CountJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("CountJobs"))
              .build();
        }
      }
    }
    return getCountJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.CancelJobsRequest,
      io.sluicegate.v1.CancelJobsResponse> getCancelJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CancelJobs",
      requestType = io.sluicegate.v1.CancelJobsRequest.class,
      responseType = io.sluicegate.v1.CancelJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.CancelJobsRequest,
      io.sluicegate.v1.CancelJobsResponse> getCancelJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.CancelJobsRequest, io.sluicegate.v1.CancelJobsResponse> getCancelJobsMethod;
    if ((getCancelJobsMethod = JobServiceGrpc.getCancelJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getCancelJobsMethod = JobServiceGrpc.getCancelJobsMethod) == null) {
          JobServiceGrpc.getCancelJobsMethod = getCancelJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.CancelJobsRequest, io.sluicegate.v1.CancelJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CancelJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CancelJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.CancelJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("CancelJobs"))
              .build();
        }
      }
    }
    return getCancelJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.RetryJobsRequest,
      io.sluicegate.v1.RetryJobsResponse> getRetryJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RetryJobs",
      requestType = io.sluicegate.v1.RetryJobsRequest.class,
      responseType = io.sluicegate.v1.RetryJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.RetryJobsRequest,
      io.sluicegate.v1.RetryJobsResponse> getRetryJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.RetryJobsRequest, io.sluicegate.v1.RetryJobsResponse> getRetryJobsMethod;
    if ((getRetryJobsMethod = JobServiceGrpc.getRetryJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getRetryJobsMethod = JobServiceGrpc.getRetryJobsMethod) == null) {
          JobServiceGrpc.getRetryJobsMethod = getRetryJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.RetryJobsRequest, io.sluicegate.v1.RetryJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RetryJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.RetryJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.RetryJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("RetryJobs"))
              .build();
        }
      }
    }
    return getRetryJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteJobsRequest,
      io.sluicegate.v1.DeleteJobsResponse> getDeleteJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteJobs",
      requestType = io.sluicegate.v1.DeleteJobsRequest.class,
      responseType = io.sluicegate.v1.DeleteJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteJobsRequest,
      io.sluicegate.v1.DeleteJobsResponse> getDeleteJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.DeleteJobsRequest, io.sluicegate.v1.DeleteJobsResponse> getDeleteJobsMethod;
    if ((getDeleteJobsMethod = JobServiceGrpc.getDeleteJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getDeleteJobsMethod = JobServiceGrpc.getDeleteJobsMethod) == null) {
          JobServiceGrpc.getDeleteJobsMethod = getDeleteJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.DeleteJobsRequest, io.sluicegate.v1.DeleteJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DeleteJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.DeleteJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("DeleteJobs"))
              .build();
        }
      }
    }
    return getDeleteJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateJobsRequest,
      io.sluicegate.v1.UpdateJobsResponse> getUpdateJobsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateJobs",
      requestType = io.sluicegate.v1.UpdateJobsRequest.class,
      responseType = io.sluicegate.v1.UpdateJobsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateJobsRequest,
      io.sluicegate.v1.UpdateJobsResponse> getUpdateJobsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.UpdateJobsRequest, io.sluicegate.v1.UpdateJobsResponse> getUpdateJobsMethod;
    if ((getUpdateJobsMethod = JobServiceGrpc.getUpdateJobsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getUpdateJobsMethod = JobServiceGrpc.getUpdateJobsMethod) == null) {
          JobServiceGrpc.getUpdateJobsMethod = getUpdateJobsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.UpdateJobsRequest, io.sluicegate.v1.UpdateJobsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateJobs"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UpdateJobsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.UpdateJobsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("UpdateJobs"))
              .build();
        }
      }
    }
    return getUpdateJobsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ModifyBindingsRequest,
      io.sluicegate.v1.ModifyBindingsResponse> getModifyBindingsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ModifyBindings",
      requestType = io.sluicegate.v1.ModifyBindingsRequest.class,
      responseType = io.sluicegate.v1.ModifyBindingsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ModifyBindingsRequest,
      io.sluicegate.v1.ModifyBindingsResponse> getModifyBindingsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ModifyBindingsRequest, io.sluicegate.v1.ModifyBindingsResponse> getModifyBindingsMethod;
    if ((getModifyBindingsMethod = JobServiceGrpc.getModifyBindingsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getModifyBindingsMethod = JobServiceGrpc.getModifyBindingsMethod) == null) {
          JobServiceGrpc.getModifyBindingsMethod = getModifyBindingsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ModifyBindingsRequest, io.sluicegate.v1.ModifyBindingsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ModifyBindings"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ModifyBindingsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ModifyBindingsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("ModifyBindings"))
              .build();
        }
      }
    }
    return getModifyBindingsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.BulkModifyBindingsRequest,
      io.sluicegate.v1.BulkModifyBindingsResponse> getBulkModifyBindingsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BulkModifyBindings",
      requestType = io.sluicegate.v1.BulkModifyBindingsRequest.class,
      responseType = io.sluicegate.v1.BulkModifyBindingsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.BulkModifyBindingsRequest,
      io.sluicegate.v1.BulkModifyBindingsResponse> getBulkModifyBindingsMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.BulkModifyBindingsRequest, io.sluicegate.v1.BulkModifyBindingsResponse> getBulkModifyBindingsMethod;
    if ((getBulkModifyBindingsMethod = JobServiceGrpc.getBulkModifyBindingsMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getBulkModifyBindingsMethod = JobServiceGrpc.getBulkModifyBindingsMethod) == null) {
          JobServiceGrpc.getBulkModifyBindingsMethod = getBulkModifyBindingsMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.BulkModifyBindingsRequest, io.sluicegate.v1.BulkModifyBindingsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BulkModifyBindings"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BulkModifyBindingsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.BulkModifyBindingsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("BulkModifyBindings"))
              .build();
        }
      }
    }
    return getBulkModifyBindingsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.sluicegate.v1.ExplainJobRequest,
      io.sluicegate.v1.ExplainJobResponse> getExplainJobMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExplainJob",
      requestType = io.sluicegate.v1.ExplainJobRequest.class,
      responseType = io.sluicegate.v1.ExplainJobResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.sluicegate.v1.ExplainJobRequest,
      io.sluicegate.v1.ExplainJobResponse> getExplainJobMethod() {
    io.grpc.MethodDescriptor<io.sluicegate.v1.ExplainJobRequest, io.sluicegate.v1.ExplainJobResponse> getExplainJobMethod;
    if ((getExplainJobMethod = JobServiceGrpc.getExplainJobMethod) == null) {
      synchronized (JobServiceGrpc.class) {
        if ((getExplainJobMethod = JobServiceGrpc.getExplainJobMethod) == null) {
          JobServiceGrpc.getExplainJobMethod = getExplainJobMethod =
              io.grpc.MethodDescriptor.<io.sluicegate.v1.ExplainJobRequest, io.sluicegate.v1.ExplainJobResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExplainJob"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ExplainJobRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.sluicegate.v1.ExplainJobResponse.getDefaultInstance()))
              .setSchemaDescriptor(new JobServiceMethodDescriptorSupplier("ExplainJob"))
              .build();
        }
      }
    }
    return getExplainJobMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static JobServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<JobServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<JobServiceStub>() {
        @java.lang.Override
        public JobServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new JobServiceStub(channel, callOptions);
        }
      };
    return JobServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static JobServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<JobServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<JobServiceBlockingV2Stub>() {
        @java.lang.Override
        public JobServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new JobServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return JobServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static JobServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<JobServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<JobServiceBlockingStub>() {
        @java.lang.Override
        public JobServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new JobServiceBlockingStub(channel, callOptions);
        }
      };
    return JobServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static JobServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<JobServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<JobServiceFutureStub>() {
        @java.lang.Override
        public JobServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new JobServiceFutureStub(channel, callOptions);
        }
      };
    return JobServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Takes in one job. Refused: INVALID_FIELD, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED (`create_with`).
     * </pre>
     */
    default void enqueue(io.sluicegate.v1.EnqueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.EnqueueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getEnqueueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes in jobs in this order: all of them, or none. Refused as Enqueue is, naming `jobs[i]`.
     * </pre>
     */
    default void batchEnqueue(io.sluicegate.v1.BatchEnqueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BatchEnqueueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchEnqueueMethod(), responseObserver);
    }

    /**
     * <pre>
     * A worker's stream: jobs come as they can be paid for, outcomes go back. See dispatch.proto. Ends with SESSION_SUPERSEDED,
     * DRAINING, INVALID_FIELD for a frame that breaks a bound, or DEADLINE_EXCEEDED, without a reason, after three silent ping
     * intervals, or where a worker that has closed its side, or is leaving, reads nothing for 10 s of what is left for it.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.sluicegate.v1.DispatchRequest> dispatch(
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DispatchResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getDispatchMethod(), responseObserver);
    }

    /**
     * <pre>
     * Dispatch's unary twin: leases up to some jobs, waiting for the first if there is none. The answer is as soon as one can
     * be dispatched, with what can be at that instant. Lease expiry alone decides about an answer that gets lost.
     * </pre>
     */
    default void leaseJobs(io.sluicegate.v1.LeaseJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.LeaseJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getLeaseJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Ends leases; each has its own result, and a bad one never fails its neighbours (semantics 5.4).
     * </pre>
     */
    default void settleJobs(io.sluicegate.v1.SettleJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.SettleJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSettleJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Prolongs leases, each by its own duration from now (semantics 5.1); each has its own result.
     * </pre>
     */
    default void extendLeases(io.sluicegate.v1.ExtendLeasesRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ExtendLeasesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExtendLeasesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Shows one job. JOB_NOT_FOUND, also once it is removed.
     * </pre>
     */
    default void getJob(io.sluicegate.v1.GetJobRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.GetJobResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetJobMethod(), responseObserver);
    }

    /**
     * <pre>
     * Shows jobs in the order of their ids, which is that of their enqueues.
     * </pre>
     */
    default void listJobs(io.sluicegate.v1.ListJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Counts jobs.
     * </pre>
     */
    default void countJobs(io.sluicegate.v1.CountJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CountJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCountJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Cancels scheduled and ready jobs at once, and asks the workers of those in flight, whose leases and holds stay until they
     * settle or expire (semantics 6.1). Finished jobs are left as they are.
     * </pre>
     */
    default void cancelJobs(io.sluicegate.v1.CancelJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CancelJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCancelJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
     * kept; both are ranked anew (semantics 6.5). Others are left as they are. The bindings of finished jobs are validated as at
     * an enqueue: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY.
     * </pre>
     */
    default void retryJobs(io.sluicegate.v1.RetryJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.RetryJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRetryJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes jobs that aren't in flight, finished or not, with their payloads and results (semantics 6.1).
     * </pre>
     */
    default void deleteJobs(io.sluicegate.v1.DeleteJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left as they
     * are. Bindings are changed by BulkModifyBindings.
     * </pre>
     */
    default void updateJobs(io.sluicegate.v1.UpdateJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateJobsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateJobsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the bindings of one scheduled or ready job, which is tried again at once, at its old rank (semantics 8.1, 8.3).
     * Refused: JOB_NOT_FOUND, JOB_IN_FLIGHT, JOB_FINISHED, ALREADY_BOUND, NOT_BOUND, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY,
     * BUDGET_LIMIT_REACHED (`create_with`), INVALID_FIELD for more than 16 bindings.
     * </pre>
     */
    default void modifyBindings(io.sluicegate.v1.ModifyBindingsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ModifyBindingsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getModifyBindingsMethod(), responseObserver);
    }

    /**
     * <pre>
     * The same over a filter (semantics 8.2). A bind that finds its budget bound, and an unbind or set_cost that doesn't, leaves
     * the job as it is. Refused as a whole: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED, INVALID_FIELD.
     * </pre>
     */
    default void bulkModifyBindings(io.sluicegate.v1.BulkModifyBindingsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BulkModifyBindingsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBulkModifyBindingsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Says why a job isn't being dispatched (semantics 12). JOB_NOT_FOUND.
     * </pre>
     */
    default void explainJob(io.sluicegate.v1.ExplainJobRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ExplainJobResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExplainJobMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service JobService.
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public static abstract class JobServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return JobServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service JobService.
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public static final class JobServiceStub
      extends io.grpc.stub.AbstractAsyncStub<JobServiceStub> {
    private JobServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected JobServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new JobServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Takes in one job. Refused: INVALID_FIELD, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED (`create_with`).
     * </pre>
     */
    public void enqueue(io.sluicegate.v1.EnqueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.EnqueueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getEnqueueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes in jobs in this order: all of them, or none. Refused as Enqueue is, naming `jobs[i]`.
     * </pre>
     */
    public void batchEnqueue(io.sluicegate.v1.BatchEnqueueRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BatchEnqueueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchEnqueueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * A worker's stream: jobs come as they can be paid for, outcomes go back. See dispatch.proto. Ends with SESSION_SUPERSEDED,
     * DRAINING, INVALID_FIELD for a frame that breaks a bound, or DEADLINE_EXCEEDED, without a reason, after three silent ping
     * intervals, or where a worker that has closed its side, or is leaving, reads nothing for 10 s of what is left for it.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.sluicegate.v1.DispatchRequest> dispatch(
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DispatchResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getDispatchMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Dispatch's unary twin: leases up to some jobs, waiting for the first if there is none. The answer is as soon as one can
     * be dispatched, with what can be at that instant. Lease expiry alone decides about an answer that gets lost.
     * </pre>
     */
    public void leaseJobs(io.sluicegate.v1.LeaseJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.LeaseJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getLeaseJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Ends leases; each has its own result, and a bad one never fails its neighbours (semantics 5.4).
     * </pre>
     */
    public void settleJobs(io.sluicegate.v1.SettleJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.SettleJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSettleJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Prolongs leases, each by its own duration from now (semantics 5.1); each has its own result.
     * </pre>
     */
    public void extendLeases(io.sluicegate.v1.ExtendLeasesRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ExtendLeasesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExtendLeasesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Shows one job. JOB_NOT_FOUND, also once it is removed.
     * </pre>
     */
    public void getJob(io.sluicegate.v1.GetJobRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.GetJobResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetJobMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Shows jobs in the order of their ids, which is that of their enqueues.
     * </pre>
     */
    public void listJobs(io.sluicegate.v1.ListJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ListJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Counts jobs.
     * </pre>
     */
    public void countJobs(io.sluicegate.v1.CountJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CountJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCountJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Cancels scheduled and ready jobs at once, and asks the workers of those in flight, whose leases and holds stay until they
     * settle or expire (semantics 6.1). Finished jobs are left as they are.
     * </pre>
     */
    public void cancelJobs(io.sluicegate.v1.CancelJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.CancelJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCancelJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
     * kept; both are ranked anew (semantics 6.5). Others are left as they are. The bindings of finished jobs are validated as at
     * an enqueue: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY.
     * </pre>
     */
    public void retryJobs(io.sluicegate.v1.RetryJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.RetryJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRetryJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes jobs that aren't in flight, finished or not, with their payloads and results (semantics 6.1).
     * </pre>
     */
    public void deleteJobs(io.sluicegate.v1.DeleteJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left as they
     * are. Bindings are changed by BulkModifyBindings.
     * </pre>
     */
    public void updateJobs(io.sluicegate.v1.UpdateJobsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateJobsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateJobsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the bindings of one scheduled or ready job, which is tried again at once, at its old rank (semantics 8.1, 8.3).
     * Refused: JOB_NOT_FOUND, JOB_IN_FLIGHT, JOB_FINISHED, ALREADY_BOUND, NOT_BOUND, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY,
     * BUDGET_LIMIT_REACHED (`create_with`), INVALID_FIELD for more than 16 bindings.
     * </pre>
     */
    public void modifyBindings(io.sluicegate.v1.ModifyBindingsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ModifyBindingsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getModifyBindingsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * The same over a filter (semantics 8.2). A bind that finds its budget bound, and an unbind or set_cost that doesn't, leaves
     * the job as it is. Refused as a whole: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED, INVALID_FIELD.
     * </pre>
     */
    public void bulkModifyBindings(io.sluicegate.v1.BulkModifyBindingsRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.BulkModifyBindingsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBulkModifyBindingsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Says why a job isn't being dispatched (semantics 12). JOB_NOT_FOUND.
     * </pre>
     */
    public void explainJob(io.sluicegate.v1.ExplainJobRequest request,
        io.grpc.stub.StreamObserver<io.sluicegate.v1.ExplainJobResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExplainJobMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service JobService.
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public static final class JobServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<JobServiceBlockingV2Stub> {
    private JobServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected JobServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new JobServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Takes in one job. Refused: INVALID_FIELD, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED (`create_with`).
     * </pre>
     */
    public io.sluicegate.v1.EnqueueResponse enqueue(io.sluicegate.v1.EnqueueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getEnqueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes in jobs in this order: all of them, or none. Refused as Enqueue is, naming `jobs[i]`.
     * </pre>
     */
    public io.sluicegate.v1.BatchEnqueueResponse batchEnqueue(io.sluicegate.v1.BatchEnqueueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchEnqueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * A worker's stream: jobs come as they can be paid for, outcomes go back. See dispatch.proto. Ends with SESSION_SUPERSEDED,
     * DRAINING, INVALID_FIELD for a frame that breaks a bound, or DEADLINE_EXCEEDED, without a reason, after three silent ping
     * intervals, or where a worker that has closed its side, or is leaving, reads nothing for 10 s of what is left for it.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.sluicegate.v1.DispatchRequest, io.sluicegate.v1.DispatchResponse>
        dispatch() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getDispatchMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Dispatch's unary twin: leases up to some jobs, waiting for the first if there is none. The answer is as soon as one can
     * be dispatched, with what can be at that instant. Lease expiry alone decides about an answer that gets lost.
     * </pre>
     */
    public io.sluicegate.v1.LeaseJobsResponse leaseJobs(io.sluicegate.v1.LeaseJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getLeaseJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends leases; each has its own result, and a bad one never fails its neighbours (semantics 5.4).
     * </pre>
     */
    public io.sluicegate.v1.SettleJobsResponse settleJobs(io.sluicegate.v1.SettleJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSettleJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Prolongs leases, each by its own duration from now (semantics 5.1); each has its own result.
     * </pre>
     */
    public io.sluicegate.v1.ExtendLeasesResponse extendLeases(io.sluicegate.v1.ExtendLeasesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExtendLeasesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows one job. JOB_NOT_FOUND, also once it is removed.
     * </pre>
     */
    public io.sluicegate.v1.GetJobResponse getJob(io.sluicegate.v1.GetJobRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetJobMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows jobs in the order of their ids, which is that of their enqueues.
     * </pre>
     */
    public io.sluicegate.v1.ListJobsResponse listJobs(io.sluicegate.v1.ListJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts jobs.
     * </pre>
     */
    public io.sluicegate.v1.CountJobsResponse countJobs(io.sluicegate.v1.CountJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCountJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels scheduled and ready jobs at once, and asks the workers of those in flight, whose leases and holds stay until they
     * settle or expire (semantics 6.1). Finished jobs are left as they are.
     * </pre>
     */
    public io.sluicegate.v1.CancelJobsResponse cancelJobs(io.sluicegate.v1.CancelJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCancelJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
     * kept; both are ranked anew (semantics 6.5). Others are left as they are. The bindings of finished jobs are validated as at
     * an enqueue: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY.
     * </pre>
     */
    public io.sluicegate.v1.RetryJobsResponse retryJobs(io.sluicegate.v1.RetryJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRetryJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes jobs that aren't in flight, finished or not, with their payloads and results (semantics 6.1).
     * </pre>
     */
    public io.sluicegate.v1.DeleteJobsResponse deleteJobs(io.sluicegate.v1.DeleteJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left as they
     * are. Bindings are changed by BulkModifyBindings.
     * </pre>
     */
    public io.sluicegate.v1.UpdateJobsResponse updateJobs(io.sluicegate.v1.UpdateJobsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the bindings of one scheduled or ready job, which is tried again at once, at its old rank (semantics 8.1, 8.3).
     * Refused: JOB_NOT_FOUND, JOB_IN_FLIGHT, JOB_FINISHED, ALREADY_BOUND, NOT_BOUND, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY,
     * BUDGET_LIMIT_REACHED (`create_with`), INVALID_FIELD for more than 16 bindings.
     * </pre>
     */
    public io.sluicegate.v1.ModifyBindingsResponse modifyBindings(io.sluicegate.v1.ModifyBindingsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getModifyBindingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * The same over a filter (semantics 8.2). A bind that finds its budget bound, and an unbind or set_cost that doesn't, leaves
     * the job as it is. Refused as a whole: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED, INVALID_FIELD.
     * </pre>
     */
    public io.sluicegate.v1.BulkModifyBindingsResponse bulkModifyBindings(io.sluicegate.v1.BulkModifyBindingsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBulkModifyBindingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Says why a job isn't being dispatched (semantics 12). JOB_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.ExplainJobResponse explainJob(io.sluicegate.v1.ExplainJobRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExplainJobMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service JobService.
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public static final class JobServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<JobServiceBlockingStub> {
    private JobServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected JobServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new JobServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Takes in one job. Refused: INVALID_FIELD, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED (`create_with`).
     * </pre>
     */
    public io.sluicegate.v1.EnqueueResponse enqueue(io.sluicegate.v1.EnqueueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getEnqueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes in jobs in this order: all of them, or none. Refused as Enqueue is, naming `jobs[i]`.
     * </pre>
     */
    public io.sluicegate.v1.BatchEnqueueResponse batchEnqueue(io.sluicegate.v1.BatchEnqueueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchEnqueueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Dispatch's unary twin: leases up to some jobs, waiting for the first if there is none. The answer is as soon as one can
     * be dispatched, with what can be at that instant. Lease expiry alone decides about an answer that gets lost.
     * </pre>
     */
    public io.sluicegate.v1.LeaseJobsResponse leaseJobs(io.sluicegate.v1.LeaseJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getLeaseJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends leases; each has its own result, and a bad one never fails its neighbours (semantics 5.4).
     * </pre>
     */
    public io.sluicegate.v1.SettleJobsResponse settleJobs(io.sluicegate.v1.SettleJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSettleJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Prolongs leases, each by its own duration from now (semantics 5.1); each has its own result.
     * </pre>
     */
    public io.sluicegate.v1.ExtendLeasesResponse extendLeases(io.sluicegate.v1.ExtendLeasesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExtendLeasesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows one job. JOB_NOT_FOUND, also once it is removed.
     * </pre>
     */
    public io.sluicegate.v1.GetJobResponse getJob(io.sluicegate.v1.GetJobRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetJobMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Shows jobs in the order of their ids, which is that of their enqueues.
     * </pre>
     */
    public io.sluicegate.v1.ListJobsResponse listJobs(io.sluicegate.v1.ListJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts jobs.
     * </pre>
     */
    public io.sluicegate.v1.CountJobsResponse countJobs(io.sluicegate.v1.CountJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCountJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels scheduled and ready jobs at once, and asks the workers of those in flight, whose leases and holds stay until they
     * settle or expire (semantics 6.1). Finished jobs are left as they are.
     * </pre>
     */
    public io.sluicegate.v1.CancelJobsResponse cancelJobs(io.sluicegate.v1.CancelJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCancelJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
     * kept; both are ranked anew (semantics 6.5). Others are left as they are. The bindings of finished jobs are validated as at
     * an enqueue: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY.
     * </pre>
     */
    public io.sluicegate.v1.RetryJobsResponse retryJobs(io.sluicegate.v1.RetryJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRetryJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes jobs that aren't in flight, finished or not, with their payloads and results (semantics 6.1).
     * </pre>
     */
    public io.sluicegate.v1.DeleteJobsResponse deleteJobs(io.sluicegate.v1.DeleteJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left as they
     * are. Bindings are changed by BulkModifyBindings.
     * </pre>
     */
    public io.sluicegate.v1.UpdateJobsResponse updateJobs(io.sluicegate.v1.UpdateJobsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateJobsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the bindings of one scheduled or ready job, which is tried again at once, at its old rank (semantics 8.1, 8.3).
     * Refused: JOB_NOT_FOUND, JOB_IN_FLIGHT, JOB_FINISHED, ALREADY_BOUND, NOT_BOUND, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY,
     * BUDGET_LIMIT_REACHED (`create_with`), INVALID_FIELD for more than 16 bindings.
     * </pre>
     */
    public io.sluicegate.v1.ModifyBindingsResponse modifyBindings(io.sluicegate.v1.ModifyBindingsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getModifyBindingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * The same over a filter (semantics 8.2). A bind that finds its budget bound, and an unbind or set_cost that doesn't, leaves
     * the job as it is. Refused as a whole: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED, INVALID_FIELD.
     * </pre>
     */
    public io.sluicegate.v1.BulkModifyBindingsResponse bulkModifyBindings(io.sluicegate.v1.BulkModifyBindingsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBulkModifyBindingsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Says why a job isn't being dispatched (semantics 12). JOB_NOT_FOUND.
     * </pre>
     */
    public io.sluicegate.v1.ExplainJobResponse explainJob(io.sluicegate.v1.ExplainJobRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExplainJobMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service JobService.
   * <pre>
   * Takes jobs in, hands them to workers, and shows and changes them.
   * An answer of OK, and every push, follows the commit that makes it true (semantics 10.1). Any call may be refused with
   * STORE_UNAVAILABLE, after which its outcome is unknown, DRAINING or OVERLOADED. A request, or a frame of a stream, is at most
   * 32 MiB as encoded; the transport refuses larger ones. It must arrive within 30 s, from the call's beginning to the end of the
   * request, or from a frame's first byte to its last; else DEADLINE_EXCEEDED, without a reason. The headers of a call are at
   * most 16 KiB, else INVALID_FIELD naming `headers`.
   * Calls over a JobFilter that change jobs: up to 10,000 jobs are one commit. Beyond, all are validated first, then changed in
   * the order of their ids, one commit a step; an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
   * A change that is invalid for any selected job refuses the whole call, and nothing changes. `blocked` names only jobs that
   * the call would have changed.
   * </pre>
   */
  public static final class JobServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<JobServiceFutureStub> {
    private JobServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected JobServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new JobServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Takes in one job. Refused: INVALID_FIELD, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED (`create_with`).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.EnqueueResponse> enqueue(
        io.sluicegate.v1.EnqueueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getEnqueueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes in jobs in this order: all of them, or none. Refused as Enqueue is, naming `jobs[i]`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.BatchEnqueueResponse> batchEnqueue(
        io.sluicegate.v1.BatchEnqueueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchEnqueueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Dispatch's unary twin: leases up to some jobs, waiting for the first if there is none. The answer is as soon as one can
     * be dispatched, with what can be at that instant. Lease expiry alone decides about an answer that gets lost.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.LeaseJobsResponse> leaseJobs(
        io.sluicegate.v1.LeaseJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getLeaseJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Ends leases; each has its own result, and a bad one never fails its neighbours (semantics 5.4).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.SettleJobsResponse> settleJobs(
        io.sluicegate.v1.SettleJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSettleJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Prolongs leases, each by its own duration from now (semantics 5.1); each has its own result.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ExtendLeasesResponse> extendLeases(
        io.sluicegate.v1.ExtendLeasesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExtendLeasesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Shows one job. JOB_NOT_FOUND, also once it is removed.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.GetJobResponse> getJob(
        io.sluicegate.v1.GetJobRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetJobMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Shows jobs in the order of their ids, which is that of their enqueues.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ListJobsResponse> listJobs(
        io.sluicegate.v1.ListJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Counts jobs.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.CountJobsResponse> countJobs(
        io.sluicegate.v1.CountJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCountJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Cancels scheduled and ready jobs at once, and asks the workers of those in flight, whose leases and holds stay until they
     * settle or expire (semantics 6.1). Finished jobs are left as they are.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.CancelJobsResponse> cancelJobs(
        io.sluicegate.v1.CancelJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCancelJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
     * kept; both are ranked anew (semantics 6.5). Others are left as they are. The bindings of finished jobs are validated as at
     * an enqueue: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.RetryJobsResponse> retryJobs(
        io.sluicegate.v1.RetryJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRetryJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes jobs that aren't in flight, finished or not, with their payloads and results (semantics 6.1).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.DeleteJobsResponse> deleteJobs(
        io.sluicegate.v1.DeleteJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left as they
     * are. Bindings are changed by BulkModifyBindings.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.UpdateJobsResponse> updateJobs(
        io.sluicegate.v1.UpdateJobsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateJobsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the bindings of one scheduled or ready job, which is tried again at once, at its old rank (semantics 8.1, 8.3).
     * Refused: JOB_NOT_FOUND, JOB_IN_FLIGHT, JOB_FINISHED, ALREADY_BOUND, NOT_BOUND, BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY,
     * BUDGET_LIMIT_REACHED (`create_with`), INVALID_FIELD for more than 16 bindings.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ModifyBindingsResponse> modifyBindings(
        io.sluicegate.v1.ModifyBindingsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getModifyBindingsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * The same over a filter (semantics 8.2). A bind that finds its budget bound, and an unbind or set_cost that doesn't, leaves
     * the job as it is. Refused as a whole: BUDGET_NOT_FOUND, COST_EXCEEDS_CAPACITY, BUDGET_LIMIT_REACHED, INVALID_FIELD.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.BulkModifyBindingsResponse> bulkModifyBindings(
        io.sluicegate.v1.BulkModifyBindingsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBulkModifyBindingsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Says why a job isn't being dispatched (semantics 12). JOB_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.sluicegate.v1.ExplainJobResponse> explainJob(
        io.sluicegate.v1.ExplainJobRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExplainJobMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ENQUEUE = 0;
  private static final int METHODID_BATCH_ENQUEUE = 1;
  private static final int METHODID_LEASE_JOBS = 2;
  private static final int METHODID_SETTLE_JOBS = 3;
  private static final int METHODID_EXTEND_LEASES = 4;
  private static final int METHODID_GET_JOB = 5;
  private static final int METHODID_LIST_JOBS = 6;
  private static final int METHODID_COUNT_JOBS = 7;
  private static final int METHODID_CANCEL_JOBS = 8;
  private static final int METHODID_RETRY_JOBS = 9;
  private static final int METHODID_DELETE_JOBS = 10;
  private static final int METHODID_UPDATE_JOBS = 11;
  private static final int METHODID_MODIFY_BINDINGS = 12;
  private static final int METHODID_BULK_MODIFY_BINDINGS = 13;
  private static final int METHODID_EXPLAIN_JOB = 14;
  private static final int METHODID_DISPATCH = 15;

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
        case METHODID_ENQUEUE:
          serviceImpl.enqueue((io.sluicegate.v1.EnqueueRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.EnqueueResponse>) responseObserver);
          break;
        case METHODID_BATCH_ENQUEUE:
          serviceImpl.batchEnqueue((io.sluicegate.v1.BatchEnqueueRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.BatchEnqueueResponse>) responseObserver);
          break;
        case METHODID_LEASE_JOBS:
          serviceImpl.leaseJobs((io.sluicegate.v1.LeaseJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.LeaseJobsResponse>) responseObserver);
          break;
        case METHODID_SETTLE_JOBS:
          serviceImpl.settleJobs((io.sluicegate.v1.SettleJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.SettleJobsResponse>) responseObserver);
          break;
        case METHODID_EXTEND_LEASES:
          serviceImpl.extendLeases((io.sluicegate.v1.ExtendLeasesRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ExtendLeasesResponse>) responseObserver);
          break;
        case METHODID_GET_JOB:
          serviceImpl.getJob((io.sluicegate.v1.GetJobRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.GetJobResponse>) responseObserver);
          break;
        case METHODID_LIST_JOBS:
          serviceImpl.listJobs((io.sluicegate.v1.ListJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ListJobsResponse>) responseObserver);
          break;
        case METHODID_COUNT_JOBS:
          serviceImpl.countJobs((io.sluicegate.v1.CountJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.CountJobsResponse>) responseObserver);
          break;
        case METHODID_CANCEL_JOBS:
          serviceImpl.cancelJobs((io.sluicegate.v1.CancelJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.CancelJobsResponse>) responseObserver);
          break;
        case METHODID_RETRY_JOBS:
          serviceImpl.retryJobs((io.sluicegate.v1.RetryJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.RetryJobsResponse>) responseObserver);
          break;
        case METHODID_DELETE_JOBS:
          serviceImpl.deleteJobs((io.sluicegate.v1.DeleteJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.DeleteJobsResponse>) responseObserver);
          break;
        case METHODID_UPDATE_JOBS:
          serviceImpl.updateJobs((io.sluicegate.v1.UpdateJobsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.UpdateJobsResponse>) responseObserver);
          break;
        case METHODID_MODIFY_BINDINGS:
          serviceImpl.modifyBindings((io.sluicegate.v1.ModifyBindingsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ModifyBindingsResponse>) responseObserver);
          break;
        case METHODID_BULK_MODIFY_BINDINGS:
          serviceImpl.bulkModifyBindings((io.sluicegate.v1.BulkModifyBindingsRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.BulkModifyBindingsResponse>) responseObserver);
          break;
        case METHODID_EXPLAIN_JOB:
          serviceImpl.explainJob((io.sluicegate.v1.ExplainJobRequest) request,
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.ExplainJobResponse>) responseObserver);
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
        case METHODID_DISPATCH:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.dispatch(
              (io.grpc.stub.StreamObserver<io.sluicegate.v1.DispatchResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getEnqueueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.EnqueueRequest,
              io.sluicegate.v1.EnqueueResponse>(
                service, METHODID_ENQUEUE)))
        .addMethod(
          getBatchEnqueueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.BatchEnqueueRequest,
              io.sluicegate.v1.BatchEnqueueResponse>(
                service, METHODID_BATCH_ENQUEUE)))
        .addMethod(
          getDispatchMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.sluicegate.v1.DispatchRequest,
              io.sluicegate.v1.DispatchResponse>(
                service, METHODID_DISPATCH)))
        .addMethod(
          getLeaseJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.LeaseJobsRequest,
              io.sluicegate.v1.LeaseJobsResponse>(
                service, METHODID_LEASE_JOBS)))
        .addMethod(
          getSettleJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.SettleJobsRequest,
              io.sluicegate.v1.SettleJobsResponse>(
                service, METHODID_SETTLE_JOBS)))
        .addMethod(
          getExtendLeasesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ExtendLeasesRequest,
              io.sluicegate.v1.ExtendLeasesResponse>(
                service, METHODID_EXTEND_LEASES)))
        .addMethod(
          getGetJobMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.GetJobRequest,
              io.sluicegate.v1.GetJobResponse>(
                service, METHODID_GET_JOB)))
        .addMethod(
          getListJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ListJobsRequest,
              io.sluicegate.v1.ListJobsResponse>(
                service, METHODID_LIST_JOBS)))
        .addMethod(
          getCountJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.CountJobsRequest,
              io.sluicegate.v1.CountJobsResponse>(
                service, METHODID_COUNT_JOBS)))
        .addMethod(
          getCancelJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.CancelJobsRequest,
              io.sluicegate.v1.CancelJobsResponse>(
                service, METHODID_CANCEL_JOBS)))
        .addMethod(
          getRetryJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.RetryJobsRequest,
              io.sluicegate.v1.RetryJobsResponse>(
                service, METHODID_RETRY_JOBS)))
        .addMethod(
          getDeleteJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.DeleteJobsRequest,
              io.sluicegate.v1.DeleteJobsResponse>(
                service, METHODID_DELETE_JOBS)))
        .addMethod(
          getUpdateJobsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.UpdateJobsRequest,
              io.sluicegate.v1.UpdateJobsResponse>(
                service, METHODID_UPDATE_JOBS)))
        .addMethod(
          getModifyBindingsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ModifyBindingsRequest,
              io.sluicegate.v1.ModifyBindingsResponse>(
                service, METHODID_MODIFY_BINDINGS)))
        .addMethod(
          getBulkModifyBindingsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.BulkModifyBindingsRequest,
              io.sluicegate.v1.BulkModifyBindingsResponse>(
                service, METHODID_BULK_MODIFY_BINDINGS)))
        .addMethod(
          getExplainJobMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.sluicegate.v1.ExplainJobRequest,
              io.sluicegate.v1.ExplainJobResponse>(
                service, METHODID_EXPLAIN_JOB)))
        .build();
  }

  private static abstract class JobServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    JobServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.sluicegate.v1.JobServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("JobService");
    }
  }

  private static final class JobServiceFileDescriptorSupplier
      extends JobServiceBaseDescriptorSupplier {
    JobServiceFileDescriptorSupplier() {}
  }

  private static final class JobServiceMethodDescriptorSupplier
      extends JobServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    JobServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (JobServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new JobServiceFileDescriptorSupplier())
              .addMethod(getEnqueueMethod())
              .addMethod(getBatchEnqueueMethod())
              .addMethod(getDispatchMethod())
              .addMethod(getLeaseJobsMethod())
              .addMethod(getSettleJobsMethod())
              .addMethod(getExtendLeasesMethod())
              .addMethod(getGetJobMethod())
              .addMethod(getListJobsMethod())
              .addMethod(getCountJobsMethod())
              .addMethod(getCancelJobsMethod())
              .addMethod(getRetryJobsMethod())
              .addMethod(getDeleteJobsMethod())
              .addMethod(getUpdateJobsMethod())
              .addMethod(getModifyBindingsMethod())
              .addMethod(getBulkModifyBindingsMethod())
              .addMethod(getExplainJobMethod())
              .build();
        }
      }
    }
    return result;
  }
}
