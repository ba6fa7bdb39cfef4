import { describe, expect, test } from 'vitest';
import { DEFAULT_TARGET_CAPS } from '../config/index.ts';
import { guardrail } from './guardrail.ts';

const checkOf = (rule: string) => ({ id: 'default.regexMatch', parameters: { rule } });

/** Where the checks of a Guardrail have problems. */
const problemsOf = (checks: readonly object[]) =>
  guardrail
    .check?.(guardrail.resource.parse({ ...HEAD, spec: { checks } }), { caps: DEFAULT_TARGET_CAPS })
    .map(({ path, message }) => `${path.join('.')}: ${message}`);

const HEAD = { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'Guardrail', metadata: { name: 'a', namespace: 'team-a' } };

describe('the patterns of a guardrail', () => {
  test('share one budget, whatever the check that has them', () => {
    const many = Array.from({ length: 12 }, () => checkOf('a{900}'));
    expect(problemsOf(many.slice(0, 10))).toEqual([]);
    expect(problemsOf(many)).toContainEqual(expect.stringMatching(/^spec\.checks\.11\..*steps together$/));
  });
});
