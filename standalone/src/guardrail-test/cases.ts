/** Files of texts and expected verdicts. */
import { extname } from 'node:path';
import { formatPath, type Issue, parseJson } from '@gatehouse/crds';
import {
  type GuardrailTestCase,
  type GuardrailTestFile,
  parseTestCase,
  parseTestFile,
} from '@gatehouse/crds/guardrails';
import type { FileProblem } from '../resource-folder/index.ts';
import { BadFile, documentsOf, located, problemAt } from './problem.ts';

/** Problems that are reported of one file. */
const MAX_PROBLEMS = 20;
const LINE_FORMATS: ReadonlySet<string> = new Set(['.jsonl', '.ndjson']);

/** Reads JSON lines by the name of the file, else YAML or JSON. Throws BadFile. */
export function readCases(file: string, text: string): GuardrailTestFile {
  return LINE_FORMATS.has(extname(file)) ? { cases: casesOfLines(file, text) } : casesOfDocument(file, text);
}

function casesOfLines(file: string, text: string): GuardrailTestCase[] {
  const cases: GuardrailTestCase[] = [];
  const problems: FileProblem[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '' || problems.length >= MAX_PROBLEMS) continue;
    const parsed = parseLine(line);
    if (parsed.ok) cases.push(parsed.value);
    else problems.push(...parsed.error.map((issue) => ({ file, line: i + 1, column: 1, ...problemOf(issue) })));
  }
  if (problems.length > 0) throw new BadFile(problems.slice(0, MAX_PROBLEMS));
  if (cases.length === 0) throw problemAt(file, 'expected a case on each line');
  return cases;
}

const problemOf = ({ path, message }: Issue) => ({ path: formatPath(path), message });

function parseLine(line: string): ReturnType<typeof parseTestCase> {
  try {
    return parseTestCase(parseJson(line));
  } catch {
    return { ok: false, error: [{ code: 'invalid', path: [], message: 'expected JSON' }] };
  }
}

function casesOfDocument(file: string, text: string): GuardrailTestFile {
  const [document, ...others] = documentsOf(file, text);
  if (document === undefined || others.length > 0) throw problemAt(file, 'expected one document with a list of cases');
  const parsed = parseTestFile(document.value);
  if (!parsed.ok) throw new BadFile(located(parsed.error, file, document).slice(0, MAX_PROBLEMS));
  return parsed.value;
}
