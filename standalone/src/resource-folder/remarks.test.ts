import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { formatProblem } from './problem.ts';
import { createResourceFolder } from './resource-folder.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const secret = (value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: openai }\nstringData:\n  api-key:${value}\n`;
const account = (host: string, ref = '{ name: openai, key: api-key }'): string =>
  `${API}\nkind: VirtualKey\nmetadata: { name: openai }\nspec:\n  provider: openai\n  secretRef: ${ref}\n${host}`;
const AT_MOCK = '  customHost: http://127.0.0.1:8790/v1\n';
const VARIABLE = { GATEHOUSE_SECRET_OPENAI_API_KEY: 'sk-real' };

async function remarksOf(files: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>>) {
  using folder = tempFolder(files);
  const options = { variables, caps: DEFAULT_TARGET_CAPS, mockPorts: [8790], now: () => 0 };
  const { state } = await createResourceFolder([folder.path], options).refresh();
  return state.remarks.map((remark) => formatProblem(remark).replace(`${folder.path}/`, ''));
}

describe('a variable that is set is remarked on', () => {
  test('where the account still leads to the mock provider', async () => {
    const [remark, ...more] = await remarksOf({ 'a.yaml': account(AT_MOCK), 's.yaml': secret('') }, VARIABLE);
    expect(more).toEqual([]);
    expect(remark).toMatch(
      /^a\.yaml:7:3: VirtualKey\/openai: spec\.customHost: GATEHOUSE_SECRET_OPENAI_API_KEY is set/,
    );
    expect(remark).not.toContain('sk-real');
  });

  test('where the account reads all entries of its Secret', async () => {
    const files = {
      'a.yaml': account(AT_MOCK, '{ name: openai }'),
      's.yaml': secret('').replace('api-key', 'api_key'),
    };
    expect(await remarksOf(files, VARIABLE)).toEqual([expect.stringContaining('is set, but customHost')]);
  });

  test('where the Secret has a value of its own', async () => {
    const [remark] = await remarksOf({ 'a.yaml': account(''), 's.yaml': secret(' sk-file') }, VARIABLE);
    expect(remark).toMatch(/^s\.yaml:5:3: Secret\/openai: stringData\.api-key: GATEHOUSE_SECRET_OPENAI_API_KEY is set/);
    expect(remark).not.toContain('sk-');
  });
});

test('an entry that is empty everywhere is remarked on with the variable that would fill it', async () => {
  expect(await remarksOf({ 's.yaml': secret('') }, {})).toEqual([
    's.yaml:5:3: Secret/openai: stringData.api-key: the value is empty, and GATEHOUSE_SECRET_OPENAI_API_KEY is not set',
  ]);
});

test('webhooks for alerts are remarked on: only the operator sends them', async () => {
  const webhook = '    - { name: a, url: "https://hooks.example", secretRef: { name: s, key: k } }\n';
  const organisation = `${API}\nkind: Organisation\nmetadata: { name: default }\nspec:\n`;
  expect(await remarksOf({ 'o.yaml': `${organisation}  alertWebhooks:\n${webhook}` }, {})).toEqual([
    expect.stringMatching(/^o\.yaml:5:3: Organisation\/default: spec\.alertWebhooks: .* sends none/),
  ]);
});

test.for([
  { rule: 'the account leads to the provider', files: { 'a.yaml': account(''), 's.yaml': secret('') } },
  {
    rule: 'the account leads to another server of this machine',
    files: { 'a.yaml': account('  customHost: http://127.0.0.1:11434/v1\n'), 's.yaml': secret('') },
  },
  {
    rule: 'the port of the mock provider is on another machine',
    files: { 'a.yaml': account('  customHost: http://models.example:8790/v1\n'), 's.yaml': secret('') },
  },
])('nothing is remarked where $rule', async ({ files }) => {
  expect(await remarksOf(files, VARIABLE)).toEqual([]);
});
