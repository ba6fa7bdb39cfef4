import { err, ok, type Result } from '@gatehouse/crds';
import { NO_CONTROLS } from './headers.ts';
import { type Controls, MOCK_CONTROLS, type MockControl } from './table.ts';
import { type ControlValue, parseValue, toControls } from './value.ts';

interface Word {
  readonly word: string;
  readonly value?: string;
  readonly control: MockControl;
}

const ROWS: readonly MockControl[] = MOCK_CONTROLS;
const WORDS: readonly Word[] = ROWS.flatMap((control) =>
  (control.modelWords ?? []).map((entry): Word => ({ ...entry, control })),
);

/**
 * Controls written into a model name: `mock-` and parts joined by `+`, as in `mock-delay-100+fail-503-times-2`.
 * The first part may be any name (`mock-small+slow-20`); a name without a control word is an ordinary model.
 * Errors: a sentence about the first part that is not a control or has an invalid value.
 */
export function readModelControls(model: string): Result<Controls, string> {
  if (!model.startsWith('mock-')) return ok(NO_CONTROLS);
  const parts = model.split('+').flatMap((part) => part.replace(/^mock-/, '').split(/-(?=times-\d)/));
  const [first = '', ...rest] = parts;
  const controlling = findWord(first) === undefined ? rest : parts;
  if (controlling.length === 0) return ok(NO_CONTROLS);
  const fields = new Map<string, ControlValue>();
  for (const part of controlling) {
    const read = readPart(part, fields);
    if (!read.ok) return err(`model ${JSON.stringify(model)}: ${read.error}`);
  }
  if (fields.has('failTimes')) fields.set('failKey', model);
  return ok(toControls(fields));
}

function readPart(part: string, fields: Map<string, ControlValue>): Result<undefined, string> {
  const found = findWord(part);
  if (found === undefined) return err(`${JSON.stringify(part)} is not a control`);
  const value = parseValue(found.control, found.value ?? part.slice(found.word.length + 1));
  if (!value.ok) return value;
  fields.set(found.control.field, value.value);
  return ok(undefined);
}

function findWord(part: string): Word | undefined {
  return WORDS.find(({ word, value }) => part === word || (value === undefined && part.startsWith(`${word}-`)));
}
