import { describe, expect, test } from 'vitest';
import { parseText } from './documents.ts';
import { type FileContent, readObjects } from './objects.ts';

const read = (text: string): FileContent =>
  readObjects(parseText(text).documents, { defaultNamespace: 'gatehouse-system' });

const places = ({ problems }: FileContent): string[] =>
  problems.map(({ line, column, path }) => `${line}:${column} ${path}`);

const KEY = 'apiVersion: gatehouse.dev/v1alpha1\nkind: ApiKey\nmetadata: { name: app }\n';

describe('a file', () => {
  test.for([
    { rule: 'without a namespace is of the organisation', text: KEY, want: ['ApiKey gatehouse-system/app'] },
    {
      rule: 'with a namespace keeps it',
      text: KEY.replace('app', 'app, namespace: team-a'),
      want: ['ApiKey team-a/app'],
    },
    {
      rule: 'of a cluster-scoped kind has none',
      text: 'apiVersion: gatehouse.dev/v1alpha1\nkind: Workspace\nmetadata: { name: team-a, namespace: x }',
      want: ['Workspace team-a'],
    },
    {
      rule: 'that is a Secret or a Namespace counts',
      text: 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: n }',
      want: ['Secret gatehouse-system/s', 'Namespace n'],
    },
    {
      rule: 'in a list, or in a list of lists, counts',
      text: `apiVersion: v1
kind: List
items:
  - { apiVersion: gatehouse.dev/v1alpha1, kind: ApiKey, metadata: { name: a } }
  - apiVersion: gatehouse.dev/v1alpha1
    kind: ApiKeyList
    items:
      - { apiVersion: gatehouse.dev/v1alpha1, kind: ApiKey, metadata: { name: b } }`,
      want: ['ApiKey gatehouse-system/a', 'ApiKey gatehouse-system/b'],
    },
  ])('an object $rule', ({ text, want }) => {
    const content = read(text);
    expect(content.objects.map(({ kind, key }) => `${kind} ${key}`)).toEqual(want);
    expect(content.problems).toEqual([]);
  });

  test('ignores kinds of others and reports their names', () => {
    const content = read('apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\n---\n---\n# nothing\n');
    expect(content).toEqual({ objects: [], problems: [], ignored: ['apps/v1/Deployment'] });
  });

  test.for([
    { rule: 'of a group that looks like ours', apiVersion: 'warehouse.dev/v1', kind: 'Shelf' },
    { rule: 'of the same name in another group', apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Provider' },
    { rule: 'of the core group', apiVersion: 'v1', kind: 'ConfigMap' },
  ])('ignores a kind $rule', ({ apiVersion, kind }) => {
    const content = read(`apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a }\n`);
    expect(content).toEqual({ objects: [], problems: [], ignored: [`${apiVersion}/${kind}`] });
  });

  test.for([
    { rule: 'a group', from: 'gatehouse', to: 'gatehous', want: 'did you mean gatehouse.dev/v1alpha1?' },
    { rule: 'a kind', from: 'ApiKey', to: 'ApiKy', want: 'unknown kind ApiKy; did you mean ApiKey?' },
    { rule: 'a kind that is like none', from: 'ApiKey', to: 'Zebra', want: 'known kinds are ApiKey, ' },
  ])('suggests $rule, and tells which object is missing where it can', ({ from, to, want }) => {
    const [problem] = read(KEY.replace(from, to)).problems;
    expect(problem?.message).toContain(want);
    expect(problem?.withholds).toEqual(to === 'Zebra' ? [] : ['ApiKey/gatehouse-system/app']);
  });

  test('tells that the namespace of a Workspace is missing, too', () => {
    const text = 'apiVersion: gatehous.dev/v1alpha1\nkind: Workspace\nmetadata: { name: a }\nspec: { namespace: b }\n';
    expect(read(text).problems[0]?.withholds).toEqual(['Workspace/a', 'Namespace/b']);
  });

  test.for([
    { rule: 'is no resource', text: 'a: 1\n', want: '1:1 apiVersion' },
    { rule: 'is a text', text: '\n\njust words\n', want: '3:1 ' },
    { rule: 'has no kind', text: 'apiVersion: v1\nspec: {}\n', want: '1:1 kind' },
    { rule: 'has a kind we do not know', text: KEY.replace('ApiKey', 'ApiKy'), want: '2:1 kind' },
    { rule: 'has nearly our group', text: KEY.replace('gatehouse', 'gatehous'), want: '1:1 apiVersion' },
    { rule: 'has our group in capitals', text: KEY.replace('gatehouse', 'Gatehouse'), want: '1:1 apiVersion' },
    { rule: 'has our kind and no group', text: KEY.replace('gatehouse.dev/v1alpha1', 'v1'), want: '1:1 apiVersion' },
    { rule: 'has the version without the group', text: KEY.replace('gatehouse.dev/', ''), want: '1:1 apiVersion' },
    { rule: 'has a version we do not know', text: KEY.replace('v1alpha1', 'v2'), want: '1:1 apiVersion' },
    { rule: 'has no name', text: KEY.replace('name: app', 'labels: {}'), want: '3:1 metadata.name' },
    {
      rule: 'is the second item of a list and has no name',
      text: `kind: List\napiVersion: v1\nitems:\n  - ${JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } })}\n  - apiVersion: v1\n    kind: Secret\n`,
      want: '5:5 metadata.name',
    },
  ])('has a problem where an object $rule', ({ text, want }) => {
    expect(places(read(text))).toEqual([want]);
  });
});
