// The pages that are looked at, of a project of each size.
import { longID } from './hard.mjs';

// run returns the page of the newest run of the conductor, and question that of one that asks something.
const runs = async (project) => (await project.must('paula', 'GET', '/obligations?limit=100')).runs;
const run = async (project) => `/ui/traces/${(await runs(project))[0].id}`;
const asks = (one) => one.obligations.some(({ questions }) => questions?.some(({ status }) => status === 'waiting'));
const question = async (project) => `/ui/traces/${(await runs(project)).find(asks).id}`;

const dossier = (id) => `/ui/requirements/${encodeURIComponent(id)}`;

// everywhere are the pages that every project has, with who looks.
const everywhere = [
  { name: 'sign-in', path: '/ui/sign-in' },
  { name: 'waits', path: '/ui/', who: 'paula' },
  { name: 'waits-coder', path: '/ui/', who: 'cora' },
  { name: 'waits-viewer', path: '/ui/', who: 'vera' },
  { name: 'waits-role', path: '/ui/?role=tester', who: 'paula' },
  { name: 'board', path: '/ui/requirements', who: 'paula' },
  { name: 'board-filter', path: '/ui/requirements?status=planned&q=e', who: 'paula' },
  { name: 'matrix', path: '/ui/project/review', who: 'paula' },
  { name: 'progress', path: '/ui/progress', who: 'paula' },
  { name: 'log', path: '/ui/audit', who: 'vera' },
  { name: 'import', path: '/ui/project/import', who: 'paula' },
  { name: 'boundary', path: '/ui/boundary/report', who: 'paula' },
  { name: 'conductor', path: '/ui/traces', who: 'paula' },
  { name: 'workflow', path: '/ui/workflow', who: 'paula' },
  { name: 'record', path: '/ui/audit/records/3', who: 'vera' },
  { name: 'nothing', path: '/ui/nothing', who: 'paula', status: 404 },
];

const dossiers = {
  empty: [{ name: 'dossier-unknown', path: dossier('PG-001'), who: 'paula', status: 404 }],
  5: [
    { name: 'dossier', path: dossier('PG-001'), who: 'paula' },
    { name: 'dossier-open', path: dossier('PG-005'), who: 'cora' },
  ],
  40: [
    ['dossier', 'PG-018'],
    ['dossier-suspect', 'PG-014'],
    ['dossier-stale', 'PG-002'],
    ['dossier-moved', 'PG-006'],
    ['dossier-blocked', 'PG-016'],
    ['dossier-begun', 'PG-022'],
    ['dossier-new', 'PG-027'],
    ['dossier-report', 'PG-019'],
    ['dossier-renamed', 'PG-040'],
    ['dossier-retired', 'PG-041'],
  ]
    .map(([name, id]) => ({ name, path: dossier(id), who: 'paula' }))
    .concat(
      { name: 'dossier-coder', path: dossier('PG-036'), who: 'cora' },
      { name: 'run', path: '/ui/traces/000000010db4dceb', who: 'paula' },
    ),
  10000: [{ name: 'dossier', path: dossier('PG-00007'), who: 'paula' }],
  hard: [
    ...['HC-001', 'HC-002', 'HC-003', 'HC-004', 'HC-005', 'HC-006', 'HC-007', 'HC-008', 'HC-009', 'HC-011'].map(
      (id) => ({ name: `dossier-${id}`, path: dossier(id), who: 'paula' }),
    ),
    { name: 'dossier-long-id', path: dossier(longID), who: 'paula' },
    { name: 'text', path: `${dossier('HC-001')}/text`, who: 'paula' },
    { name: 'text-one-word', path: `${dossier('HC-006')}/text`, who: 'paula' },
  ],
};

// lived are pages of every project in which something has happened.
const lived = [
  { name: 'run', path: run, who: 'paula' },
  { name: 'question', path: question, who: 'paula' },
  { name: 'board-status', path: '/ui/requirements?status=not_started', who: 'paula' },
  { name: 'log-refusals', path: '/ui/audit?kind=requirement.refused', who: 'vera' },
];

export const pagesOf = (size) => [...everywhere, ...(size === 'empty' ? [] : lived), ...dossiers[size]];

export const pageNames = new Set(Object.keys(dossiers).flatMap((size) => pagesOf(size).map(({ name }) => name)));
