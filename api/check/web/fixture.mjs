// Makes a project about a parking garage, and drives it to a state that has something of everything:
//
//	node fixture.mjs [--size empty|5|40|10000|hard] [--aged FOLDER] [--keep] [ORCHESTRATOR]
//
// ORCHESTRATOR is the program, bin/orchestrator of this repository when left out. With --keep it prints where the service
// listens and which files have the tokens, and serves until it is stopped; without, it says what it made. FOLDER has what
// aged/build.sh has built: with it the projects of 5 and 40 requirements have a past of weeks.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as around from './around.mjs';
import * as clock from './clock.mjs';
import * as garage from './garage.mjs';
import { hard } from './hard.mjs';
import { Life } from './life.mjs';
import { people, Project } from './service.mjs';

export const sizes = ['empty', '5', '40', '10000', 'hard'];

// begin sets the project up: documents, tokens and a first commit; then the service starts.
async function begin(project, document, more = [], name = 'REQUIREMENTS.md') {
  project.write('README.md', '# Garage North\n\nThe software of the parking garage at the north station.\n');
  project.write(name, document);
  project.write('.gitignore', '/.orchestrator/*\n!/.orchestrator/tools/\n/build/\nproject_status.*\n');
  for (const name of Object.keys(people)) project.addToken(name);
  around.tools(project);
  project.commit('Begin');
  await project.start('--requirements', name, '--workflow', 'v1', ...more);
}

// few fills the projects with 5 and 40 requirements; what needs all of them is left out of the small one.
async function few(project, count) {
  const list = garage.requirements(count);
  const before = around.asImportedFirst(list);
  await begin(project, garage.withRemarks(before));
  const life = new Life(project);
  life.begin(before);
  if (project.clock === clock.real) {
    await around.boundary(project);
    for (const one of before) await life.raise(one);
  } else await age(project, life, before);
  await around.notes(project, list);
  await around.refusals(project, life, list);
  if (count === 40) await around.changes(project, life, list);
  await around.conductor(project, list);
}

// age has all of it happen in the weeks before now, and then goes on with the program itself.
async function age(project, life, list) {
  const beginning = (one, n) => (one.status === 'done' ? 1 + ((n * 17) % 20) : 24 + ((n * 7) % 15));
  const lives = list.map((one, n) => life.raise(one, { begin: beginning(one, n), days: 2.2 }));
  const guard = project.clock.until(past - 9).then(() => around.boundary(project));
  await Promise.all([...lives, guard, project.clock.until(past)]);
  await project.wake(project.program);
}

// many fills a project with requirements, of which the first few have a life.
async function many(project, count) {
  const list = garage.many(count);
  await begin(project, garage.write(list), ['--export', 'none']);
  await around.boundary(project);
  const life = new Life(project, { kind: 'file', path: 'README.md', lines: '1-3' }); // the document is large
  const lived = list
    .slice(0, 400)
    .filter((one) => !['not_started', 'planned'].includes(one.status))
    .slice(0, 40);
  life.begin(lived);
  for (const one of lived) await life.raise(one);
  for (const one of list.slice(400, 700))
    await life.raise(one, { to: Number(one.id.slice(3)) % 3 ? 'planned' : 'blocked' });
  await around.refusals(project, life, list);
  await around.conductor(project, list);
}

// nothing is the one document that may require nothing: a change that takes a requirement away.
const nothing =
  '# The garage opens\n\n## REMOVED Requirements\n\n### Requirement: The gate is closed\n\nIt opens now.\n';

const fill = {
  empty: (project) => begin(project, nothing, [], 'openspec/changes/opening/specs/gate/spec.md'),
  5: (project) => few(project, 5),
  40: (project) => few(project, 40),
  10000: (project) => many(project, 10_000),
  hard: (project) => hard(project, begin),
};

const past = 45; // days

// make returns a project of a size, which serves until its remove is called. With an aged program its past has weeks.
export async function make(size, orchestrator, aged) {
  if (!fill[size]) throw new Error(`${size} is no size: take one of ${sizes.join(', ')}`);
  const old = aged && ['5', '40'].includes(size);
  const project = old ? new Project(join(aged, 'orchestrator'), clock.past(past, 12)) : new Project(orchestrator);
  project.program = orchestrator;
  try {
    await fill[size](project);
  } catch (error) {
    await project.remove();
    throw error;
  }
  return project;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      size: { type: 'string', default: '40' },
      keep: { type: 'boolean', default: false },
      aged: { type: 'string' },
    },
  });
  process.stdout.on('error', () => {}); // whoever reads it may leave; the project is removed nevertheless
  const began = Date.now();
  const orchestrator = positionals[0] ?? fileURLToPath(new URL('../../../bin/orchestrator', import.meta.url));
  const project = await make(values.size, orchestrator, values.aged);
  console.log(`${project.url}/ui/ after ${((Date.now() - began) / 1000).toFixed(1)} s, in ${project.folder}`);
  for (const [name, role] of Object.entries(people))
    console.log(`${name.padEnd(6)} ${role.padEnd(10)} ${project.tokenFile(name)}`);
  if (values.keep) {
    console.log(`serving until this process, ${process.pid}, is stopped`);
    await new Promise((stop) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
    });
  } else console.log(JSON.stringify(await around.summary(project), undefined, 2));
  await project.remove();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
