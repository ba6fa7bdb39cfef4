import { globSync, readFileSync } from 'node:fs';
import { KINDS } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { type PolicyRule, rolesOf } from './rbac.ts';
import { OPERATOR_RULES } from './rbac-rules.ts';
import { FETCHABLE_KINDS } from './world/kind-refs.ts';

const rule = (part: Partial<PolicyRule>): PolicyRule => ({
  ...{ scope: 'watched', apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
  ...part,
});

describe('rules become roles', () => {
  test('one per group, names and verbs, whatever the order', () => {
    const rules = [
      rule({ verbs: ['watch', 'get'] }),
      rule({ resources: ['services', 'configmaps'], verbs: ['get'] }),
      rule({ resources: ['services'], verbs: ['watch'] }),
      rule({ resources: ['services'], resourceNames: ['b', 'a'], verbs: ['delete'] }),
      rule({ resources: ['services'], resourceNames: ['a'] }), // the right without names says it
      rule({ scope: 'own', apiGroups: ['', 'apps'] }),
      rule({ scope: 'fleet' }),
      rule({ scope: 'fleet', resources: ['secrets'], verbs: ['create'] }),
      rule({ scope: 'workspace', resources: ['secrets'], verbs: ['watch'] }),
    ];
    const want = {
      cluster: [],
      watched: [
        { apiGroups: [''], resources: ['services'], resourceNames: ['a', 'b'], verbs: ['delete'] },
        { apiGroups: [''], resources: ['configmaps', 'services'], verbs: ['get', 'watch'] },
      ],
      own: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['configmaps'], verbs: ['get'] },
      ],
      fleets: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      fleetSecrets: [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }],
      workspaceSecrets: [{ apiGroups: [''], resources: ['secrets'], verbs: ['watch'] }],
    };
    expect(rolesOf(rules)).toEqual(want);
    expect(rolesOf(rules.toReversed())).toEqual(want);
  });

  test.for([
    { rule: 'a wildcard group', part: { apiGroups: ['*'] } },
    { rule: 'a wildcard resource', part: { resources: ['pods/*'] } },
    { rule: 'a wildcard verb', part: { verbs: ['*'] } },
    { rule: 'escalate', part: { verbs: ['escalate'] } },
    { rule: 'impersonate', part: { verbs: ['impersonate'] } },
    { rule: 'bind without names', part: { verbs: ['bind'] } },
    { rule: 'Secrets wherever the operator watches', part: { resources: ['secrets'] } },
    { rule: 'Secrets of the cluster', part: { scope: 'cluster', resources: ['secrets'], resourceNames: ['a'] } },
    { rule: 'a list of Secrets', part: { scope: 'fleet', resources: ['secrets'], verbs: ['list'] } },
    { rule: 'Secrets beside something else', part: { scope: 'own', resources: ['configmaps', 'secrets'] } },
    { rule: 'anything but Secrets for a workspace', part: { scope: 'workspace' } },
  ] satisfies readonly { rule: string; part: Partial<PolicyRule> }[])('$rule is refused', ({ part }) => {
    expect(() => rolesOf([rule(part)])).toThrow();
  });

  test('bind with names is not', () => {
    expect(() => rolesOf([rule({ verbs: ['bind'], resourceNames: ['gatehouse-gateway'] })])).not.toThrow();
  });
});

describe('the rules of the operator', () => {
  const roles = rolesOf(OPERATOR_RULES);
  const all = Object.values(roles).flat();

  test('never list Secrets', () => {
    const secrets = all.filter(({ apiGroups, resources }) => apiGroups.includes('') && resources.includes('secrets'));
    expect(secrets.flatMap(({ verbs }) => verbs)).not.toContain('list');
  });

  test('write our kinds only in their status', () => {
    const own = all.filter(({ apiGroups }) => apiGroups.includes('gatehouse.dev'));
    for (const { resources, verbs } of own) {
      const writes = verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb));
      if (writes.length > 0) expect(resources.filter((name) => !/\/(status|finalizers)$/.test(name))).toEqual([]);
    }
  });

  test('allow reading every kind whose content is not kept', () => {
    const readable = roles.watched.filter(({ verbs }) => verbs.includes('get')).flatMap(({ resources }) => resources);
    expect([...FETCHABLE_KINDS].filter((kind) => !readable.includes(KINDS[kind].plural))).toEqual([]);
  });

  test('include every rbac.ts', () => {
    const list = readFileSync(new URL('rbac-rules.ts', import.meta.url), 'utf8');
    const files = globSync('*/**/rbac.ts', { cwd: import.meta.dirname });
    expect(files.filter((file) => !list.includes(`'./${file}'`))).toEqual([]);
  });
});
