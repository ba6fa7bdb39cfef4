/** Every rule of the translation as a pair of files: `testdata/<case>.in.yaml` to `<case>.out.yaml`; UPDATE=1 rewrites. */
import { readdirSync, readFileSync } from 'node:fs';
import { formatPath, isObject } from '@gatehouse/crds';
import { digestOf } from '@gatehouse/crds/snapshot';
import { goldenCases } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { deepFreeze, type TestObject, testKey, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';
import type { Judgement, Verdict, WorldSettings } from './types/index.ts';

interface Step {
  readonly put?: readonly TestObject[];
  /** `Kind/namespace/name` */
  readonly remove?: readonly string[];
  readonly served?: readonly string[];
}

interface Case {
  /** What the case shows. */
  readonly rule: string;
  readonly settings?: Partial<WorldSettings>;
  readonly steps: readonly Step[];
}

const FOLDER = new URL('./testdata/', import.meta.url);

/** A new case starts with an empty `.out.yaml`. */
const CASES = goldenCases(FOLDER, (file) => file.endsWith('.out.yaml')).map((golden) => {
  const name = golden.name.replace(/\.out$/, '');
  const given = parse(readFileSync(new URL(`${name}.in.yaml`, FOLDER), 'utf8')) as Case;
  return { name, golden, given };
});

test('every case has both files', () => {
  const given = readdirSync(FOLDER).filter((file) => file.endsWith('.in.yaml'));
  expect(CASES.map(({ name }) => `${name}.in.yaml`)).toEqual(given.sort());
});

test.for(CASES)('$name: $given.rule', ({ golden, given }) => {
  golden.check('steps', run(given).map(tell));
});

/** The steps one after the other, each building on the last translation. */
function run({ steps, settings = {} }: Case): Translation[] {
  const objects = new Map<string, TestObject>();
  const translations: Translation[] = [];
  for (const { put = [], remove = [], served } of steps) {
    for (const object of deepFreeze(put)) objects.set(testKey(object), object);
    for (const key of remove) expect(objects.delete(key), `${key} is there to be removed`).toBe(true);
    const world = worldOf(objects.values(), { settings, ...(served === undefined ? {} : { served }) });
    const translation = translate(world, translations.at(-1));
    const said = JSON.stringify(translation.verdicts);
    for (const value of secretsOf(objects.values())) expect(said).not.toContain(value);
    translations.push(translation);
  }
  return translations;
}

/** Every value that only Snapshot entries may hold. */
function secretsOf(objects: Iterable<TestObject>): string[] {
  return [...objects]
    .flatMap(({ stringData }) => (isObject(stringData) ? Object.values(stringData) : ([] as unknown[])))
    .filter((value): value is string => typeof value === 'string' && value.length > 3);
}

/** What a reader of the file wants to see; digests are checked here instead. */
function tell({ snapshot, verdicts }: Translation): object {
  const entries = snapshot.entries.map(({ id, digest, body, workspace: _, kind: __, ...rest }) => {
    expect(digest).toBe(digestOf(body));
    return { id, ...rest, body };
  });
  return { entries, verdicts: Object.fromEntries(verdicts.map(toLine)) };
}

function toLine({ key, generation, serves, conditions, issues }: Verdict): [string, object] {
  const { Accepted, ResolvedRefs } = conditions;
  return [
    key,
    {
      generation,
      serves,
      ...bad('Accepted', Accepted),
      ...bad('ResolvedRefs', ResolvedRefs),
      ...(issues.length === 0 ? {} : { issues: issues.map(({ reason, path }) => `${reason} ${formatPath(path)}`) }),
    },
  ];
}

const bad = (type: string, { status, reason, message }: Judgement): object =>
  status === 'True' ? {} : { [type]: `${status} ${reason}: ${message}` };
