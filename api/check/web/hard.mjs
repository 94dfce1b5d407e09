// A project whose content is as hard as people and programs can make it: markup in every field that anybody can write,
// scripts that say where they came from, right-to-left text, control characters, ids and names of the greatest length.
// Evil is a name that tries to run as a script, of characters that a name may have.
const mallory = `<svg/onload=window.__pwned='name'>`;

// evil returns a text that ends whatever it stands in, and begins a script; where says in which field it was.
const evil = (where) =>
  `${where}"'\`--></textarea></title><script>window.__pwned='${where}'</script>` +
  `<img src=x onerror="window.__pwned='${where}'"><div hx-get="/ui/" hx-trigger="load" hx-on:load="window.__pwned='${where}'">` +
  `<a href="javascript:window.__pwned='${where}'">{{7*7}}\${7*7}</a>&lt;b&gt;&amp;amp; \u202Ekcab\u202C \u2066\u200B\u200D\uFEFF\u0007\u001B[31m`;

// quoted keeps the markup in a document, whose HTML is no text.
const quoted = (where) => `\`\` ${evil(where)} \`\``;

// visible leaves out the control characters that names of files and XML may not have.
const visible = (text) => text.replace(/[\u0000-\u001f]/g, '');

// asked is evil in obligations, where two braces begin a reference.
const asked = (where) => evil(where).replaceAll('{{', '{{"{{"}}');

const mono = (length) => 'x'.repeat(length);
const arabic = 'يُفتح الحاجز خلال 3 ثوانٍ من التذكرة (PG-001)، ولا يُغلق ما دامت السيارة فوق المجس';
const hebrew = 'המחסום נפתח תוך 3 שניות, ואינו נסגר כל עוד הרכב עומד מעל הלולאה';
const long = Array.from(
  { length: 900 },
  (_, n) =>
    `${n + 1}. The ${n % 7 ? 'barrier' : 'column'} of lane ${n % 40} does what the operator has written down about it, and nothing else of its own accord.`,
).join('\n');

// rows are id, title, text and criteria of the document.
const rows = [
  ['HC-001', 'A text of a hundred kilobytes', long, ['It is shown in pieces.']],
  ['HC-002', arabic, `${arabic}. ${arabic}.`, [arabic]],
  ['HC-003', `${hebrew} then English, 100 % and (brackets)`, `${hebrew}.\nA line of English.\n${arabic}.`, [hebrew]],
  [
    'HC-004',
    'Reversed \u202Eabc\u202C, isolated \u2067abc\u2069, none\u200Bwide and a bell \u0007',
    'With \u202Econtrols\u202C, \u200Ezero\u200F width\u2060, and \u0001 \u0008 \u001B[31m C0.',
    ['A \u202E\u202D\u2066 criterion.'],
  ],
  ['HC-005', `Markup ${quoted('title')}`, `Text ${quoted('text')}, and as HTML ${evil('html')}`, [quoted('criterion')]],
  ['HC-006', mono(3000), mono(20_000), [mono(5000)]],
  [
    'HC-007',
    `Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308${'\u0336'.repeat(200)} 🏳️‍🌈👩‍👩‍👧‍👦🅿️ 停车场的栏杆在三秒内打开`,
    '停车场'.repeat(2000),
    ['駐車券の時刻は秒まで表示される。'],
  ],
  [
    'HC-008',
    `${'One two three four five. '.repeat(40)}`,
    `A [link](javascript:window.__pwned='link') and ![image](x "onerror=window.__pwned='image'") and <https://example.org/${mono(400)}>.`,
    [],
  ],
  ['HC-009', 'Every part is hard', 'All that people may write about it is markup.', ['One.']],
  ['HC-010', 'Blocked for a hard reason', 'The reason is markup.', []],
];

