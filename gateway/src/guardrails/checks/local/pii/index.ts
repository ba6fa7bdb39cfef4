/** `default.pii`: docs/behaviour/guardrails-local.md. */
import { pii as entry, type PiiCategory } from '@gatehouse/crds/guardrails';
import { LaterData } from '../../../answers.ts';
import {
  type CheckAnswer,
  type CheckSubject,
  type CheckTools,
  defineCheck,
  type Transformed,
} from '../../../contract.ts';
import { createPace } from '../pace.ts';
import { createPlaceholders, MAX_VALUES, type Placeholders, takenNumbers } from './placeholders.ts';
import { hasNoPlace } from './places.ts';
import { replaceFindings } from './redact.ts';
import { createScanner, type Finding, type ScanOptions } from './scan.ts';

/** Replacing can bring two halves of something else together: how often the result is looked at again. */
const MAX_ROUNDS = 4;

export const pii = defineCheck(entry, ({ categories, countries, allow, redact, restore, not }) => {
  const scanner = createScanner({ categories, countries });
  const isAllowed = compileAllowed(allow);

  const scan = async (text: string, { turn, goesOn }: ScanOptions): Promise<readonly Finding[]> => {
    const findings = await scanner.scan(text, { turn, goesOn });
    if (isAllowed === undefined) return findings;
    return withoutAllowed(findings, ({ start, end }) => isAllowed(text.slice(start, end)), turn);
  };

  const redactPart = async (text: string, placeholders: Placeholders, tally: Tally, options: ScanOptions) => {
    let current = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const findings = await scan(current, options);
      if (findings.length === 0) break;
      count(findings, tally);
      current = await replaceFindings(current, findings, { placeholders, turn: options.turn });
    }
    return current === text ? undefined : current;
  };

  const look = async (subject: CheckSubject, tools: CheckTools): Promise<CheckAnswer> => {
    const turn = createPace(() => tools.nextSlice());
    const options = { turn, goesOn: tools.given?.goesOn === true };
    const tally: Tally = new Map();
    if (!redact) {
      for (const part of subject.parts) count(await scan(part, options), tally);
      return { verdict: tally.size > 0 === not, data: dataOf(tally, { categories, not, redact }) };
    }
    // Those in the whole request and answer: the texts of a phase are only a part of what the provider gets.
    const { parts: texts, request, response } = subject;
    const placeholders = createPlaceholders(await takenNumbers([texts, request, response], turn), tools.given);
    const parts: (string | undefined)[] = [];
    for (const part of subject.parts) parts.push(await redactPart(part, placeholders, tally, options));
    const data = dataOf(tally, { categories, not, redact });
    if (tally.size === 0) return { verdict: true, data };
    const isRestored = restore && subject.phase === 'input';
    const transformed: Transformed = {
      kind: 'parts',
      parts,
      ...(isRestored ? { restore: placeholders.values } : {}),
    };
    return isRestored && placeholders.isFull
      ? { verdict: false, data, transformed, error: TOO_MANY }
      : { verdict: true, data, transformed };
  };

  return (subject, tools) => {
    if (!subject.parts.every(hasNoPlace)) return look(subject, tools);
    return new LaterData(redact || !not, () => dataOf(new Map(), { categories, not, redact }));
  };
});

/** All are replaced; those beyond stay so in the answer. */
const TOO_MANY = { name: 'TooManyValues', message: `At most ${MAX_VALUES} values are restored` };

/** Findings between two looks at the clock. */
const CHUNK = 256;

async function withoutAllowed(
  findings: readonly Finding[],
  isAllowed: (finding: Finding) => boolean,
  turn: () => Promise<void>,
): Promise<readonly Finding[]> {
  const left: Finding[] = [];
  for (const [i, finding] of findings.entries()) {
    if (i % CHUNK === CHUNK - 1) await turn();
    if (!isAllowed(finding)) left.push(finding);
  }
  return left;
}

/** How often each category was found. */
type Tally = Map<PiiCategory, number>;

function count(findings: readonly Finding[], tally: Tally): void {
  for (const { category } of findings) tally.set(category, (tally.get(category) ?? 0) + 1);
}

interface Shown {
  readonly categories: readonly PiiCategory[];
  readonly not: boolean;
  readonly redact: boolean;
}

/** Never the values themselves: results are recorded. */
function dataOf(tally: Tally, { categories, not, redact }: Shown) {
  const detectedCategories = categories.filter((category) => tally.has(category));
  return {
    explanation: explain(detectedCategories, redact),
    restrictedCategories: categories,
    detectedCategories,
    counts: Object.fromEntries(tally),
    not,
  };
}

function explain(detected: readonly PiiCategory[], redact: boolean): string {
  if (detected.length === 0) return 'No personal data of the restricted categories was found';
  return `${redact ? 'Replaced' : 'Found'} in the text: ${detected.join(', ')}`;
}

/** Values are compared without regard to case; `@domain` stands for all addresses of a domain. */
function compileAllowed(allow: readonly string[]): ((value: string) => boolean) | undefined {
  const values = new Set(allow.map((value) => value.toLowerCase()));
  if (values.size === 0) return undefined;
  return (value) => {
    const lower = value.toLowerCase();
    const at = lower.lastIndexOf('@');
    return values.has(lower) || (at >= 0 && values.has(lower.slice(at)));
  };
}
