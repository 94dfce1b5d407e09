package catalogue

// service lists the codes where another part of the service refused, or failed.
var service = []Entry{
	{"boundary_not_ready", []int{409}, asItIs, "Checks of readiness fail or red flags are raised; errors lists all of them.",
		"Pass the checks that errors lists, or give an override with its reason, which is recorded."},
	{"policy_unreadable", []int{409}, asItIs, "The policy of the boundary cannot be used; errors says what is wrong where that is known.",
		"Mend policy.json by schemas/boundary_policy.schema.json, or move it away and run orchestrator " +
			"boundary install again."},
	{"boundary_unwritable", []int{503}, again, "The boundary's journal or policy cannot be written.",
		"Whoever runs the service makes the folder writable, or makes room on its disk."},
	{"journal_unreadable", []int{503}, again, "The boundary's journal cannot be read.",
		"Whoever runs the service makes the journal readable, or moves away what is none."},
	{"reason_required", []int{422}, asItIs, "A change of the boundary or of the workflow needs a reason.",
		"Send reason: the change is on record with it."},
	{"reason_too_long", []int{422}, asItIs, "A reason has at most 1,000 bytes.",
		"Give the short of it, and name where the rest stands."},
	{"unknown_workflow", []int{422}, asItIs, "There is no such workflow.",
		"Send v1, the literal table, or rework, which adds ways back."},
	{"workflow_would_strand", []int{409}, asItIs,
		"A switch of the workflow would leave requirements without a way to done; errors names the first of them.",
		"Bring the requirements that errors names to a status that leads on, then switch. GET /next shows them to the pm."},
	{"unknown_mode", []int{422}, asItIs, "The boundary has no such mode.",
		"Send off, validate or enforce."},
	{"condition_invalid", []int{422}, asItIs, "The condition of a MAINTAIN or AVOID cannot be used.",
		"Write the condition in CEL over payload, input, caller, ir and state; docs/conductor.md shows some."},
	{"idempotency_conflict", []int{409}, asItIs, "The idempotency_key was used for another request to the conductor.",
		"Use a new idempotency_key for a new request."},
	{"run_under_way", []int{409}, again, "The run of this idempotency_key has not ended.",
		"Send the same request again later: it is answered with the trace of that run."},
	{"missing_capability", []int{422}, asItIs, "No tool satisfies an obligation; missing_capabilities names them.",
		"GET /tools lists what there is. Add a contract to .orchestrator/tools, or ask for something else."},
	{"not_understood", []int{422}, asItIs, "The utterance has no form that the grammar knows; fix has those.",
		"The fix lists the forms that are understood. POST /requests {\"utterance\":\"what should I do " +
			"next?\"} is one."},
	{"utterance_too_long", []int{422}, asItIs, "The utterance has more than 2,000 characters.",
		"Ask for less at once. Obligations of any size go in as JSON."},
	{"translator_unavailable", []int{503}, again, "The language model does not answer; the forms of the grammar need none.",
		"Send the request again later, or use the forms that need no model; the fix lists them."},
	{"conductor_stopping", []int{503}, again, "The service ends while the conductor runs; the run goes on when it is back.",
		"Send the same request again with the same idempotency_key when the service is back: the run goes on."},
	{"disk_full", []int{507}, again, "The disk has no room for a change; nothing was changed, and reads go on.",
		"Repeat the request later. Whoever runs the service makes room; changes are taken again as soon as " +
			"there is some."},
	{"ledger_failed", []int{503}, again, "A commit could not be confirmed; the service stops.",
		"Whether the change happened is unknown. When the service is back, read the requirement, or repeat " +
			"the request with the same Idempotency-Key."},
	{"store_commit", []int{503}, again, "The disk failed at a commit, which could not be confirmed; the service stops.",
		"Whether the change happened is unknown. When the service is back, read the requirement, or repeat " +
			"the request with the same Idempotency-Key."},
	{"store_lost", []int{503}, again, "The database file was removed or replaced under the service; the service stops.",
		"Whoever runs the service puts the file back, or the newest backup of it, and starts it again. " +
			"Nothing was confirmed after this was noticed."},
	{"store_damaged", []int{500, 503}, asItIs, "The database does not hang together: its file was changed from outside, or the disk lost something.",
		"Whoever runs the service restores a backup; docs/operations.md says how. orchestrator verify shows " +
			"what is damaged."},
	{"store_key", []int{500}, asItIs, "A defect of the service gave the store a key that it cannot take.",
		"Report it with the request id. Nothing was changed."},
	{"store_panic", []int{500}, asItIs, "A defect of the service ended a transaction, of which nothing is left.",
		"Report it with the request id. Nothing was changed."},
	{"store_table", []int{500}, asItIs, "A defect of the service gave the store a table that it cannot take.",
		"Report it with the request id. Nothing was changed."},
	{"store_value", []int{500}, asItIs, "A defect of the service gave the store a value that it cannot take.",
		"Report it with the request id. Nothing was changed."},
	{"internal", []int{500}, asItIs, "A defect of the service.",
		"Report it with the request id. Whether a change happened is unknown: read the requirement, or " +
			"repeat the request with the same Idempotency-Key."},
}
