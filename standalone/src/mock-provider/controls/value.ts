import { assertNever, err, ok, type Result } from '@gatehouse/crds';
import type { Controls, MockControl, ValueRule } from './table.ts';

/** A control that is off has no value. */
export type ControlValue = string | number | true | undefined;

const FLAGS: ReadonlyMap<string, true | undefined> = new Map([
  ['1', true],
  ['true', true],
  ['0', undefined],
  ['false', undefined],
]);

type TextRule = Extract<ValueRule, { readonly maxLength: number }>;

const PRINTABLE = /^[ -~]*$/;

/** Errors: a sentence with the expected value. */
export function parseValue(control: MockControl, given: string): Result<ControlValue, string> {
  const { value: rule } = control;
  const refused = err(`${control.header} must be ${describeRule(rule)}, got ${JSON.stringify(given)}`);
  switch (rule.type) {
    case 'integer': {
      const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
      return value >= rule.min && value <= rule.max ? ok(value) : refused;
    }
    case 'choice':
      return rule.values.includes(given) ? ok(given) : refused;
    case 'flag':
      return FLAGS.has(given) ? ok(FLAGS.get(given)) : refused;
    case 'text':
    case 'headerText': {
      const text = decodeHeaderText(given);
      return text !== undefined && isTextOf(rule, text) ? ok(text) : refused;
    }
    default:
      return assertNever(rule);
  }
}

const isTextOf = ({ type, maxLength }: TextRule, text: string): boolean =>
  text.length <= maxLength && (type === 'text' || PRINTABLE.test(text));

/** A description of the valid values, for messages and the reference. */
export function describeRule(rule: ValueRule): string {
  switch (rule.type) {
    case 'integer':
      return `a whole number from ${rule.min} to ${rule.max}`;
    case 'choice':
      return rule.values.join(' or ');
    case 'flag':
      return '1 or 0';
    case 'text':
      return `a text of at most ${rule.maxLength} characters`;
    case 'headerText':
      return `a text of at most ${rule.maxLength} printable ASCII characters`;
    default:
      return assertNever(rule);
  }
}

/** The fields come from the rows of MOCK_CONTROLS and the values from parseValue, so they fit the type. */
export function toControls(fields: ReadonlyMap<string, ControlValue>): Controls {
  return Object.fromEntries(fields) as Controls;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeHeaderText(given: string): string | undefined {
  if (/^utf-8''/i.test(given)) return decodePercent(given.slice("UTF-8''".length)); // RFC 8187, section 3.2
  try {
    // Node decodes header bytes as Latin-1; clients that send others than ASCII mostly use UTF-8.
    return strictUtf8.decode(Buffer.from(given, 'latin1'));
  } catch {
    return given;
  }
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
