/** Inline configs, GatewayConfigs and Guardrails are checked by the same function: what is wrong with a check reads the same. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '../config/index.ts';
import { parseResource } from '../kinds/index.ts';
import { formatPath, type Issue } from '../schema/index.ts';

const resource = (kind: string, spec: object) => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind,
  metadata: { name: 'a', namespace: 'team-a' },
  spec,
});

/** What is wrong, each with its path below the check. */
const below = (issues: readonly Issue[]): readonly string[] =>
  issues.map(({ path, message }) => {
    const at = path.indexOf('checks');
    return `${formatPath(path.slice(at < 0 ? 0 : at + 2))}: ${message}`;
  });
const problems = (parsed: { readonly ok: boolean; readonly error?: readonly Issue[] }): readonly string[] =>
  parsed.ok ? [] : below(parsed.error ?? []);

describe('what is wrong with a check', () => {
  test.for<{ rule: string; check: Record<string, unknown> }>([
    { rule: 'is its id', check: { id: 'default.contain' } },
    {
      rule: 'is a parameter that it does not have',
      check: { id: 'contains', parameters: { words: ['x'], wrods: [] } },
    },
    { rule: 'is the value of a parameter', check: { id: 'contains', parameters: { words: ['x'], operator: 'some' } } },
    { rule: 'is a parameter that it needs', check: { id: 'contains', parameters: {} } },
    { rule: 'is a pattern', check: { id: 'regexMatch', parameters: { rule: '(?=a)' } } },
    { rule: 'is failOnError', check: { id: 'contains', parameters: { words: ['x'], failOnError: 'yes' } } },
    { rule: 'is a schema', check: { id: 'jsonSchema', parameters: { schema: { type: 'objekt' } } } },
    {
      rule: 'is a header that is never forwarded',
      check: {
        id: 'webhook',
        parameters: { webhookURL: 'https://hooks.example.com', forwardHeaders: ['cookie'] },
      },
    },
  ])('$rule: the same in all three', ({ check }) => {
    const config = { provider: '@a', inputGuardrails: [{ checks: [check] }] };
    const saved = problems(parseResource('GatewayConfig', resource('GatewayConfig', { config })));
    const inline = problems(parseInlineConfig(config, { caps: DEFAULT_TARGET_CAPS, saved: false }));
    const stored = problems(parseResource('Guardrail', resource('Guardrail', { checks: [check] })));
    expect([inline, stored]).toEqual([saved, saved]);
    expect(saved).not.toEqual([]);
  });
});
