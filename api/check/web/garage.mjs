// What the projects of the fixture are about: a parking garage. garage.json has its 40 requirements in eight sections, each
// with the status that it is brought to and the package of its code.
import { readFileSync } from 'node:fs';

const rows = JSON.parse(readFileSync(new URL('garage.json', import.meta.url), 'utf8'));

const small = /^(a|an|the|of|at|to|is|are|for|by|its|on|in|at|most|be|can|has|all|who|up|when)$/;
const slug = (title) =>
  title
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    .filter((word) => !small.test(word))
    .slice(0, 3)
    .join('_');

// requirements returns the first count of the garage, with id, code and test of each.
export function requirements(count = rows.length) {
  return rows.slice(0, count).map((row, n) => {
    const number = String(n + 1).padStart(3, '0');
    const name = slug(row.title);
    const camel = name
      .split('_')
      .map((word) => word[0].toUpperCase() + word.slice(1))
      .join('');
    return { ...row, id: `PG-${number}`, test: `Test${camel}_PG${number}`, code: `internal/${row.package}/${name}.go` };
  });
}

// many returns count requirements, which repeat those of the garage for one garage after the other.
export function many(count) {
  const known = requirements();
  return Array.from({ length: count }, (_, n) => {
    const like = known[n % known.length];
    const garage = Math.floor(n / known.length) + 1;
    return {
      ...like,
      id: `PG-${String(n + 1).padStart(5, '0')}`,
      section: `Garage ${garage}`,
      title: `${like.title}, garage ${garage}`,
    };
  });
}

// remarks are lines of the document that look like requirements, and are not taken.
const remarks = [
  '- PG-901 Bicycles are parked for free.',
  '- pg-902: Washing is to be had on Saturdays.',
  '- **PG-903**: [what the sign says]',
  '- See [PG-904](other.md) for the garage at the station.',
];

// write returns a document with requirements.
export function write(list, { title = 'Garage North', lines = [] } = {}) {
  const parts = [
    `# ${title}`,
    '',
    'What the parking garage at the north station must do. Times are those of the garage.',
    '',
  ];
  let section;
  for (const one of list) {
    if (one.section !== section) parts.push(`## ${one.section}`, '');
    section = one.section;
    parts.push(`### ${one.id}: ${one.title}`, '', one.text, '');
    if (one.criteria.length) parts.push('Acceptance:', '', ...one.criteria.map((text) => `- ${text}`), '');
  }
  return [...parts, ...lines, ''].join('\n');
}

// withRemarks returns the document of the garage as the project of the fixture has it.
export const withRemarks = (list) => write(list, { lines: ['## Ideas', '', ...remarks] });

// source returns the code of a requirement; what is cited of it is in lines.
export function source({ id, title, text, code }) {
  const name = code
    .split('/')
    .pop()
    .replace('.go', '')
    .split('_')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');
  const home = code.split('/')[1];
  return `// Package ${home} is a part of the garage.
package ${home}

import (
	"context"
	"fmt"
	"time"
)

// ${name} holds what it takes: ${title.toLowerCase()}.
type ${name} struct {
	clock func() time.Time
	lane  Lane
}

// Run does what ${id} asks for.
//
// ${text.replace(/\. /g, '.\n// ')}
func (r *${name}) Run(ctx context.Context, v Vehicle) error {
	now := r.clock()
	if v.Entered.After(now) {
		return fmt.Errorf("%s entered at %s, which is yet to come", v.Plate, v.Entered)
	}
	if err := r.lane.Wait(ctx, v); err != nil {
		return fmt.Errorf("lane %d: %w", r.lane.Number, err)
	}
	return r.lane.Record(v, now)
}
`;
}

// lines returns the lines of the code that are cited: the function.
export function lines(one) {
  const all = source(one).split('\n');
  const from = all.findIndex((line) => line.startsWith('func ')) + 1;
  return `${from}-${all.length - 1}`;
}

// report returns the JUnit report of a test run, in which failed of the tests failed.
export function report(one, { failed = 0, at = new Date() } = {}) {
  const cases = [one.test, ...one.criteria.map((_, n) => `${one.test}/AC-${n + 1}`), `${one.test}/again`];
  const body = cases
    .map(
      (name, n) =>
        `    <testcase name="${name}" classname="${one.code.split('/')[1]}" time="0.0${n + 1}">${
          n < failed ? '<failure message="the barrier is closed">want open, got closed</failure>' : ''
        }</testcase>`,
    )
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${one.code.split('/')[1]}" tests="${cases.length}" failures="${failed}" timestamp="${at.toISOString()}" time="0.42">
${body}
  </testsuite>
</testsuites>
`;
}
