import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from sluicegate.v1 import budget_pb2 as _budget_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateBudgetRequest(_message.Message):
    __slots__ = ("key", "policy")
    KEY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    key: str
    policy: _budget_pb2.BudgetPolicy
    def __init__(self, key: _Optional[str] = ..., policy: _Optional[_Union[_budget_pb2.BudgetPolicy, _Mapping]] = ...) -> None: ...

class CreateBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class ReplaceBudgetRequest(_message.Message):
    __slots__ = ("key", "policy", "allow_missing", "etag")
    KEY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    key: str
    policy: _budget_pb2.BudgetPolicy
    allow_missing: bool
    etag: str
    def __init__(self, key: _Optional[str] = ..., policy: _Optional[_Union[_budget_pb2.BudgetPolicy, _Mapping]] = ..., allow_missing: bool = ..., etag: _Optional[str] = ...) -> None: ...

class ReplaceBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class UpdateBudgetRequest(_message.Message):
    __slots__ = ("key", "policy", "update_mask", "etag")
    KEY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    key: str
    policy: _budget_pb2.BudgetPolicy
    update_mask: _field_mask_pb2.FieldMask
    etag: str
    def __init__(self, key: _Optional[str] = ..., policy: _Optional[_Union[_budget_pb2.BudgetPolicy, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., etag: _Optional[str] = ...) -> None: ...

class UpdateBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class GetBudgetRequest(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: str
    def __init__(self, key: _Optional[str] = ...) -> None: ...

class GetBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class ListBudgetsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListBudgetsResponse(_message.Message):
    __slots__ = ("budgets", "next_page_token")
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    budgets: _containers.RepeatedCompositeFieldContainer[_budget_pb2.Budget]
    next_page_token: str
    def __init__(self, budgets: _Optional[_Iterable[_Union[_budget_pb2.Budget, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteBudgetRequest(_message.Message):
    __slots__ = ("key", "allow_missing", "etag")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    key: str
    allow_missing: bool
    etag: str
    def __init__(self, key: _Optional[str] = ..., allow_missing: bool = ..., etag: _Optional[str] = ...) -> None: ...

class DeleteBudgetResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BlockBudgetRequest(_message.Message):
    __slots__ = ("key", "duration")
    KEY_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    key: str
    duration: _duration_pb2.Duration
    def __init__(self, key: _Optional[str] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BlockBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class UnblockBudgetRequest(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: str
    def __init__(self, key: _Optional[str] = ...) -> None: ...

class UnblockBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...

class AdjustBudgetRequest(_message.Message):
    __slots__ = ("key", "level")
    KEY_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    key: str
    level: int
    def __init__(self, key: _Optional[str] = ..., level: _Optional[int] = ...) -> None: ...

class AdjustBudgetResponse(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: _budget_pb2.Budget
    def __init__(self, budget: _Optional[_Union[_budget_pb2.Budget, _Mapping]] = ...) -> None: ...
