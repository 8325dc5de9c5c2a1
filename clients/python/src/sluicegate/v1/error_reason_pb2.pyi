from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_ALREADY_EXISTS: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_BOUND: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_JOB_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_BOUND: _ClassVar[ErrorReason]
    ERROR_REASON_QUEUE_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_COST_EXCEEDS_CAPACITY: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_IN_USE: _ClassVar[ErrorReason]
    ERROR_REASON_JOB_IN_FLIGHT: _ClassVar[ErrorReason]
    ERROR_REASON_JOB_FINISHED: _ClassVar[ErrorReason]
    ERROR_REASON_ETAG_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_SESSION_SUPERSEDED: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_LIMIT_REACHED: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_FIELD: ErrorReason
ERROR_REASON_BUDGET_ALREADY_EXISTS: ErrorReason
ERROR_REASON_ALREADY_BOUND: ErrorReason
ERROR_REASON_BUDGET_NOT_FOUND: ErrorReason
ERROR_REASON_JOB_NOT_FOUND: ErrorReason
ERROR_REASON_NOT_BOUND: ErrorReason
ERROR_REASON_QUEUE_NOT_FOUND: ErrorReason
ERROR_REASON_COST_EXCEEDS_CAPACITY: ErrorReason
ERROR_REASON_BUDGET_IN_USE: ErrorReason
ERROR_REASON_JOB_IN_FLIGHT: ErrorReason
ERROR_REASON_JOB_FINISHED: ErrorReason
ERROR_REASON_ETAG_MISMATCH: ErrorReason
ERROR_REASON_SESSION_SUPERSEDED: ErrorReason
ERROR_REASON_BUDGET_LIMIT_REACHED: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_STORE_UNAVAILABLE: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
