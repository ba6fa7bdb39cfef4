/** How well the checks without a service do on the labelled set, and the table of it in docs/behaviour/guardrails-local.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PII_CATEGORIES } from '@gatehouse/crds/guardrails';
import { expect, test } from 'vitest';
import { runCheck, subjectOf } from '../../gateway/src/guardrails/testing.ts';
import { INJECTIONS } from '../labelled/injections.ts';
import { PERSONAL_DATA } from '../labelled/personal-data.ts';
import { ROOT } from './documents.ts';

const PAGE = `${ROOT}docs/behaviour/guardrails-local.md`;

interface Measured {
  readonly name: string;
  right: number;
  wrong: number;
  missed: number;
}

const measured = (name: string): Measured => ({ name, right: 0, wrong: 0, missed: 0 });

function tally(row: Measured, isThere: boolean, isFound: boolean): void {
  if (isThere && isFound) row.right++;
  else if (isFound) row.wrong++;
  else if (isThere) row.missed++;
}

async function measureCategories(): Promise<Measured[]> {
  const rows = PII_CATEGORIES.map(measured);
  for (const { text, category } of PERSONAL_DATA) {
    const { data } = await runCheck('default.pii', {}, subjectOf([text]));
    const found = data as { detectedCategories: string[] }; // the data of this check
    for (const row of rows) tally(row, row.name === category, found.detectedCategories.includes(row.name));
  }
  return rows;
}

async function measureInjections(): Promise<Measured> {
  const row = measured('prompt injection');
  for (const { text, isAttack } of INJECTIONS) {
    const { verdict } = await runCheck('default.promptInjection', {}, subjectOf([text]));
    tally(row, isAttack, !verdict);
  }
  return row;
}

const precision = ({ right, wrong }: Measured): number => right / (right + wrong);
const recall = ({ right, missed }: Measured): number => right / (right + missed);

/** Below what the table says, so that one more hard example does not fail the build, and a worse check does. */
const FLOORS: Readonly<Record<string, { readonly precision: number; readonly recall: number }>> = {
  EMAIL_ADDRESS: { precision: 0.95, recall: 0.85 },
  PHONE_NUMBER: { precision: 0.9, recall: 0.85 },
  CREDIT_CARD: { precision: 0.95, recall: 0.85 },
  IBAN: { precision: 0.95, recall: 0.95 },
  SSN: { precision: 0.95, recall: 0.95 },
  NATIONAL_ID: { precision: 0.9, recall: 0.85 },
  IP_ADDRESS: { precision: 0.9, recall: 0.85 },
  SECRET: { precision: 0.95, recall: 0.85 },
  'prompt injection': { precision: 0.9, recall: 0.75 },
};

const rows = [...(await measureCategories()), await measureInjections()];

test.for(rows)('$name is found as well as promised', (row) => {
  expect(precision(row)).toBeGreaterThanOrEqual(FLOORS[row.name]?.precision ?? 1);
  expect(recall(row)).toBeGreaterThanOrEqual(FLOORS[row.name]?.recall ?? 1);
});

test('the set is large enough to say something', () => {
  expect(PERSONAL_DATA.length + INJECTIONS.length).toBeGreaterThanOrEqual(300);
});

test('the page shows what is measured', () => {
  const page = readFileSync(PAGE, 'utf8');
  const cells = rows.map((row) => [
    row.name,
    `${row.right + row.missed}`,
    `${row.missed}`,
    `${row.wrong}`,
    precision(row).toFixed(2),
    recall(row).toFixed(2),
  ]);
  const table = toTable([['what', 'examples', 'missed', 'wrong', 'precision', 'recall'], ...cells]);
  const shown = page.replace(/\| what +\| examples[\s\S]*?\n(?!\|)/, `${table}\n`);
  if (process.env['UPDATE'] === '1') writeFileSync(PAGE, shown);
  else expect(page).toBe(shown);
});

function toTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const row = (line: readonly string[]): string =>
    `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [row(lines[0] ?? []), rule, ...lines.slice(1).map(row)].join('\n');
}
