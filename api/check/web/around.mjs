// What happens around the lives of requirements: notes, refusals, changes of document and code, what sessions of agent
// clients do, and what the conductor is asked.
import { report, withRemarks } from './garage.mjs';

const file = (path, at) => ({ kind: 'file', path, ...(at && { lines: at }) });
const find = (list, number) => list.find((one) => one.id === `PG-${String(number).padStart(3, '0')}`);
const because = (reason, evidence = [file('README.md', '1-3')]) => ({ reason, evidence });

// edited are requirements whose text is changed after work began: by number, from what.
const edited = {
  14: (one) => ({
    ...one,
    text: one.text.replace('10 minutes', '15 minutes'),
    criteria: ['Out after 14:59 minutes: nothing is due.', 'Out after 15:01 minutes: the first hour is due.'],
  }),
  11: (one) => ({
    ...one,
    text: one.text.replace('when the vehicle entered', 'when the vehicle entered, in the time of the garage'),
  }),
  20: (one) => ({
    ...one,
    title: 'Reserved spaces wait until nine',
    text: one.text.replace('8:00', '9:00'),
    criteria: ['At 8:59 it is kept.', 'At 9:01 it is given away.'],
  }),
};

// asImportedFirst returns the requirements as the first import reads them: one has another id, and one is retired later.
export function asImportedFirst(list) {
  if (list.length !== 40) return list;
  const gone = {
    ...list[39],
    id: 'PG-041',
    title: 'Bicycles have a room',
    text: 'A room for bicycles is open day and night.',
    code: 'internal/stay/bicycles.go',
    status: 'planned',
  };
  return [...list.map((one) => (one.id === 'PG-040' ? { ...one, id: 'PG-400' } : one)), gone];
}

// notes are those that people leave, and the deviations of what was built from what was asked for.
export async function notes(project, list) {
  const [first, second] = list;
  await project.patch('paula', second.id, {
    pm_notes: [
      { text: 'The operator asks whether "Full" can be said in three languages.' },
      { text: 'Answered: two lines fit on the sign.\nThe third language is left out.' },
    ],
  });
  if (first.status !== 'done') throw new Error('the first requirement is to be done');
  const open = list.find((one) => one.status === 'tested_pass') ?? list[4];
  await project.patch('paula', open.id, {
    deviations: [{ id: 'D-1', text: 'The terminal shows the row, and no map as the design has it.' }],
    pm_notes: [{ text: 'Is the map in the contract?' }],
  });
  if (list.length !== 40) return;
  const resolved = find(list, 18);
  await project.patch('paula', resolved.id, { deviations: [{ id: 'D-1', text: 'A dirty plate is read by hand.' }] });
  await project.patch('paula', resolved.id, {
    deviations: [{ id: 'D-1', resolution: { outcome: 'accepted', text: 'It happens once in a thousand entries.' } }],
  });
  await project.patch('paula', find(list, 14).id, {
    approvals: [{ decision: 'approved', text: 'Free for ten minutes, as the operator wants it.' }],
  });
  await project.patch('paula', find(list, 35).id, {
    approvals: [{ decision: 'rejected', text: 'The backup of the night keeps the pictures for a week.' }],
  });
  await project.must('cora', 'POST', `/requirements/${find(list, 22).id}/claim`, {
    field: 'implementation',
    for: '4h',
  });
  await project.must('arno', 'POST', `/requirements/${find(list, 10).id}/claim`, {});
}

// refusals are changes that are not allowed, by several people.
export async function refusals(project, life, list) {
  const at = (id) => `/requirements/${id}`;
  const open = list[4];
  const done = list[0];
  const no = (code, who, body, id = open.id, headers = undefined) =>
    project.refused(code, who, 'PATCH', at(id), body, headers);
  for (let n = 0; n < 3; n++)
    await no('field_forbidden', 'cora', { status: 'done', justification: because(`attempt ${n}`) });
  await no('field_forbidden', 'tess', { design_spec: { summary: 'by the tester' } });
  await no('field_forbidden', 'arno', { pm_notes: [{ text: 'by the architect' }] });
  await no('field_forbidden', 'vera', { pm_notes: [{ text: 'by the viewer' }] });
  await no('justification_required', 'paula', { status: 'blocked' });
  await no('evidence_not_found', 'paula', {
    status: 'blocked',
    justification: because('no such file', [file('docs/network.md')]),
  });
  await no('evidence_not_found', 'cora', {
    implementation: { summary: 'more', files: [{ path: open.code, lines: '1-9000' }] },
  });
  await no('illegal_transition', 'paula', { status: 'done', justification: because('in a hurry') });
  await no('sealed', 'cora', { implementation: null }, done.id);
  await no('sealed', 'tess', { test: null }, done.id);
  await no('stale_revision', 'paula', { pm_notes: [{ text: 'late' }] }, open.id, { 'If-Match': '"1"' });
  await no('secret_in_text', 'paula', { pm_notes: [{ text: 'the database of the column has password=Tr0ub4dor&3' }] });
  await no('schema_violation', 'cora', { implementation: { files: [] } });
  if (list.length !== 40) return;
  await no(
    'gate_unmet',
    'paula',
    { status: 'design_ready', justification: because('it is nearly there') },
    find(list, 10).id,
  );
  await no(
    'gate_unmet',
    'paula',
    { status: 'done', justification: because('the opening is tomorrow') },
    find(list, 35).id,
  );
  await no('gate_unmet', 'tess', { status: 'tested_pass', justification: because('all green') }, find(list, 15).id);
  await no('claimed', 'carl', { implementation: { summary: 'mine', files: [find(list, 22).code] } }, find(list, 22).id);
}

