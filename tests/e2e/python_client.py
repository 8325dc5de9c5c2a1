"""A worker in Python that knows nothing but the contract: python_client.py ADDRESS, generated code on PYTHONPATH."""

import queue
import sys

import grpc

from sluicegate.v1 import budget_pb2, budget_service_pb2, budget_service_pb2_grpc
from sluicegate.v1 import dispatch_pb2, job_pb2, job_service_pb2, job_service_pb2_grpc, settle_pb2

SECONDS_MAX = 60


def main(address):
    channel = grpc.insecure_channel(address)
    budgets = budget_service_pb2_grpc.BudgetServiceStub(channel)
    jobs = job_service_pb2_grpc.JobServiceStub(channel)

    policy = budget_pb2.BudgetPolicy(allocation=2, while_in_flight=budget_pb2.WhileInFlight())
    create = budget_service_pb2.CreateBudgetRequest(key="db", policy=policy)
    assert budgets.CreateBudget(create, timeout=SECONDS_MAX).budget.status.available == 2
    try:
        budgets.CreateBudget(create, timeout=SECONDS_MAX)
        raise AssertionError("the budget was created twice")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.ALREADY_EXISTS, error

    ids = []
    for number in range(5):
        spec = job_pb2.JobSpec(queue="python", json=str(number), bindings=[budget_pb2.Binding(budget="db")])
        ids.append(jobs.Enqueue(job_service_pb2.EnqueueRequest(job=spec), timeout=SECONDS_MAX).job.id)

    frames = queue.SimpleQueue()
    hello = dispatch_pb2.WorkerHello(
        worker_id="python",
        queues=[dispatch_pb2.WorkerQueue(name="python")],
        window=dispatch_pb2.Window(max_jobs=10),
    )
    frames.put(dispatch_pb2.DispatchRequest(hello=hello))
    done = []
    most = 0
    held = set()
    for response in jobs.Dispatch(iter(frames.get, None), timeout=SECONDS_MAX):
        frame = response.WhichOneof("frame")
        if frame == "welcome":
            assert response.welcome.server_version
        elif frame == "jobs":
            leased = response.jobs.jobs
            held.update(one.lease.id for one in leased)
            most = max(most, len(held))
            assert [one.job.spec.json for one in leased] == [str(ids.index(one.job.id)) for one in leased]
            success = settle_pb2.JobSuccess()
            outcomes = [settle_pb2.SettleOutcome(lease_id=one.lease.id, success=success) for one in leased]
            done.extend(one.job.id for one in leased)
            frames.put(dispatch_pb2.DispatchRequest(settle=dispatch_pb2.SettleLeases(outcomes=outcomes)))
        elif frame == "settled":
            for result in response.settled.results:
                assert result.status == settle_pb2.SETTLE_STATUS_SETTLED, result
                held.remove(result.lease_id)
            if len(done) == len(ids) and not held:
                frames.put(dispatch_pb2.DispatchRequest(leaving=dispatch_pb2.WorkerLeaving()))
                frames.put(None)
    assert done == ids, (done, ids)
    assert 1 <= most <= 2, most
    assert jobs.CountJobs(job_service_pb2.CountJobsRequest(), timeout=SECONDS_MAX).count == 0
    print(f"{len(done)} jobs done")


main(sys.argv[1])
