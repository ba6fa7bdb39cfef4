import { join } from 'node:path';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { createResourceFolder } from './resource-folder.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const account = (namespace: string): string =>
  `${API}\nkind: VirtualKey\nmetadata: { name: local${namespace} }\nspec: { provider: ollama, customHost: "http://127.0.0.1:11434" }\n`;
const workspace = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`;
const organisation = `${API}\nkind: Organisation\nmetadata: { name: default }\nspec: {}\n`;

/** A clock that jumps far enough for every change to count. */
function open(roots: readonly string[]) {
  let nowMs = 0;
  const now = () => {
    nowMs += 1_000;
    return nowMs;
  };
  const resources = createResourceFolder(roots, { variables: {}, caps: DEFAULT_TARGET_CAPS, now });
  return async () => {
    await resources.refresh();
    const { state } = await resources.refresh();
    return { problems: state.problems.length, ids: state.snapshot.entries.map(({ id }) => id) };
  };
}

async function read(files: Readonly<Record<string, string>>) {
  using folder = tempFolder(files);
  return await open([folder.path])();
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

const OF_ORGANISATION = ['organisation//default', 'provider//local'];
const OF_WORKSPACE = ['organisation//default', 'provider/default/local', 'workspace/default/default'];

describe('none is implied where one was meant:', () => {
  test.for([
    { rule: 'its kind is misspelt', file: workspace.replace('Workspace', 'Workspce') },
    { rule: 'its kind is unknown', file: workspace.replace('kind: Workspace', 'kind: Tenant') },
    { rule: 'its version is unknown', file: workspace.replace('v1alpha1', 'v9') },
    { rule: 'its group is misspelt', file: workspace.replace('gatehouse.dev', 'gatehous.dev') },
    { rule: 'it has no apiVersion', file: workspace.replace(/^apiVersion.*\n/, '') },
    { rule: 'it has no kind', file: workspace.replace(/kind.*\n/, '') },
    { rule: 'it has no name', file: workspace.replace('name: team-a', '') },
    { rule: 'it is an organisation of a misspelt kind', file: organisation.replace('Organisation', 'Organization') },
    { rule: 'its file cannot be parsed', file: `${workspace}more: [` },
  ])('$rule', async ({ file }) => {
    expect(await read({ 'a.yaml': account(''), 'b.yaml': file })).toEqual({ problems: 1, ids: OF_ORGANISATION });
  });

  test('its file cannot be read', async () => {
    using folder = tempFolder({ 'a.yaml': account('') });
    expect(await open([folder.path, join(folder.path, 'missing.yaml')])()).toEqual({
      problems: 1,
      ids: OF_ORGANISATION,
    });
  });
});

test.for([
  { rule: 'another kind that is misspelt', file: account('').replace('VirtualKey', 'VirtualKy') },
  { rule: 'another kind without a name', file: `${API}\nkind: ApiKey\nmetadata: {}\n` },
  { rule: 'a document of another program', file: 'services: {}\n' },
])('it is implied beside $rule', async ({ file }) => {
  expect(await read({ 'a.yaml': account(''), 'b.yaml': file })).toEqual({ problems: 1, ids: OF_WORKSPACE });
});

describe('an edit that may be meant as a workspace', () => {
  const second = account('').replace('name: local', 'name: second');
  const misspelt = workspace.replace('Workspace', 'Workspce');

  test('takes nothing from the implied one, and moves nothing into it', async () => {
    using folder = tempFolder({ 'a.yaml': account('') });
    const refresh = open([folder.path]);
    expect((await refresh()).ids).toEqual(OF_WORKSPACE);
    folder.write('b.yaml', `${second}---\n${misspelt}`);
    const during = [...OF_WORKSPACE, 'provider//second'].sort();
    expect(await refresh()).toEqual({ problems: 1, ids: during });
    folder.write('b.yaml', second);
    expect((await refresh()).ids).toEqual([...OF_WORKSPACE, 'provider/default/second'].sort());
  });

  test('implies none where there was one', async () => {
    using folder = tempFolder({ 'a.yaml': account(''), 'b.yaml': workspace });
    const refresh = open([folder.path]);
    await refresh();
    folder.write('b.yaml', misspelt);
    expect((await refresh()).ids).toEqual(OF_ORGANISATION);
    folder.write('b.yaml', '');
    expect((await refresh()).ids).toEqual(OF_WORKSPACE);
  });
});
