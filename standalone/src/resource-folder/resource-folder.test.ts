import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { formatProblem } from './problem.ts';
import { createResourceFolder, type FolderState } from './resource-folder.ts';

const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
const CONFIG = `# the default
apiVersion: gatehouse.dev/v1alpha1
kind: GatewayConfig
metadata:
  name: main
  namespace: team-a
spec:
  config:
    provider: "@local"
    retry:
      attempts: 1
`;
const LOCAL = `apiVersion: gatehouse.dev/v1alpha1
kind: VirtualKey
metadata: { name: local, namespace: team-a }
spec: { provider: ollama, customHost: "http://127.0.0.1:11434" }
`;

/** A folder with a clock that jumps far enough for every change to count. */
function open(path: string, variables: Readonly<Record<string, string>> = {}) {
  let nowMs = 0;
  const folder = createResourceFolder([path], {
    variables,
    caps: DEFAULT_TARGET_CAPS,
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
  });
  return {
    read: async (): Promise<FolderState> => {
      await folder.refresh();
      return (await folder.refresh()).state;
    },
  };
}

const lines = ({ problems }: FolderState, folder: string): string[] =>
  problems.map((problem) => formatProblem(problem).replace(`${folder}/`, ''));

describe('the problems of a folder', () => {
  test.for([
    {
      rule: 'an unknown field stands at its key',
      files: { 'config.yaml': CONFIG.replace('attempts: 1', 'attempts: 1\n      colour: blue') },
      want: ['config.yaml:12:7: GatewayConfig/main: spec.config.retry.colour: '],
    },
    {
      rule: 'a missing field stands at its parent',
      files: { 'config.yaml': CONFIG.replace('attempts: 1', 'onStatusCodes: [500]') },
      want: ['config.yaml:10:5: GatewayConfig/main: spec.config.retry.attempts: '],
    },
    {
      rule: 'a reference that leads nowhere stands at the reference',
      files: { 'config.yaml': CONFIG.replace('@local', '@nothing') },
      want: ['config.yaml:9:5: GatewayConfig/main: spec.config.provider: '],
    },
    {
      rule: 'two files with the same object: the second one has the problem',
      files: { 'config.yaml': CONFIG, 'z.yaml': CONFIG },
      want: ['z.yaml:5:3: GatewayConfig/main: metadata.name: '],
    },
    {
      rule: 'a Secret that cannot be read stands at its entry',
      files: { 'secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\ndata:\n  key: "?"\n' },
      want: ['secret.yaml:5:3: Secret/s: data.key: '],
    },
    {
      rule: 'a broken file stands beside everything else that is wrong',
      files: { 'a.yaml': 'a: [', 'config.yaml': CONFIG.replace('attempts: 1', 'attempts: x') },
      want: ['a.yaml:1:5: ', 'config.yaml:11:7: GatewayConfig/main: spec.config.retry.attempts: '],
    },
  ])('$rule', async ({ files, want }) => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'local.yaml': LOCAL, ...files });
    const found = lines(await open(folder.path).read(), folder.path);
    expect(found.map((line, i) => line.slice(0, want[i]?.length))).toEqual(want);
  });

  test('are causes; what follows from them is with them', async () => {
    using folder = tempFolder({
      'workspace.yaml': WORKSPACE.replace(
        'namespace: team-a',
        'namespace: team-a, defaults: { configRef: { name: main } }',
      ),
      'local.yaml': LOCAL.replace('ollama', 'olama'),
      'config.yaml': `${CONFIG}      colour: blue\n`,
    });
    const { problems } = await open(folder.path).read();
    const told = problems.map(({ object, path, consequences = [] }) => ({
      [`${object} ${path}`]: consequences.map((one) => `${one.object} ${one.path}`),
    }));
    expect(told).toEqual([
      { 'GatewayConfig/main spec.config.retry.colour': ['Workspace/team-a spec.defaults.configRef.name'] },
      { 'VirtualKey/local spec.provider': [] },
    ]);
  });

  test.for([
    {
      rule: 'an account of a misspelt provider',
      file: 'local.yaml',
      text: LOCAL.replace('ollama', 'olama'),
      cause: 'local.yaml:4:9: VirtualKey/local: spec.provider: unknown value olama; did you mean ollama?',
    },
    {
      rule: 'an account in a misspelt group',
      file: 'local.yaml',
      text: LOCAL.replace('gatehouse.dev', 'gatehous.dev'),
      cause: 'local.yaml:1:1: VirtualKey/local: apiVersion: unknown group gatehous.dev',
    },
    {
      rule: 'a workspace that is not served',
      file: 'workspace.yaml',
      text: `${WORKSPACE}colour: blue\n`,
      cause: 'workspace.yaml:5:1: Workspace/team-a: colour: unknown field',
    },
  ])('name the cause of a reference once: $rule', async ({ file, text, cause }) => {
    using folder = tempFolder({
      'workspace.yaml': WORKSPACE,
      'local.yaml': LOCAL,
      'config.yaml': CONFIG,
      [file]: text,
    });
    const state = await open(folder.path).read();
    expect(lines(state, folder.path)).toEqual([expect.stringContaining(cause)]);
    expect(state.problems[0]?.consequences?.map(({ object }) => object)).toContain('GatewayConfig/main');
  });

  test.for([
    { member: 'provider', from: '"@local"', to: '"@locla"', want: /the provider @locla .*did you mean @local\?$/ },
    {
      member: 'virtualKey',
      from: 'provider: "@local"',
      to: 'virtualKey: locla',
      want: /the provider locla .*did you mean local\?$/,
    },
  ])('of a reference to nothing suggest what was meant, as $member has it', async ({ from, to, want }) => {
    using folder = tempFolder({
      'workspace.yaml': WORKSPACE,
      'local.yaml': LOCAL,
      'config.yaml': CONFIG.replace(from, to),
    });
    expect(lines(await open(folder.path).read(), folder.path)).toEqual([expect.stringMatching(want)]);
  });

  test('stay with an object that is served as it was: nothing follows from it', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'local.yaml': LOCAL, 'config.yaml': CONFIG });
    const { read } = open(folder.path);
    await read();
    folder.write('local.yaml', LOCAL.replace('ollama', 'olama'));
    expect(await read()).toMatchObject({ problems: [{ object: 'VirtualKey/local' }] });
  });

  test('are empty for a valid folder', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'local.yaml': LOCAL, 'config.yaml': CONFIG });
    expect(await open(folder.path).read()).toMatchObject({ problems: [], files: 3, objects: 3, ignored: [] });
  });
});

