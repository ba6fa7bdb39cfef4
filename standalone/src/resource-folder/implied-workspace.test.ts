import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { createResourceFolder } from './resource-folder.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const account = (namespace: string): string =>
  `${API}\nkind: VirtualKey\nmetadata: { name: local${namespace} }\nspec: { provider: ollama, customHost: "http://127.0.0.1:11434" }\n`;
const workspace = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`;
const organisation = `${API}\nkind: Organisation\nmetadata: { name: default }\nspec: {}\n`;

async function read(files: Readonly<Record<string, string>>) {
  using folder = tempFolder(files);
  const options = { variables: {}, caps: DEFAULT_TARGET_CAPS, now: () => 0 };
  const { state } = await createResourceFolder([folder.path], options).refresh();
  return { problems: state.problems.length, ids: state.snapshot.entries.map(({ id }) => id) };
}

test.for([
  { rule: 'no namespace', namespace: '' },
  { rule: 'the namespace of the same name', namespace: ', namespace: default' },
])('a folder without a workspace has the workspace default, with what has $rule', async ({ namespace }) => {
  expect(await read({ 'a.yaml': account(namespace) })).toEqual({
    problems: 0,
    ids: ['organisation//default', 'provider/default/local', 'workspace/default/default'],
  });
});

test('an empty folder has it, too', async () => {
  expect((await read({})).ids).toEqual(['organisation//default', 'workspace/default/default']);
});

test.for([
  {
    rule: 'a workspace',
    file: workspace,
    ids: ['organisation//default', 'provider//local', 'workspace/team-a/team-a'],
  },
  { rule: 'an organisation', file: organisation, ids: ['organisation//default', 'provider//local'] },
])('beside $rule, what has no namespace belongs to the organisation', async ({ file, ids }) => {
  expect((await read({ 'a.yaml': account(''), 'b.yaml': file })).ids).toEqual(ids);
});