const document = () =>
  [
    `# ${quoted('project')}`,
    '',
    ...rows.flatMap(([id, title, text, criteria]) => [
      `## Section ${quoted('section')} ${id === 'HC-006' ? mono(300) : ''}`,
      '',
      `### ${id}: ${title}`,
      '',
      text,
      '',
      ...(criteria.length ? ['Acceptance:', '', ...criteria.map((one) => `- ${one}`), ''] : []),
    ]),
    '## Not taken',
    '',
    `- HC-900 ${quoted('remark')}`,
    '',
  ].join('\n');

// folder is the name of a folder, and with it the beginning of an id of 128 characters.
const folder = `a"><img src=x onerror=window.__pwned='id'>`;
const name = `The name of it is ${mono(128 - folder.length - 1 - 'The name of it is '.length)}`;
export const longID = `${folder}/${name}`;
const second = `openspec/specs/${folder}/spec.md`;
const spec = `# Long\n\n## Requirements\n\n### Requirement: ${name}\n\nIt SHALL have an id of 128 characters.\n\n#### Scenario: ${quoted('scenario')}\n\n- **WHEN** it is shown\n- **THEN** it breaks\n`;

// parts writes every part of one requirement as markup, and takes it to done.
async function parts(project) {
  const id = 'HC-009';
  const code = `internal/<b>&amp;'x'/onload=1.go`;
  project.write(code, `package hard\n\n// ${evil('code')}\nfunc Hard() {}\n`);
  const commit = project.commit(evil('commit'));
  const why = (where) => ({
    reason: evil(where),
    evidence: [
      { kind: 'file', path: code, lines: '3-4' },
      { kind: 'commit', commit },
    ],
  });
  const move = (status, who = 'paula', more = {}) =>
    project.patch(who, id, { status, justification: why(status), ...more });
  await move('planned');
  await project.patch('paula', id, {
    pm_notes: [{ text: evil('note') }, { text: mono(20_000) }, { text: `${arabic}\n${hebrew}` }],
  });
  await move('design_in_progress');
  const line = (where) => evil(where).slice(0, 1000);
  await project.patch('arno', id, {
    design_spec: {
      summary: evil('summary'),
      components: [{ name: line('component'), responsibility: evil('responsibility') }],
      interfaces: [evil('interface')],
      decisions: [evil('decision')],
      risks: [evil('risk')],
      files: [code, { path: visible(line('design file')), change: line('design change') }],
    },
  });
  await move('design_ready');
  await move('implementation_in_progress');
  await project.patch(`${mallory}c`, id, {
    implementation: {
      summary: evil('implementation'),
      notes: evil('implementation notes'),
      commits: [commit],
      files: [{ path: code, lines: '3-4', change: line('change') }],
    },
  });
  await move('implemented');
  await move('test_in_progress');
  const xml = (text) => visible(text).replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const report =
    `<testsuites><testsuite name="${xml(evil('suite'))}" timestamp="${new Date().toISOString()}"><testcase name="${xml(evil('test'))}" classname="${xml(evil('class'))}"/>` +
    `<testcase name="${mono(900)}"/><testcase name="${arabic}"/></testsuite></testsuites>`;
  const { requirement } = await project.must(
    `${mallory}t`,
    'POST',
    `/requirements/${id}/test-report?commit=${commit}`,
    report,
    { 'Content-Type': 'application/xml' },
  );
  const evidence = requirement.test.evidence.map(({ found, ...cited }) => cited);
  await project.patch(`${mallory}t`, id, { test: { plan: evil('plan'), notes: evil('test notes'), evidence } });
  await project.patch(`${mallory}t`, id, {
    status: 'tested_pass',
    justification: { reason: evil('tested_pass'), evidence },
  });
  await project.patch('paula', id, { deviations: [{ id: 'D-1', text: evil('deviation') }] });
  await project.patch('paula', id, {
    deviations: [{ id: 'D-1', resolution: { outcome: 'accepted', text: evil('resolution') } }],
  });
  await move('done', 'paula', { approvals: [{ decision: 'approved', text: evil('approval') }] });
}

