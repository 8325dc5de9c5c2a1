package sluicegate

import pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"

func bindOperation(binding Binding) *pb.BindingOperation {
	return &pb.BindingOperation{Operation: &pb.BindingOperation_Bind{Bind: binding.toWire()}}
}

func rebindOperation(binding Binding) *pb.BindingOperation {
	return &pb.BindingOperation{Operation: &pb.BindingOperation_Rebind{Rebind: binding.toWire()}}
}

func setCostOperation(budget string, cost uint64) *pb.BindingOperation {
	setCost := &pb.SetBindingCost{Budget: budget, Cost: cost}
	return &pb.BindingOperation{Operation: &pb.BindingOperation_SetCost{SetCost: setCost}}
}

func unbindOperation(budget string) *pb.BindingOperation {
	return &pb.BindingOperation{Operation: &pb.BindingOperation_Unbind{Unbind: &pb.Unbind{Budget: budget}}}
}

func unbindAllOperation() *pb.BindingOperation {
	return &pb.BindingOperation{Operation: &pb.BindingOperation_UnbindAll{UnbindAll: &pb.UnbindAll{}}}
}

func replaceOperation(bindings []Binding) *pb.BindingOperation {
	replace := &pb.ReplaceBindings{Bindings: bindingsToWire(bindings)}
	return &pb.BindingOperation{Operation: &pb.BindingOperation_ReplaceAll{ReplaceAll: replace}}
}