// changes are those of code and document that come after the work: evidence that moves, goes stale or goes missing.
export async function changes(project, life, list) {
  const code = (number) => find(list, number).code;
  const edit = (number, from, to) => project.write(code(number), project.read(code(number)).replace(from, to));

  // The report of 19 is a file, in whose place another run stands later; 36 names a commit of a branch that is gone.
  const reportFile = 'build/report.xml';
  const several = find(list, 19);
  project.write(reportFile, report(several));
  const piece = { kind: 'test', name: several.test, result: 'pass', report: reportFile, report_commit: life.tip };
  await project.patch('tess', several.id, {
    test: { plan: 'Two vehicles of one contract, in every order.', evidence: [piece] },
  });
  await life.move(several, 'tested_pass', 'tess', {}, [piece]);
  project.git('switch', '-q', '-c', 'quarters');
  project.write('docs/quarters.md', '# Quarters of an hour\n\nThe rule of the state is awaited.\n');
  const gone = project.commit('Ask what a quarter of an hour is');
  project.git('switch', '-q', 'main');
  await project.patch('cora', find(list, 36).id, {
    implementation: { summary: 'Begun on the branch of the quarters.', files: [code(36)], commits: [gone] },
  });
  project.git('branch', '-q', '-D', 'quarters');
  project.write(reportFile, report(several, { failed: 1 }));

  edit(2, 'return r.lane.Record(v, now)', 'r.lane.Sign("Full")\n\treturn r.lane.Record(v, now)'); // stale
  edit(4, '// Package', '// The hour that is repeated in autumn has its offset.\n\n// Package'); // moved down
  project.git('mv', code(6), 'internal/stay/floors.go'); // moved elsewhere
  project.commit('Say "Full" on the sign, and count floors in a file of their own');
  edit(12, 'now := r.clock()', 'now := r.clock().Round(0)'); // not committed
  project.write('docs/lights.md', '# Lights\n\nNinety seconds were measured on floor 2.\n'); // not committed either
  await project.patch('arno', find(list, 28).id, {
    design_spec: { summary: 'One meter for the house, one for each charger.', files: ['docs/lights.md'] },
  });

  const document = list.map((one) => edited[Number(one.id.slice(3))]?.(one) ?? one);
  project.write('REQUIREMENTS.md', withRemarks(document));
  await project.must('paula', 'POST', '/project/import');
  await project.must('paula', 'POST', '/project/renames', {
    renames: [{ from: 'PG-400', to: 'PG-040' }],
    reason: 'The ids of the reports go on without a gap.',
  });
  const accepted = await project.must('paula', 'GET', `/requirements/${find(list, 20).id}`);
  await project.patch('paula', accepted.id, {
    accept_fingerprint: accepted.fingerprint,
    pm_notes: [{ text: 'Nine is what the contracts say.' }],
  });
  await project.must('paula', 'GET', '/project/review'); // looks all evidence up again
}

// tools are contracts of the project: two that say how full it is, of which the first is wrong, and one that
// fails.
export function tools(project) {
  const contract = (name, latency, script, satisfies, consumes) => `name: ${name}
version: "1.0"
description: Says how many vehicles are on a floor.
roles: [pm, architect, coder, tester]
satisfies: [REPORT(${satisfies})]
consumes:
  ${consumes}: { schema: { type: integer, minimum: 0, maximum: 5 } }
produces: { type: object, properties: { vehicles: { type: integer } }, required: [vehicles] }
postconditions: ['result.vehicles >= 0']
reliability: high
cost: tiny
latency_ms: ${latency}
timeout_ms: 5000
verify: non_blocking
idempotent: true
implementation: { means: exec, argv: [/bin/sh, -c, "cat > /dev/null; ${script}"] }
`;
  project.write(
    '.orchestrator/tools/loops.yaml',
    contract('garage.loops', 10, 'echo \'{\\"vehicles\\": -1}\'', 'garage.occupancy', 'floor'),
  );
  project.write(
    '.orchestrator/tools/fumes.yaml',
    contract('garage.fumes', 10, "echo 'the sensor does not answer' >&2; exit 1", 'garage.fumes', 'floor'),
  );
  project.write(
    '.orchestrator/tools/signs.yaml',
    contract('garage.signs', 40, 'echo \'{\\"vehicles\\": 212}\'', 'garage.occupancy', 'floor'),
  );
}

