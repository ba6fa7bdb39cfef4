/**
 * Whole objects around the samples of every rule, so that zod and the API server check the same bytes. The frame of a sample is
 * the first valid example of its Kind with a value at the rule's path.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { AnyKind } from '../src/kinds/index.ts';
import { isObject } from '../src/lib/result.ts';
import type { Rule } from '../src/schema/index.ts';
import { schemaOf } from './crd.ts';

export interface Example {
  /** File name without extension. */
  readonly name: string;
  readonly valid: boolean;
  /** The field an invalid example breaks, e.g. `spec.targets[0].weight`. */
  readonly expect: string | undefined;
  /** Without the webhook an API server accepts the object. */
  readonly webhookOnly: boolean;
  readonly object: unknown;
}

export interface SampleObject {
  readonly rule: Rule;
  readonly valid: boolean;
  /** The field an invalid sample breaks. */
  readonly expect: string;
  readonly object: unknown;
}

const EXAMPLES = new URL('../examples/', import.meta.url);

/** `ApiKey` to `api-key`: the name of files and folders of a Kind. */
export const toFileName = (kind: string): string => kind.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase();

/** The examples of a Kind, `valid` first. */
export function examplesOf(kind: AnyKind): Example[] {
  const folder = new URL(`${toFileName(kind.kind)}/`, EXAMPLES);
  const names = readdirSync(folder).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return names.map((file) => {
    const content = readFileSync(new URL(file, folder), 'utf8');
    return {
      name: file.replace(/\.yaml$/, ''),
      valid: file.startsWith('valid'),
      expect: /^# expect: (.+)\n/.exec(content)?.[1],
      webhookOnly: /^# only: webhook$/m.test(content),
      object: parse(content),
    };
  });
}

const rank = (file: string): number => (file === 'valid.yaml' ? 0 : 1);

/** One object per sample of each rule of a Kind. */
export function sampleObjects(kind: AnyKind): SampleObject[] {
  const frames = examplesOf(kind).filter(({ valid }) => valid);
  return schemaOf(kind).rules.flatMap(({ path, rule }) => {
    const steps = path === '' ? [] : path.split('.');
    const frame = frames.find(({ object }) => at(object, steps) !== undefined);
    if (frame === undefined) throw new Error(`${kind.kind}: no valid example has ${path}`);
    const expect = [path.replaceAll('[]', '[0]'), rule.at ?? ''].filter((part) => part !== '').join('.');
    const toSample = (valid: boolean) => (sample: unknown) => ({
      rule,
      valid,
      expect,
      object: replace(frame.object, steps, sample),
    });
    return [...rule.valid.map(toSample(true)), ...rule.invalid.map(toSample(false))];
  });
}

function at(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || !isObject(value)) return step === undefined ? value : undefined;
  const member = value[step.replace('[]', '')];
  return at(step.endsWith('[]') && Array.isArray(member) ? member[0] : member, rest);
}

/** A copy with the node at `steps` replaced; `[]` means the first item. */
function replace(value: unknown, [step, ...rest]: readonly string[], sample: unknown): unknown {
  if (step === undefined) return sample;
  const object = isObject(value) ? value : {};
  const name = step.replace('[]', '');
  const member = object[name];
  if (step === name) return { ...object, [name]: replace(member, rest, sample) };
  const [first, ...others] = Array.isArray(member) ? member : [];
  return { ...object, [name]: [replace(first, rest, sample), ...others] };
}
