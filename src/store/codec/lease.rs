//! Rows of leases, queues and remembered enqueues.

use serde::{Deserialize, Serialize};

use super::{Kind, decode, encode};
use crate::scheduler::effect::{QueueRecord, RequestRecord};
use crate::scheduler::lease::{Debit, LeaseRecord, Receipt};
use crate::scheduler::units::{BudgetId, JobId, LeaseId, Nanos, Timestamp, Tokens};
use crate::store::error::RowError;
use crate::store::intern::Interner;
use crate::store::tables::{Table, read_name, read_number};

const LEASE: Kind = Kind { table: Table::Leases, expected: "a lease, version 1" };
const QUEUE: Kind = Kind { table: Table::Queues, expected: "a queue, version 1" };
const REQUEST: Kind = Kind { table: Table::Requests, expected: "a remembered enqueue, version 1" };

#[derive(Serialize, Deserialize)]
struct LeaseRow<'a> {
    job: u64,
    worker: &'a str,
    attempt: u32,
    dispatch_time: i64,
    expire_time: i64,
    duration: u64,
    receipt: ReceiptRow,
    cancelled: bool,
    request: Option<&'a str>,
    debits: Vec<DebitRow>,
}

#[derive(Serialize, Deserialize)]
enum ReceiptRow {
    Unneeded,
    Awaited,
    Confirmed,
}

#[derive(Serialize, Deserialize)]
struct DebitRow {
    budget: u64,
    cost: u64,
    time_based: bool,
}

#[derive(Serialize, Deserialize)]
struct QueueRow {
    paused: bool,
}

#[derive(Serialize, Deserialize)]
struct RequestRow<'a> {
    request: &'a str,
    jobs: Vec<(u64, bool)>,
    time: i64,
}

impl From<Receipt> for ReceiptRow {
    fn from(receipt: Receipt) -> Self {
        match receipt {
            Receipt::Unneeded => Self::Unneeded,
            Receipt::Awaited => Self::Awaited,
            Receipt::Confirmed => Self::Confirmed,
        }
    }
}

impl From<ReceiptRow> for Receipt {
    fn from(row: ReceiptRow) -> Self {
        match row {
            ReceiptRow::Unneeded => Self::Unneeded,
            ReceiptRow::Awaited => Self::Awaited,
            ReceiptRow::Confirmed => Self::Confirmed,
        }
    }
}

impl From<&Debit> for DebitRow {
    fn from(debit: &Debit) -> Self {
        Self { budget: debit.budget.0, cost: debit.cost.0, time_based: debit.time_based }
    }
}

impl From<DebitRow> for Debit {
    fn from(row: DebitRow) -> Self {
        Self { budget: BudgetId(row.budget), cost: Tokens(row.cost), time_based: row.time_based }
    }
}

pub(in crate::store) fn encode_lease(lease: &LeaseRecord, out: &mut Vec<u8>) {
    let row = LeaseRow {
        job: lease.job.0,
        worker: &lease.worker,
        attempt: lease.attempt,
        dispatch_time: lease.dispatch_time.0,
        expire_time: lease.expire_time.0,
        duration: lease.duration.0,
        receipt: lease.receipt.into(),
        cancelled: lease.cancelled,
        request: lease.request.as_deref(),
        debits: lease.debits.iter().map(DebitRow::from).collect(),
    };
    encode(&row, out);
}

pub(in crate::store) fn decode_lease(
    key: &[u8],
    value: &[u8],
    interner: &mut Interner,
) -> Result<LeaseRecord, RowError> {
    let id = LeaseId(read_number(Table::Leases, key)?);
    let row: LeaseRow<'_> = decode(LEASE, key, value)?;
    Ok(LeaseRecord {
        id,
        job: JobId(row.job),
        worker: interner.name(row.worker),
        attempt: row.attempt,
        dispatch_time: Timestamp(row.dispatch_time),
        expire_time: Timestamp(row.expire_time),
        duration: Nanos(row.duration),
        receipt: row.receipt.into(),
        cancelled: row.cancelled,
        request: row.request.map(|request| interner.name(request)),
        debits: row.debits.into_iter().map(Debit::from).collect(),
    })
}

pub(in crate::store) fn encode_queue(queue: &QueueRecord, out: &mut Vec<u8>) {
    encode(&QueueRow { paused: queue.paused }, out);
}

pub(in crate::store) fn decode_queue(
    key: &[u8],
    value: &[u8],
    interner: &mut Interner,
) -> Result<QueueRecord, RowError> {
    let name = interner.name(read_name(Table::Queues, key)?);
    let row: QueueRow = decode(QUEUE, key, value)?;
    Ok(QueueRecord { name, paused: row.paused })
}

pub(in crate::store) fn encode_request(request: &RequestRecord, out: &mut Vec<u8>) {
    let row = RequestRow {
        request: &request.request,
        jobs: request.jobs.iter().map(|&(job, existed)| (job.0, existed)).collect(),
        time: request.time.0,
    };
    encode(&row, out);
}

pub(in crate::store) fn decode_request(key: &[u8], value: &[u8]) -> Result<RequestRecord, RowError> {
    let number = JobId(read_number(Table::Requests, key)?);
    let row: RequestRow<'_> = decode(REQUEST, key, value)?;
    Ok(RequestRecord {
        request: row.request.into(),
        number,
        jobs: row.jobs.into_iter().map(|(job, existed)| (JobId(job), existed)).collect(),
        time: Timestamp(row.time),
    })
}
