import type { Snapshot } from '@gatehouse/crds/snapshot';
import { expect, test } from 'vitest';
import type { StandaloneProcess } from '../app/index.ts';
import { findProviders } from '../environment-resources/index.ts';
import { welcomeWithoutFolder } from './welcome-without-folder.ts';

const snapshot: Snapshot = { schemaVersion: { major: 1, minor: 0 }, entries: [] };
const process: StandaloneProcess = {
  port: 8787,
  adminPort: 8789,
  state: { snapshot, problems: [], remarks: [], files: 0, objects: 0, ignored: [] },
  drain: async () => undefined,
  close: async () => undefined,
};

const say = (variables: Readonly<Record<string, string>>, more: object = {}): string =>
  welcomeWithoutFolder({
    process,
    host: '0.0.0.0',
    adminHost: '127.0.0.1',
    mockUrl: undefined,
    providers: findProviders(variables, undefined),
    adminKey: undefined,
    data: '.gatehouse',
    isKeyGiven: true,
    ...more,
  });

test('names each provider with its variable, and never a value', () => {
  const text = say({ OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2' });
  expect(text).toMatch(/@openai +OPENAI_API_KEY\n +@anthropic +ANTHROPIC_API_KEY/);
  expect(text).not.toMatch(/sk-[12]/);
});

test('shows the OpenAI SDK alone where no provider has the format of messages', () => {
  const text = say({ GROQ_API_KEY: 'sk-1' });
  expect(text).toContain('"model":"@groq/');
  expect(text).not.toContain('Anthropic');
});

test('shows no chat request where no provider has chat', () => {
  expect(say({ VOYAGE_API_KEY: 'sk-1' })).not.toContain('curl');
});

test('says which variables to set where none is', () => {
  expect(say({}, { mockUrl: 'http://127.0.0.1:1' })).toMatch(/set OPENAI_API_KEY, ANTHROPIC_API_KEY/);
});

test('shows a new admin key once, and later says where it came from', () => {
  const key = 'gwk_fresh';
  expect(say({}, { adminKey: key, isKeyGiven: false }).split(key)).toHaveLength(2);
  expect(say({}, { isKeyGiven: false })).toContain('remove .gatehouse/admin-key.json');
});

test('says that a variable cannot be sent, without its value', () => {
  const text = say({ OPENAI_API_KEY: '\u201csk-1\u201d' });
  expect(text).toContain('OPENAI_API_KEY is not used: it has characters that no header can carry');
  expect(text).not.toContain('sk-1');
});

test('says that a key of the gateway is no key of a provider', () => {
  expect(say({ OPENAI_API_KEY: 'gwk_1' })).toContain('OPENAI_API_KEY holds a key of the gateway');
});
