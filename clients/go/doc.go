// Package sluicegate is the Go client of Sluicegate, the job server that holds the limits itself: a job is dispatched the
// moment every budget that it is bound to can pay for it.
//
// [New] makes a [Client]. With it producers enqueue jobs ([Client.Enqueue], [Client.EnqueueMany]) and operators look after
// budgets, queues and jobs, one ([Client.GetJob]) or all that a [Selection] selects ([Client.Jobs]). A [Worker]
// ([Client.NewWorker]) takes jobs and runs handlers.
//
// Every call takes a context first and fails with an [*Error], whose reason errors.Is tells ([ErrBudgetNotFound] and so on),
// or with a [*ClientError] where nothing was sent. Nothing here is global, and all of it may be used by many goroutines at once.
//
// The generated code of the contract is package sluicegatev1 in the folder of that name. The numbers in "(semantics 4.3)" are
// those of the rules in docs/ of the project.
package sluicegate
