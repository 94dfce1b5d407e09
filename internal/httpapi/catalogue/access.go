package catalogue

// access lists the codes where the caller may not do this, or nothing is there.
var access = []Entry{
	{"token_missing", []int{401}, asItIs, "There is no usable Authorization header.",
		"Send the header Authorization: Bearer TOKEN. Tokens are made with orchestrator token add; the first " +
			"start writes those of pm and viewer to .orchestrator/tokens/."},
	{"token_unknown", []int{401}, asItIs, "The token is unknown or was revoked.",
		"Send a current token whole, as it was made. Whoever runs the service makes a new one with " +
			"orchestrator token add."},
	{"token_expired", []int{401}, asItIs, "The token has expired.",
		"Have a new token made with orchestrator token add."},
	{"metrics_token", []int{401}, asItIs, "/metrics needs its own token here.",
		"Send the header Authorization: Bearer with the token of serve --metrics-token-file."},
	{"cross_origin", []int{403}, asItIs, "A browser sent this on behalf of another site.",
		"Call the service from a program, or from a page of its own origin."},
	{"host_not_allowed", []int{421}, asItIs, "The service does not answer for this Host.",
		"Use a name that the fix lists, or start the service with --allow-host. This keeps pages in a " +
			"browser from reaching the service through a name of their own."},
	{"agent_bound", []int{403}, asItIs, "The token is for a run of an agent on one requirement, and changes nothing else.",
		"Do what the prompt of the run asks for, and stop. Reads of everything else are allowed."},
	{"role_forbidden", []int{403}, asItIs, "The request as a whole is another role's.",
		"Ask somebody of the role that the detail names. The role comes from the token alone."},
	{"field_forbidden", []int{403}, asItIs, "The change has members that this role may not change; errors lists all of them.",
		"Leave the members that errors lists out. GET /requirements/{id}/next lists those of your role."},
	{"transition_forbidden", []int{403}, asItIs, "The move is in the table, but is another role's.",
		"Ask the role that the detail names to make this move. GET /requirements/{id}/next lists your own " +
			"moves."},
	{"drive_forbidden", []int{403}, asItIs, "The caller may not have the work of these roles done.",
		"Send plan=true, leave roles out, or use a token of the pm."},
	{"unknown_code", []int{404}, asItIs, "No problem has this code.",
		"GET /problems lists the codes."},
	{"unknown_path", []int{404}, asItIs, "There is nothing at this path.",
		"GET / lists the calls that matter, GET /openapi.json all of them. Paths have no final slash, and " +
			"are compared letter by letter; the fix names the path that was meant where one is near."},
	{"unknown_requirement", []int{404}, asItIs, "No requirement has this id.",
		"Take the id from GET /requirements; ids are compared letter by letter. The fix names one that may " +
			"be meant; ids has the whole ids of those that a document calls so."},
	{"unknown_record", []int{404}, asItIs, "The log has no record with this number yet.",
		"GET /audit/checkpoint tells how many records there are. The first has the number 0."},
	{"beyond_log", []int{404}, asItIs, "The log is not as large as this needs it to be.",
		"GET /audit/checkpoint tells how many records there are. Ask for a partial tile where the full one " +
			"is not there yet."},
	{"unknown_blob", []int{404}, asItIs, "No record names data with this digest.",
		"Take the digest from the data of a record: {\"blob\": \"…\"}."},
	{"unknown_run", []int{404}, asItIs, "The conductor has no such run, or it has no trace yet.",
		"GET /obligations lists the runs. A run in progress has no trace yet, and a viewer's run is not kept."},
	{"unknown_schedule", []int{404}, asItIs, "The conductor keeps no such schedule.",
		"GET /schedules lists those that you may see."},
	{"unknown_schema", []int{404}, asItIs, "There is no such schema.",
		"GET /openapi.yaml refers to all schemas."},
	{"no_boundary", []int{404}, asItIs, "The project has no boundary.",
		"orchestrator boundary install CLIENT sets one up, in validate: nothing is blocked."},
	{"method_not_allowed", []int{405}, asItIs, "The path does not take this method; see Allow.",
		"Use a method of the header Allow. OPTIONS answers with it, too."},
	{"not_acceptable", []int{406}, asItIs, "Accept takes none of the media types that this path has.",
		"Send an Accept that takes one of the media types that the detail names, or none."},
	{"rate_limited", []int{429}, again, "This token, or this address where no token is needed, has used up its requests for now.",
		"Wait as many seconds as Retry-After says, then send the request as it is. RateLimit tells " +
			"beforehand how many are left."},
	{"bodies_in_flight", []int{429}, again, "The requests under way hold as many bytes of bodies as they may: 16 MiB of one token, 64 MiB of " +
		"all. Bodies of up to 16 KiB count only for their own token.",
		"Wait as many seconds as Retry-After says, then send the request as it is."},
	{"too_many_streams", []int{429}, again, "128 streams and waits of this token are open, or 2,048 of all tokens.",
		"Close one, or wait as many seconds as Retry-After says. One stream can follow several requirements."},
	{"log_budget_spent", []int{429}, again, "This actor, a name in a role, has added as much to the log today as it may; `GET /workflow` has " +
		"log_budget. Nothing was applied or recorded.",
		"Wait until the day ends, as Retry-After says. An operator can raise --log-budget."},
}
