// Takes requirements along their life, by the roles whose turn it is.
import { lines, report, source } from './garage.mjs';

const way = [
  'not_started',
  'planned',
  'design_in_progress',
  'design_ready',
  'implementation_in_progress',
  'implemented',
  'test_in_progress',
  'tested_pass',
  'done',
];

const reasons = {
  planned: [
    'It is part of the first opening in spring.',
    'The operator asked for it, and the budget has it.',
    'Agreed in the round of Tuesday.',
  ],
  design_in_progress: [
    'Arno has time for it from today.',
    'What it depends on has a design.',
    'Nothing stands against it.',
  ],
  design_ready: [
    'The design names the parts and their risks, and was read by both coders.',
    'The design answers all questions of the operator.',
  ],
  implementation_in_progress: ['Cora begins with the loop, then the barrier.', 'The interfaces are settled.'],
  implemented: ['The code is on the branch, and was read by a second person.', 'All that the design names is there.'],
  test_in_progress: ['The test bench has a barrier of the same make.', 'The sample of plates has arrived.'],
  tested_pass: ['Every criterion has a test, and all are green.', 'Run three times, by day and by night.'],
  tested_fail: [
    'With rain on the loop the barrier stays closed.',
    'The second vehicle was let through in 3 of 20 runs.',
  ],
  done: ['The operator has seen it run for a day.', 'Everything that was asked for is there.'],
  blocked: ['The network of the control room has no date yet; the contractor is to name one.'],
  needs_changes: [
    'The limit of 30 ppm is that of the old rule; the new one says 20 ppm over eight hours. The design must be made anew.',
  ],
  deferred: ['The chargers of the first delivery cannot tell when a vehicle is full.'],
};

// pick chooses by the id, so that each run of the fixture says the same.
const pick = (list, id) => list[[...id].reduce((sum, c) => sum + c.charCodeAt(0), 0) % list.length];

// spread varies how long a step takes, from a fifth of the usual to twice as long, the same in each run.
const spread = (id, step) => {
  const mixed = [...`${id}/${step}`].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9973, 7);
  return 0.2 + 1.8 * (mixed / 9973) ** 2;
};

// Life moves the requirements of one project. What moves rest on is cited, or the place in the document.
export class Life {
  constructor(project, cited) {
    Object.assign(this, { project, cited });
  }

  why(one, to, evidence) {
    const piece = this.cited ?? { kind: 'file', path: 'REQUIREMENTS.md', lines: this.place(one) };
    return { reason: one.reasons?.[to] ?? pick(reasons[to], one.id), evidence: evidence ?? [piece] };
  }

  // place returns the lines of a requirement in the document, as it was when the first was asked for.
  place(one) {
    this.places ??= new Map(
      this.project
        .read('REQUIREMENTS.md')
        .split('\n')
        .map((line, n) => [line.match(/^### (\S+):/)?.[1], `${n + 1}-${n + 3}`]),
    );
    return this.places.get(one.id);
  }

  move(one, status, who = 'paula', more = {}, evidence) {
    return this.project.patch(who, one.id, { status, justification: this.why(one, status, evidence), ...more });
  }

  design(one) {
    return this.project.patch('arno', one.id, {
      design_spec: {
        summary: `${one.text} One part decides, and the lane carries out.`,
        components: [
          { name: 'Lane', responsibility: 'Knows barrier, loop and column of one lane.' },
          { name: one.title, responsibility: 'Decides by what the lane has seen.' },
        ],
        interfaces: ['Run(ctx, vehicle) returns when the lane is free again.'],
        decisions: ['The clock is handed in, so that a test can say what time it is.'],
        risks: ['A lane that does not answer holds a vehicle up.'],
        files: [one.code],
      },
    });
  }

  // code writes the code into the working tree and commits it.
  code(one) {
    this.project.write(one.code, source(one));
    return this.project.commit(`${one.title}\n\n${one.id}`);
  }

  implement(one, who = 'cora') {
    return this.project.patch(who, one.id, {
      implementation: {
        summary: `${one.title}: the decision, and the way of the lane.`,
        files: [{ path: one.code, lines: lines(one), change: 'new' }],
        commits: [this.commits[one.id]],
        notes: 'The clock of the column is set by the service every hour.',
      },
    });
  }

  // test attaches a report and returns the evidence of it.
  async test(one, failed = 0) {
    const answer = await this.project.must(
      'tess',
      'POST',
      `/requirements/${encodeURIComponent(one.id)}/test-report?commit=${this.tip}`,
      report(one, { failed, at: this.project.clock.now() }),
      { 'Content-Type': 'application/xml' },
    );
    return answer.requirement.test.evidence.map(({ found, ...cited }) => cited);
  }

  // begin puts the code of all requirements on the branch.
  begin(list) {
    this.commits = {};
    for (const one of list) {
      if (way.indexOf(one.status) >= way.indexOf('implementation_in_progress') || one.status === 'tested_fail')
        this.commits[one.id] = this.code(one);
    }
    this.tip = this.project.git('rev-parse', 'HEAD');
  }

  // raise brings a requirement to its status. Where the clock runs ahead it begins on a day, and has some days for each step.
  async raise(one, { to = one.status, begin = 0, days = 0 } = {}) {
    const { clock } = this.project;
    const held = {
      tested_fail: 'test_in_progress',
      blocked: 'planned',
      needs_changes: 'design_in_progress',
      deferred: 'planned',
    }[to];
    const goal = way.indexOf(held ?? to);
    await clock.until(begin);
    for (let at = 1; at <= goal; at++) {
      await clock.wait(days * spread(one.id, at));
      await this.step(one, way[at]);
    }
    await clock.wait(days * spread(one.id, goal));
    if (to === 'design_in_progress' && pick([true, false], one.id)) await this.design(one);
    if (to === 'implementation_in_progress' && pick([false, true, true], one.id)) await this.implement(one);
    if (to === 'tested_fail') await this.move(one, to, 'tess', {}, await this.test(one, 1));
    else if (held) await this.move(one, to);
  }

  async step(one, to) {
    if (to === 'design_ready') await this.design(one);
    if (to === 'implemented') await this.implement(one);
    if (to === 'tested_pass') await this.move(one, to, 'tess', {}, await this.test(one));
    else if (to === 'done')
      await this.move(one, to, 'paula', { approvals: [{ decision: 'approved', text: `${one.title}: as required.` }] });
    else await this.move(one, to);
  }
}