// others writes markup into what stands beside requirements: refusals, claims, journal, questions and runs.
async function others(project) {
  const { orchestrator } = project;
  const at = (id) => `/requirements/${encodeURIComponent(id)}`;
  const reason = (where) => ({ reason: evil(where), evidence: [{ kind: 'file', path: 'README.md' }] });
  await project.patch('paula', 'HC-010', { status: 'blocked', justification: reason('blocked') });
  await project.patch('paula', longID, { status: 'planned', justification: reason('long id') });
  for (const [id, who] of [
    ['HC-001', 'cora'],
    [longID, `${mallory}c`],
    ['HC-005', 'vera'],
  ]) {
    await project.refused('field_forbidden', who, 'PATCH', at(id), {
      status: 'done',
      justification: reason('refused'),
    });
  }
  await project.refused('evidence_not_found', 'paula', 'PATCH', at('HC-005'), {
    status: 'planned',
    justification: { reason: evil('refused'), evidence: [{ kind: 'file', path: visible(evil('path')) }] },
  });
  await project.must(`${mallory}c`, 'POST', `${at('HC-002')}/claim`, {});
  await project.must('paula', 'PUT', '/workflow', { workflow: 'rework', reason: evil('workflow') });
  const obligations = [
    {
      type: 'CLARIFY',
      payload: {
        slot: 'colour',
        question: asked('question'),
        schema: { type: 'string', enum: [asked('choice'), 'red'] },
      },
    },
  ];
  await project.must(`${mallory}c`, 'POST', '/obligations', { obligations });
  await project.must('tess', 'POST', '/obligations', {
    obligations: [{ type: 'REPORT', payload: { kind: 'query.count_letters', text: asked('payload'), letter: '<' } }],
  });
  project.cli('boundary', 'install', 'claude', '--client-version', '2.1.330');
  for (const [tool, file] of [
    ['Edit', evil('file')],
    [`<b>Tool</b>${mono(200)}`, 'a.go'],
    ['Write', `${mono(2000)}.go`],
    ['Edit', arabic],
  ]) {
    project.run(`${orchestrator}-hook`, ['claude'], {
      codes: [0, 2],
      input: JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: evil('session').slice(0, 200),
        tool_name: tool,
        tool_input: { file_path: file },
        agent_type: evil('agent').slice(0, 200),
      }),
    });
  }
  project.cli(
    'boundary',
    'bypass',
    '--for',
    '30m',
    '--session',
    's',
    '--reason',
    `a "<script>window.__pwned='bypass'</script>`,
  );
  const { decisions } = JSON.parse(project.cli('boundary', 'decisions', '--json'));
  project.cli(
    'boundary',
    'label',
    decisions[0].id,
    'false-positive',
    '--note',
    `a "<script>window.__pwned='label'</script>`,
  );
  await project.must('paula', 'POST', '/boundary/attestations', {
    item: 'team',
    note: `a "<script>window.__pwned='attested'</script>`,
  });
}

// changed changes a text that was worked on, so that its words are compared, and takes one requirement away.
async function changed(project) {
  const text = document()
    .replace(
      'All that people may write about it is markup.',
      `All that ${quoted('changed text')} may write about it is ${arabic}.`,
    )
    .replace(`### HC-010: Blocked for a hard reason`, `### HC-011: Blocked ${quoted('renamed')}`);
  project.write('REQUIREMENTS.md', text);
  await project.must('paula', 'POST', '/project/import');
  await project.must('paula', 'POST', '/project/renames', {
    renames: [{ from: 'HC-010', to: 'HC-011' }],
    reason: evil('rename'),
  });
}

// hard makes the project; begin is that of the fixture.
export async function hard(project, begin) {
  project.write(second, spec);
  await begin(project, document(), ['--requirements', `"${second.replaceAll('"', '""')}"`]); // a row of CSV
  for (const role of ['coder', 'tester']) project.addToken(`${mallory}${role[0]}`, role);
  await parts(project);
  await others(project);
  await changed(project);
}
