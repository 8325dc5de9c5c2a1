package sluicegate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

var testStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time {
	return testStart.Add(time.Duration(seconds * float64(time.Second)))
}

func holding(totalMax time.Duration, ids ...string) *inflight {
	i := newInflight(totalMax, rand.New(rand.NewPCG(1, 2)))
	for _, id := range ids {
		job := &Job{Budgets: []Binding{{Budget: "b"}}, Lease: &Lease{ID: id, Duration: 30 * time.Second}}
		i.pushed(job, testStart)
	}
	return i
}

func settled(id string) *pb.SettleOutcome {
	return settlement(id, Success{Result: []byte("done")}, reports{}, false)
}

func TestLeasesAreExtendedAfterAThirdUntilTheirTotalIsUsedUp(t *testing.T) {
	i := holding(25*time.Second, "a")
	due, has := i.extendDue()
	if !has || due.Before(after(8)) || due.After(after(10)) {
		t.Fatalf("%v", due)
	}
	now := due
	for range 2 {
		if taken := i.takeExtensions(now, 10); !slices.Equal(taken, []string{"a"}) {
			t.Fatal(taken)
		}
		now = now.Add(10 * time.Second)
	}
	if taken := i.takeExtensions(after(100), 10); len(taken) != 0 {
		t.Fatalf("%v, beyond the total", taken)
	}
}

func TestWhatIsntConfirmedIsSentAgainOnTheNextStream(t *testing.T) {
	i := holding(0, "a", "b")
	i.start("b")
	i.settle(settled("a"), after(1))
	if taken := i.takeSettlements(10, 1<<20); len(taken) != 1 {
		t.Fatal(taken)
	}
	if stops := i.welcomed([]string{"b"}, after(2)); !slices.Equal(stops, []stop{{"b", ErrLeaseLost}}) {
		t.Fatal(stops)
	}
	if taken := i.takeSettlements(10, 1<<20); len(taken) != 1 || taken[0].GetLeaseId() != "a" {
		t.Fatal(taken)
	}
	if ids := i.leaseIDs(); !slices.Equal(ids, []string{"a"}) {
		t.Fatal(ids)
	}
}

func TestARefusedSettlementIsSentBareOnce(t *testing.T) {
	i := holding(0, "a")
	i.settle(settled("a"), after(1))
	i.takeSettlements(10, 1<<20)
	invalid := &pb.SettleResult{LeaseId: "a", Status: pb.SettleStatus_SETTLE_STATUS_INVALID}
	if found := i.confirmed(invalid, after(2)); found != confirmedRetried {
		t.Fatal(found)
	}
	if taken := i.takeSettlements(10, 1<<20); len(taken) != 1 || len(taken[0].GetSuccess().GetResult()) != 0 {
		t.Fatal(taken)
	}
	if found := i.confirmed(invalid, after(3)); found != confirmedAbandoned || len(i.held) != 0 {
		t.Fatal(found, len(i.held))
	}
}

func TestAJobThatWaitsGoesBackWithNothingUsed(t *testing.T) {
	i := holding(0, "a", "b")
	i.start("b")
	if released := i.releaseWaiting(after(1)); released != 1 {
		t.Fatal(released)
	}
	taken := i.takeSettlements(10, 1<<20)
	if len(taken) != 1 || taken[0].GetRelease() == nil || taken[0].GetUsage()[0].GetCost() != 0 {
		t.Fatal(taken)
	}
}

func TestAHandlerIsToldThatItsJobIsCancelledAndThenThatItsLeaseIsLost(t *testing.T) {
	i := holding(0, "a")
	i.start("a")
	told, has := i.revoked("a", pb.RevokeReason_REVOKE_REASON_CANCEL_REQUESTED, after(1))
	if !has || told.reason != ErrCancelRequested {
		t.Fatal(told)
	}
	told, has = i.revoked("a", pb.RevokeReason_REVOKE_REASON_EXPIRED, after(2))
	if !has || told.reason != ErrLeaseLost || i.settle(settled("a"), after(3)) {
		t.Fatal(told)
	}
}

func TestOutcomesAreFoundAmongWrappedErrors(t *testing.T) {
	minute := For(time.Minute)
	for _, it := range []struct {
		err  error
		want Outcome
	}{
		{nil, Success{}},
		{fmt.Errorf("sending: %w", Release{Delay: time.Second}), Release{Delay: time.Second}},
		{fmt.Errorf("sending: %w", Discard{"none"}), Discard{"sending: none"}},
		{fmt.Errorf("sending: %w", Failure{"late", minute}), Failure{"sending: late", minute}},
		{fmt.Errorf("no luck"), Failure{Message: "no luck"}},
	} {
		if got := outcomeOf(it.err); !reflect.DeepEqual(got, it.want) {
			t.Errorf("%v: %+v, not %+v", it.err, got, it.want)
		}
	}
	if cut := errorText(string(make([]byte, 5000))); len(cut) != errorBytesMax {
		t.Error(len(cut))
	}
}