// conductor asks: of each outcome there is a run, and three questions wait for an answer.
export async function conductor(project, list) {
  const ask = async (outcome, who, ...obligations) => {
    const got = await project.ask(who, 'POST', '/obligations', { obligations, answer_within_s: 7 * 86_400 });
    const outcomes = got.json.obligations?.map((one) => one.outcome) ?? [got.json.code];
    if (!outcomes.includes(outcome))
      throw new Error(`${who}: ${JSON.stringify(obligations)}: want ${outcome}, got ${got.text.slice(0, 3000)}`);
  };
  const report = (kind, more) => ({ type: 'REPORT', payload: { kind, ...more } });
  await ask('resolved', 'cora', report('garage.occupancy', { floor: 2 })); // the first candidate is passed over
  await ask(
    'resolved',
    'tess',
    report('query.math', { expr: '98 * 100 / 98' }),
    report('requirement.status', { id: list[0].id }),
  );
  await ask('missing_capability', 'arno', report('garage.weather', { day: 'tomorrow' }));
  await ask('failed', 'arno', report('garage.fumes', { floor: 1 }));
  await ask(
    'guardrail',
    'cora',
    { type: 'AVOID', payload: { condition: 'payload.floor == 3' } },
    report('garage.occupancy', { floor: 3 }),
  );
  await ask('resolved', 'paula', report('query.requirements', { filters: { status: 'blocked' } }));
  await ask('clarify', 'tess', report('status.name'));
  await ask('clarify', 'cora', {
    type: 'CLARIFY',
    payload: { slot: 'year', question: 'In which year does the garage open?', schema: { type: 'integer' } },
  });
  await ask('clarify', 'paula', report('garage.occupancy'));
}

// boundary has sessions of an agent client call tools, some of which are not theirs to call, in the course of some days.
export async function boundary(project) {
  const { orchestrator, clock } = project;
  project.cli('boundary', 'install', 'claude', '--client-version', '2.1.330');
  project.commit('Guard the sessions of agent clients');
  const call = (session, tool, input, agent) =>
    project.run(`${orchestrator}-hook`, ['claude'], {
      codes: [0, 2],
      input: JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: session,
        tool_name: tool,
        tool_input: input,
        ...(agent && { agent_id: 'a1', agent_type: agent }),
      }),
    });
  for (const session of ['morning', 'noon', 'evening']) {
    for (let n = 1; n <= 8; n++) call(session, 'Read', { file_path: `internal/entry/part_${n}.go` });
    for (let n = 1; n <= 3; n++)
      call(
        session,
        'Edit',
        { file_path: `internal/entry/part_${n}.go`, old_string: 'a', new_string: 'b' },
        'general-purpose',
      );
    call(session, 'Bash', { command: 'go test ./...' });
    call(session, 'Edit', { file_path: 'internal/tariff/table.go', old_string: 'a', new_string: 'b' });
    call(session, 'Bash', { command: 'sed -i s/15/10/ internal/tariff/table.go' });
    call(session, 'Bash', { command: './build.sh' });
    await clock.wait(2.5);
  }
  call('noon', 'Write', { file_path: 'docs/opening.md', content: 'x' });
  call('evening', 'Bash', { command: 'cat .orchestrator/tokens/pm.token' });
  project.cli(
    'boundary',
    'bypass',
    '--for',
    '30m',
    '--session',
    'night',
    '--reason',
    'The barrier of lane 2 stands open, and nobody else is awake.',
  );
  call('night', 'Edit', { file_path: 'internal/exit/barrier.go', old_string: 'a', new_string: 'b' });
  const { decisions } = JSON.parse(project.cli('boundary', 'decisions', '--violations', '--json'));
  for (const [n, { id }] of decisions.slice(0, 6).entries()) {
    project.cli(
      'boundary',
      'label',
      id,
      ...(n === 3 ? ['false-positive', '--note', 'build.sh only prints'] : ['correct']),
    );
  }
  project.cli('boundary', 'attest', 'team', '--note', 'All five were shown a block and the bypass.');
}

// summary says how much of everything a project has.
export async function summary(project) {
  const get = (path) => project.must('paula', 'GET', path);
  const { counts, findings } = await get('/project/review');
  const { runs } = await get('/obligations?limit=1000');
  const waiting = (run) =>
    run.obligations.some((one) => one.questions?.some((question) => question.status === 'waiting'));
  const codes = findings.refused.flatMap((actor) =>
    actor.codes.map(({ code, count }) => `${actor.name} ${code} ${count}`),
  );
  const guarded = await project.ask('paula', 'GET', '/boundary/decisions?limit=1');
  return {
    counts,
    refused: codes,
    records: (await get('/audit?limit=1')).size,
    runs: runs.length,
    questions: runs.filter(waiting).length,
    decisions: guarded.json.total ?? 0,
    remarks: (await get('/project/import')).counts.skipped,
  };
}