describe('the snapshot of a folder', () => {
  const entry = ({ snapshot }: FolderState, id: string) => snapshot.entries.find((item) => item.id === id);

  test('is the same object until something in it changes', async () => {
    using folder = tempFolder({ 'all.yaml': [WORKSPACE, LOCAL, CONFIG].join('---\n') });
    const { read } = open(folder.path);
    const first = await read();
    folder.write('all.yaml', ['# moved\n', CONFIG, LOCAL, WORKSPACE].join('---\n'));
    const moved = await read();
    expect(moved).not.toBe(first);
    expect(moved.snapshot).toBe(first.snapshot);
  });

  test('counts the generations of an object where the file does not', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'local.yaml': LOCAL, 'config.yaml': CONFIG });
    const { read } = open(folder.path);
    expect(entry(await read(), 'config/team-a/main')?.generation).toBe(1);
    folder.write('config.yaml', CONFIG.replace('attempts: 1', 'attempts: 2'));
    expect(entry(await read(), 'config/team-a/main')?.generation).toBe(2);
    folder.write('config.yaml', CONFIG.replace('name: main', 'name: main\n  generation: 7'));
    expect(entry(await read(), 'config/team-a/main')?.generation).toBe(7);
  });

  test('keeps the last valid entry of an object that becomes invalid, and drops a removed one', async () => {
    using folder = tempFolder({ 'workspace.yaml': WORKSPACE, 'local.yaml': LOCAL, 'config.yaml': CONFIG });
    const { read } = open(folder.path);
    const good = entry(await read(), 'config/team-a/main');
    folder.write('config.yaml', CONFIG.replace('attempts: 1', 'attempts: many'));
    expect(entry(await read(), 'config/team-a/main')).toEqual({ ...good, stale: true });
    folder.write('config.yaml', '# nothing left\n');
    expect(entry(await read(), 'config/team-a/main')).toBeUndefined();
  });

  test('reads a credential from the environment where the folder has none', async () => {
    const keyed = LOCAL.replace(
      'ollama, customHost: "http://127.0.0.1:11434"',
      'openai, secretRef: { name: s, key: api-key }',
    );
    using folder = tempFolder({ 'all.yaml': [WORKSPACE, keyed].join('---\n') });
    const state = await open(folder.path, { GATEHOUSE_SECRET_S_API_KEY: 'sk-env' }).read();
    expect(state.problems).toEqual([]);
    expect(entry(state, 'credential/team-a/VirtualKey:local')?.body).toEqual({ fields: { api_key: 'sk-env' } });
  });
});
