import type { IncomingHttpHeaders } from 'node:http';
import { err, ok, type Result } from '@gatehouse/crds';
import { type Controls, MOCK_CONTROLS, type MockControl } from './table.ts';
import { type ControlValue, parseValue, toControls } from './value.ts';

export const NO_CONTROLS: Controls = Object.freeze({});

const BY_HEADER: ReadonlyMap<string, MockControl> = new Map(
  MOCK_CONTROLS.map((control): [string, MockControl] => [control.header, control]),
);

/** Errors: a sentence about the first invalid value, or about an unknown `x-mock-` header. */
export function readHeaderControls(headers: IncomingHttpHeaders): Result<Controls, string> {
  let fields: Map<string, ControlValue> | undefined;
  for (const name in headers) {
    if (!name.startsWith('x-mock-')) continue;
    const control = BY_HEADER.get(name);
    if (control === undefined)
      return err(`${name} is not a control; known controls are ${[...BY_HEADER.keys()].join(', ')}`);
    const value = parseValue(control, String(headers[name]));
    if (!value.ok) return value;
    fields ??= new Map();
    if (value.value !== undefined) fields.set(control.field, value.value);
  }
  if (fields?.has('failTimes') && !fields.has('failKey')) return err('x-mock-fail-times needs x-mock-fail-key');
  return ok(fields === undefined ? NO_CONTROLS : toControls(fields));
}
