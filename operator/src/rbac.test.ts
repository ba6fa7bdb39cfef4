import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type PolicyRule, rolesOf } from './rbac.ts';
import { OPERATOR_RULES } from './rbac-rules.ts';

const rule = (part: Partial<PolicyRule>): PolicyRule => ({
  ...{ scope: 'watched', apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
  ...part,
});

describe('rules become roles', () => {
  test('one per group, names and verbs, whatever the order', () => {
    const rules = [
      rule({ verbs: ['watch', 'get'] }),
      rule({ resources: ['secrets', 'configmaps'], verbs: ['get'] }),
      rule({ resources: ['secrets'], verbs: ['watch'] }),
      rule({ resources: ['secrets'], resourceNames: ['b', 'a'] }),
      rule({ scope: 'own', apiGroups: ['', 'apps'] }),
    ];
    const want = {
      cluster: [],
      watched: [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] },
        { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'watch'] },
      ],
      own: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['configmaps'], verbs: ['get'] },
      ],
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
  ])('$rule is refused', ({ part }) => {
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

  test('leave out no rbac.ts', () => {
    const list = readFileSync(new URL('rbac-rules.ts', import.meta.url), 'utf8');
    const files = globSync('*/**/rbac.ts', { cwd: import.meta.dirname });
    expect(files.filter((file) => !list.includes(`'./${file}'`))).toEqual([]);
  });
});
